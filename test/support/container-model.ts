// A model of an organization with containers, credits, a quota and keys, written apart from the emulator: it moves things
// step by step, where the emulator derives them. Campaigns compare the two after random histories of steps.

/** The steps of a deployment in turn; `ms` null: until somebody interferes. */
interface Phase {
  status: string;
  ms: number | null;
}

interface ModelDeployment {
  number: number;
  cpu: number;
  image: string;
  cost: number;
  isRefunded: boolean;
  status: string;
  rest: Phase[];
  /** When the present phase ends by itself. */
  until: number;
  hasRun: boolean;
  /** When its status changed, and when it failed without having run, as counts of what happened. */
  changed: number;
  ended: number;
}

export interface ModelContainer {
  project: string;
  /** The answer of the emulator. */
  id: string;
  deployments: ModelDeployment[];
  /** The last one that came to run, and that no later one replaced. */
  served: ModelDeployment | undefined;
}

interface ModelKey {
  limit: number;
  isActive: boolean;
  windowEnds: number;
  used: number;
}

export const stageMs = 10_000;
const usual: Phase[] = [
  { status: 'pending', ms: stageMs },
  { status: 'building', ms: stageMs },
  { status: 'deploying', ms: stageMs },
];
const running: Phase = { status: 'running', ms: null };
const failed: Phase = { status: 'failed', ms: null };
/** The failure modes that are tried; a unit of `running` is ten seconds too. */
const plans: Record<string, Phase[]> = {
  none: [...usual, running],
  'image-not-found': [...usual.slice(0, 2), { status: 'deploying', ms: 5_000 }, failed],
  'stack-rollback': [...usual.slice(0, 2), { status: 'deploying', ms: 7_000 }, failed],
  'flapping-health': [...usual, { status: 'running', ms: 10_000 }, { status: 'failed', ms: 5_000 }, running],
  'oom-later': [...usual, { status: 'running', ms: 20_000 }, failed],
};
export const modes = Object.keys(plans);

const isStage = (status: string): boolean => usual.some((stage) => stage.status === status);
const quotas = [
  [100, 100],
  [10, 25],
  [1, 5],
  [0, 1],
] as const;

export class Model {
  now = 0;
  /** In cents, as the prices are. */
  balance: number;
  readonly containers = new Map<string, ModelContainer>();
  readonly keys = new Map<string, ModelKey>();
  private happened = 0;

  constructor(balance: number) {
    this.balance = balance;
  }

  /** The status of a POST, and what it does if it is 202. */
  deploy(
    project: string,
    id: () => string,
    fields: { cpu: number; image: string; count: number; mode: string },
  ): number {
    const existing = this.containers.get(project);
    const max = quotas.find(([from]) => this.balance >= from * 100)?.[1] ?? 1;
    if (existing === undefined && this.containers.size >= max) return 403;
    const cost = 50 + 5 * (fields.count - 1);
    if (this.balance < cost) return 402;
    this.balance -= cost;
    const container = existing ?? { project, id: id(), deployments: [], served: undefined };
    this.containers.set(project, container);
    this.begin(container, fields, cost);
    return 202;
  }

  change(container: ModelContainer, cpu: number | undefined, image: string | undefined, mode: string): number {
    const base = this.shown(container);
    const isPaid = container.deployments.some(({ cost, isRefunded }) => cost > 0 && !isRefunded);
    const cost = isPaid ? 0 : 50;
    if (this.balance < cost) return 402;
    this.balance -= cost;
    this.begin(container, { cpu: cpu ?? base.cpu, image: image ?? base.image, mode }, cost);
    return 200;
  }

  remove(container: ModelContainer): void {
    for (const one of container.deployments) if (!one.hasRun && one.ended === 0) this.refund(one);
    this.containers.delete(container.project);
  }

  /** Whether an intervention is possible, and what it does. */
  intervene(container: ModelContainer, kind: 'crash' | 'stop' | 'recover' | 'skip' | 'fail'): boolean {
    const shown = this.shown(container);
    const { served } = container;
    switch (kind) {
      case 'crash':
        if (served?.status !== 'running') return false;
        this.enter(container, served, [failed]);
        return true;
      case 'stop':
        if (shown.status === 'stopped') return false;
        for (const one of container.deployments) {
          const stands = served === undefined || one.number >= served.number;
          const isOpen = one === shown || (stands && (one === served || isStage(one.status)));
          if (isOpen && one.status !== 'stopped') this.enter(container, one, [{ status: 'stopped', ms: null }]);
        }
        return true;
      case 'recover':
        if (shown.status !== 'failed' && shown.status !== 'stopped') return false;
        this.enter(container, shown, [running]);
        return true;
      case 'skip': {
        const next = shown.rest.findIndex(({ status }) => status !== shown.status);
        if (next === -1) return false;
        this.enter(container, shown, shown.rest.slice(next));
        return true;
      }
      case 'fail':
        if (shown.status === 'failed') return false;
        this.enter(container, shown, [failed]);
        return true;
    }
  }

  /** Lets time pass; what is due happens in order, of one instant that of the older deployment first. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      let next: { container: ModelContainer; one: ModelDeployment } | undefined;
      for (const container of this.containers.values())
        for (const one of container.deployments)
          if (one.until <= end && (next === undefined || one.until < next.one.until)) next = { container, one };
      if (next === undefined) break;
      this.now = next.one.until;
      this.enter(next.container, next.one, next.one.rest.slice(1));
    }
    this.now = end;
  }

  /** The answer to a request with a key. */
  use(name: string): number {
    const key = this.keys.get(name);
    if (key === undefined || !key.isActive) return 401;
    if (this.now >= key.windowEnds) Object.assign(key, { windowEnds: this.now + 60_000, used: 0 });
    key.used++;
    return key.used > key.limit ? 429 : 200;
  }

  /** The deployment that gives the status. */
  shown({ deployments, served }: ModelContainer): ModelDeployment {
    const latest = deployments.at(-1) as ModelDeployment;
    if (latest === served || isStage(latest.status)) return latest;
    const onItsWay = deployments.findLast(
      ({ status, number }) => isStage(status) && (served === undefined || number > served.number),
    );
    return onItsWay ?? served ?? latest;
  }

  /** Whether an error is shown. */
  hasError(container: ModelContainer): boolean {
    const shown = this.shown(container);
    const latest = container.deployments.at(-1) as ModelDeployment;
    const ownError = shown.status === 'failed';
    if (shown === latest) return ownError;
    if (shown === container.served && shown.changed > latest.ended) return ownError;
    // A deployment that was stopped ended without an error.
    return latest.status !== 'stopped';
  }

  outcomeOf({ hasRun, status, ended }: ModelDeployment): string {
    if (isStage(status)) return 'pending';
    return hasRun && ended === 0 ? 'success' : 'failed';
  }

  private begin(container: ModelContainer, fields: { cpu: number; image: string; mode: string }, cost: number): void {
    const { cpu, image, mode } = fields;
    const number = container.deployments.length + 1;
    const one = { number, cpu, image, cost, isRefunded: false, status: '', rest: [], until: Infinity, hasRun: false };
    const added = { ...one, changed: 0, ended: 0 };
    container.deployments.push(added);
    this.enter(container, added, plans[mode] as Phase[]);
  }

  private enter(container: ModelContainer, one: ModelDeployment, phases: Phase[]): void {
    const [phase] = phases;
    if (phase === undefined) throw new Error('a deployment has no further phase');
    this.happened++;
    if (one.status !== phase.status) one.changed = this.happened;
    one.status = phase.status;
    one.rest = phases;
    one.until = phase.ms === null ? Infinity : this.now + phase.ms;
    if (phase.status === 'running') {
      if (container.served === undefined || container.served.number < one.number) container.served = one;
      if (one.ended === 0) one.hasRun = true;
    } else if (!isStage(phase.status) && !one.hasRun && one.ended === 0) {
      one.ended = this.happened;
      this.refund(one);
    }
  }

  private refund(one: ModelDeployment): void {
    if (one.isRefunded || one.cost === 0) return;
    one.isRefunded = true;
    this.balance += one.cost;
  }
}
