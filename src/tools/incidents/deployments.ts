// How deployments went that the recording began: when they changed their status, and which failure mode it was.

import { filesIn, fixturePath, readText } from '../../core/files.js';
import { memoizeLast } from '../../core/memoize-last.js';
import type { Tree } from '../../core/tree.js';
import {
  type Failure,
  failureSchema,
  isStage,
  type Stage,
  type Status,
  stages,
  statuses,
} from '../../platform/containers/lifecycle/phases.js';
import { answerOf, type Exchange, isWrite, succeeded, treeIn, treesIn } from './exchange.js';
import { type Fact, factOf } from './facts.js';

/** A deployment that a request began. */
export interface Deployment {
  exchange: Exchange;
  project: string;
  /** Its number among those of its project, from 1. */
  number: number;
  /** The failure modes that fit, the likeliest first; null: none. */
  modes: (string | null)[];
  /** Its times with one of the modes. */
  timingWith: (mode: string | null) => Tree | undefined;
  facts: Fact[];
}

interface Sighting {
  at: number;
  status: Status;
  error: string | null;
  index: number;
}

/** A container in an answer. */
interface Shown extends Pick<Tree, 'id' | 'status' | 'project_name' | 'error_message'> {
  exchange: Exchange;
}

/** The deployments of a recording. */
export function deploymentsOf(exchanges: readonly Exchange[]): Deployment[] {
  const counts = new Map<string, number>();
  const creates = exchanges.filter(
    ({ operation, status }) =>
      operation === 'containers.create' && (succeeded({ status }) || status === 0 || status >= 500),
  );
  const all = creates.length === 0 ? [] : containersIn(exchanges);
  return creates.flatMap((exchange): Deployment[] => {
    const body = treeIn(exchange.body);
    const shown = treesIn(answerOf(exchange)).find((tree) => typeof tree.project_name === 'string');
    const project = String(body?.project_name ?? shown?.project_name ?? body?.name ?? '');
    if (project === '') return [];
    const number = (counts.get(project) ?? 0) + 1;
    // What was lost may not have begun; a rule of its own decides that.
    if (succeeded(exchange)) counts.set(project, number);
    const next =
      creates[
        creates.indexOf(exchange) +
          1 +
          creates.slice(creates.indexOf(exchange) + 1).findIndex((one) => treeIn(one.body)?.project_name === project)
      ];
    const until =
      next === undefined || next === exchange || treeIn(next.body)?.project_name !== project ? Infinity : next.actedAt;
    const seen = sightingsOf(all, project, exchange, until);
    const last = seen.at(-1);
    const facts: Fact[] = [];
    const name = `Deployment ${number} of ${project}`;
    if (last === undefined) facts.push(factOf('unknown', `${name}: nothing shows how it went`, [exchange.index]));
    else
      facts.push(
        factOf(
          'seen',
          `${name} was last ${last.status}${last.error === null ? '' : `: ${last.error.slice(0, 200)}`}`,
          seen.map(({ index }) => index).slice(0, 20),
          '/containers',
        ),
      );
    const modes = last?.status === 'failed' ? modesFor(last.error, seen) : [null];
    if (modes.length > 1)
      facts.push(
        factOf(
          'assumed',
          `${name} failed as one of ${modes.slice(0, 5).join(', ')}: they have the same error`,
          last === undefined ? [] : [last.index],
          '/containers',
        ),
      );
    return [{ exchange, project, number, modes, timingWith: (mode) => timingOf(exchange, seen, mode), facts }];
  });
}

/** The containers that answers show, in their order. */
function containersIn(exchanges: readonly Exchange[]): Shown[] {
  const telling = exchanges.filter(
    (one) => succeeded(one) && /^containers\.(?!delete)/.test(one.operation ?? '') && one.text !== null,
  );
  return telling.flatMap((exchange) =>
    treesIn(answerOf(exchange)).flatMap(({ id, status, project_name, error_message }): Shown[] =>
      id === undefined && project_name === undefined ? [] : [{ exchange, id, status, project_name, error_message }],
    ),
  );
}

/** Every status of a project's container that answers show, from a request on. */
function sightingsOf(all: readonly Shown[], project: string, begun: Exchange, until: number): Sighting[] {
  const ids = new Set<unknown>();
  return all.flatMap(({ exchange, id, status, project_name, error_message }): Sighting[] => {
    if (exchange.actedAt < begun.actedAt || exchange.actedAt >= until) return [];
    if (project_name === project && typeof id === 'string') ids.add(id);
    else if (!ids.has(String(id))) return [];
    // A word that the platform does not have says nothing of the stage.
    if (!(statuses as readonly unknown[]).includes(status)) return [];
    const error = typeof error_message === 'string' ? error_message : null;
    return [{ at: exchange.actedAt, status: status as Status, error, index: exchange.index }];
  });
}

/** The shipped failure modes by name. */
export const failures = memoizeLast((_: undefined): ReadonlyMap<string, Failure> => {
  const dir = fixturePath('failures');
  const files = filesIn(dir).filter((file) => file.endsWith('.json'));
  return new Map(
    files.map((file) => [file.slice(0, -5), failureSchema.parse(JSON.parse(readText(fixturePath('failures', file))))]),
  );
});

/** The modes whose error fits, and that ran first where it did. */
function modesFor(error: string | null, seen: readonly Sighting[]): string[] {
  const hasRun = seen.some(({ status }) => status === 'running');
  const fitting = [...failures(undefined)].filter(([, { phases }]) => {
    const failed = phases.find(({ status }) => status === 'failed');
    return failed?.error !== undefined && (error === null || errorPattern(failed.error).test(error));
  });
  const runs = ({ phases }: Failure): boolean => phases.some(({ status }) => status === 'running');
  const sorted = fitting
    .sort(([, a], [, b]) => Number(runs(b) === hasRun) - Number(runs(a) === hasRun))
    .map(([mode]) => mode);
  return sorted.length > 0 ? sorted.slice(0, 4) : ['stack-rollback'];
}

const errorPattern = (template: string): RegExp =>
  new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '.*')}$`, 's');

/** The times of the stages with which a status was seen when it was; undefined: nothing says more than the usual ones. */
function timingOf(begun: Exchange, seen: readonly Sighting[], mode: string | null): Tree | undefined {
  const start = begun.actedAt;
  const told = expectedOf(begun);
  if (seen.every(({ at }) => at <= start) && told === undefined) return undefined;
  const ends = endsOf(start, seen, told);
  const failure = mode === null ? undefined : failures(undefined).get(mode);
  const times: Tree = {};
  let before = 0;
  for (const stage of stages) {
    const lasts = ends[stage] - before;
    before = ends[stage];
    times[stage] = Math.max(0, Math.round(lasts / factorOf(failure, stage)));
  }
  if (failure === undefined) return times;
  const failed = ends.failed ?? before;
  const runs = factorOf(failure, 'running');
  if (failure.phases.some(({ status }) => status === 'running'))
    times.running = Math.max(1, Math.round((failed - ends.deploying) / runs));
  if (failure.phases.some(({ lasts }) => lasts === 'limit')) times.limit = Math.max(1, Math.round(failed));
  return times;
}

/** How many times the usual length a stage of a failure mode lasts. */
function factorOf(failure: Failure | undefined, status: Stage | 'running'): number {
  const own = (failure?.phases ?? []).filter((phase) => phase.status === status).map(({ lasts }) => lasts);
  const sum = own.reduce<number>((all, lasts) => all + (typeof lasts === 'number' ? lasts : 0), 0);
  return sum > 0 ? sum : 1;
}

/** How long the platform expects a deployment to take, as the answer to a creation says. */
export const expectedOf = (exchange: Exchange): number | undefined => {
  if (exchange.operation !== 'containers.create') return undefined;
  const expected = Number((answerOf(exchange)?.polling as Tree | undefined)?.expectedDurationMs ?? Number.NaN);
  return Number.isFinite(expected) ? expected : undefined;
};

type Ends = Record<Stage, number> & { failed?: number };

/** When each stage ended, counted from the start: half-way between the last look that saw it and the first that did not. */
function endsOf(start: number, seen: readonly Sighting[], told: number | undefined): Ends {
  const rank = (status: Status): number =>
    isStage(status) ? stages.indexOf(status) : status === 'running' ? stages.length : stages.length + 1;
  const endOf = (upTo: number): number | undefined => {
    const after = seen.find(({ status }) => rank(status) > upTo);
    if (after === undefined) return undefined;
    const before = seen.filter(({ at, status }) => at <= after.at && rank(status) <= upTo).at(-1)?.at ?? start;
    return (before + after.at) / 2 - start;
  };
  const lastSeen = (seen.at(-1)?.at ?? start) - start;
  const total = Math.max(told ?? 0, lastSeen + 1_000);
  const pending = endOf(0) ?? total / 6;
  const building = Math.max(pending, endOf(1) ?? Math.max(total / 2, pending));
  const deploying = Math.max(building, endOf(2) ?? Math.max(total, building));
  const failed = endOf(3);
  return { pending, building, deploying, ...(failed !== undefined && { failed }) };
}

/** Whether an exchange is one that may have begun something without saying so. */
export const isLost = (exchange: Exchange): boolean =>
  isWrite(exchange) && (exchange.status === 0 || exchange.status >= 500);
