// Reports each status that containers, hosted agents and jobs reach, at its instant, to a listener.

import { iso } from '../../http/wire.js';
import type { Status } from '../../platform/containers/lifecycle/phases.js';
import type { AgentStatus } from '../../platform/hosted-agents/store.js';
import type { AnyJobStatus } from '../../platform/jobs/named.js';
import { findTimed, listTimed, type Place, placeNow, type Step, type Timed } from '../../platform/timed/timed.js';
import type { World } from '../../world/world.js';

/** A container reached a status; `deleted` is its last. */
export interface ContainerChange {
  /** The container's id. */
  id: string;
  project_name: string;
  /** The new status. */
  status: Status | 'deleted';
  /** The instant in virtual time. */
  at: string;
  /** The failure of the container, or null. */
  error: string | null;
}

/** A hosted agent reached a status; `deleted` is its last. */
export interface HostedAgentChange {
  id: string;
  name: string;
  status: AgentStatus | 'deleted';
  /** The instant in virtual time. */
  at: string;
  /** Why, if a job failed or an intervention said so. */
  error: string | null;
}

/** A job of a hosted agent, or one that clones a voice, reached a status. */
export interface JobChange {
  id: string;
  /** `agent_wake`, `voice_clone` … */
  type: string;
  /** The name of its agent or voice. */
  name: string;
  status: AnyJobStatus;
  at: string;
  error: string | null;
}

export type StatusEvent =
  | { type: 'container'; data: ContainerChange }
  | { type: 'hosted-agent'; data: HostedAgentChange }
  | { type: 'job'; data: JobChange };

const topics = ['container:', 'hosted-agent:', 'job:'];

const isAfter = (one: Place, other: Place): boolean =>
  one.at > other.at || (one.at === other.at && one.order > other.order);

/** Watches all that moves in a world; statuses that things already have are not reported. */
export class StatusWatch {
  readonly #world: World;
  readonly #tell: (event: StatusEvent) => void;
  readonly #giveUp: (error: unknown) => void;
  /** Another object each time that all data were replaced. */
  #beginning: Place & { epoch: number };
  /** The round of looking at what is due that is under way. */
  #round: Promise<void> | undefined;
  #cancelSleep: (() => void) | undefined;
  #isClosed = false;
  /** Things as they were seen last: of one that is gone nothing is stored. */
  #known = new Map<string, Timed>();
  /** The last status of each that was reported. */
  #told = new Map<string, Place>();
  /** When each moves next by itself. */
  #moving = new Map<string, number>();
  #touched = new Set<string>();

  /** @param giveUp called when the world's data cannot be read: nothing is reported any more */
  constructor(world: World, tell: (event: StatusEvent) => void, giveUp: (error: unknown) => void) {
    this.#world = world;
    this.#tell = tell;
    this.#beginning = { ...placeNow(world, world.clock.now()), epoch: world.epoch };
    this.#giveUp = giveUp;
    this.restart();
  }

  /** What a topic of the bus names was changed; other topics are ignored. */
  hear(topic: string): void {
    if (!topics.some((begin) => topic.startsWith(begin))) return;
    // The world holds other data, which `restart` will say.
    if (this.#world.epoch !== this.#beginning.epoch) return;
    this.#touched.add(topic);
    this.#catchUp().catch(this.#giveUp);
  }

  /** Resolves when all that is due has been looked at, or the round is over; an advance waits for those that it wakes. */
  #catchUp(): Promise<void> {
    if (this.#round !== undefined) return this.#round;
    const { clock } = this.#world;
    const begun = this.#lookAround();
    this.#round = begun;
    this.#cancelSleep?.();
    this.#cancelSleep = clock.sleepUntil(clock.now() + 1, () => begun.catch(this.#giveUp));
    return begun;
  }

  async #lookAround(): Promise<void> {
    const world = this.#world;
    const from = this.#beginning;
    const isOver = (): boolean =>
      this.#isClosed || world.isClosed || this.#beginning !== from || world.epoch !== from.epoch;
    try {
      await this.#look(isOver);
    } catch (error) {
      if (!isOver()) throw error;
    } finally {
      if (this.#beginning === from) this.#round = undefined;
    }
    if (!isOver()) this.#arm();
  }

  // Begins a round when something is due; the one that is under way arms the next one at its end.
  #arm(): void {
    if (this.#round !== undefined) return;
    this.#cancelSleep?.();
    this.#cancelSleep = undefined;
    const { clock } = this.#world;
    const next = this.#touched.size > 0 ? clock.now() : this.#nextMove();
    // Time may have moved since; then no timer would fire any more.
    if (next <= clock.now()) this.#catchUp().catch(this.#giveUp);
    else if (next !== Infinity) this.#cancelSleep = clock.sleepUntil(next, () => this.#catchUp().catch(this.#giveUp));
  }

  /** All data were replaced: statuses that exist now are not reported as changes. */
  restart(): void {
    const now = this.#world.clock.now();
    this.#beginning = { ...placeNow(this.#world, now), epoch: this.#world.epoch };
    this.#told.clear();
    this.#touched.clear();
    this.#known.clear();
    this.#moving.clear();
    for (const thing of listTimed(this.#world)) this.#keep(thing, now);
    this.#round = undefined;
    this.#arm();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelSleep?.();
  }

  #keep(thing: Timed, now: number): void {
    this.#known.set(thing.topic, thing);
    const next = thing.nextAt(now);
    if (next === null) this.#moving.delete(thing.topic);
    else this.#moving.set(thing.topic, next);
  }

  #nextMove(): number {
    let next = Infinity;
    for (const at of this.#moving.values()) next = Math.min(next, at);
    return next;
  }

  async #look(isOver: () => boolean): Promise<void> {
    const { clock } = this.#world;
    // The change that is announced may still be under way.
    await Promise.resolve();
    while (!isOver() && (this.#touched.size > 0 || this.#nextMove() <= clock.now())) {
      // What falls due from here on belongs to the next round: it is not settled yet.
      const now = clock.now();
      const settling = this.#world.settleInParts(now);
      if (settling !== undefined) await settling;
      if (!isOver()) this.#report(now);
    }
  }

  #report(now: number): void {
    const due = [...this.#moving].filter(([, at]) => at <= now).map(([topic]) => topic);
    const topicsNow = new Set([...this.#touched, ...due]);
    this.#touched.clear();
    const found: { step: Step; thing: Timed }[] = [];
    for (const topic of topicsNow) {
      const stored = findTimed(this.#world, topic);
      const thing = stored ?? this.#known.get(topic);
      if (thing === undefined) continue;
      const since = this.#told.get(topic) ?? this.#beginning;
      const steps = stored === undefined ? thing.lastSteps(now) : stored.stepsAt(now);
      const later = steps.filter((step) => isAfter(step, since));
      found.push(...later.map((step) => ({ step, thing })));
      this.#told.set(topic, later.at(-1) ?? since);
      this.#known.delete(topic);
      this.#moving.delete(topic);
      if (stored !== undefined) this.#keep(stored, now);
    }
    found.sort((a, b) => a.step.at - b.step.at || a.step.order - b.step.order);
    for (const { step, thing } of found) {
      const { status, at, error } = step;
      const data = { id: thing.id, ...thing.named, status, at: iso(at), error };
      this.#tell({ type: thing.kind, data } as StatusEvent);
    }
  }
}
