// What is expected of the things of a world at its end: containers, hosted agents, jobs, and how many there are of each kind.

import { fitsPattern } from '../../core/patterns.js';
import { iso } from '../../http/wire.js';
import { type ContainerState, containerAt } from '../../platform/containers/lifecycle/lifecycle.js';
import { type ContainerRecord, listContainers } from '../../platform/containers/store.js';
import { stateAt } from '../../platform/hosted-agents/lifecycle.js';
import { listHostedAgents } from '../../platform/hosted-agents/store.js';
import { listAnyJobs, presentJob } from '../../platform/jobs/named.js';
import type { World } from '../../world/world.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import type { Expectations } from './expect-schema.js';
import { countsOf, type Expectation, rangeText } from './expectation.js';
import type { Holding } from './holdings.js';

type ContainerExpectation = NonNullable<Expectations['containers']>[number];

/** Compares containers with what is expected of them. */
export function containerExpectation(
  world: World,
  { project, status }: ContainerExpectation,
  requests: readonly JournalEntry[],
): Expectation {
  const now = world.clock.now();
  const wanted: string[] = [status].flat();
  const projects = new Set<string>();
  const matching: { record: ContainerRecord; state: ContainerState }[] = [];
  for (const record of listContainers(world.db)) {
    if (!fitsPattern(project, record.project_name)) continue;
    // The newest comes first: it stands for those of its project that have failed or were stopped before.
    const ofProject = `${record.organization_id} ${record.project_name}`;
    if (projects.has(ofProject)) continue;
    projects.add(ofProject);
    matching.push({ record, state: containerAt(record.deployments, now) });
  }
  const wrong = matching.filter(({ state }) => !wanted.includes(state.status));
  const ok = matching.length === 0 ? wanted.includes('gone') : wrong.length === 0;
  return {
    what: `container ${project}`,
    ok,
    expected: wanted.join(' or '),
    // The request that made a container tells its project where the container is gone.
    seen: matching.length > 0 || requests.some(({ operation }) => operation === 'containers.create'),
    actual: matching.length === 0 ? 'gone' : [...new Set(matching.map(({ state }) => state.status))].join(', '),
    evidence: wrong.map(
      ({ record, state }) =>
        `${record.project_name} is ${state.status} since ${iso(state.since)}${state.error === null ? '' : `: ${state.error}`}`,
    ),
  };
}

type AgentExpectation = NonNullable<Expectations['hostedAgents']>[number];

const begins = (operation: string | null): boolean => operation === 'hostedAgents.create';

/** Compares hosted agents with what is expected of them. */
export function hostedAgentExpectation(
  world: World,
  { name, status }: AgentExpectation,
  requests: readonly JournalEntry[],
): Expectation {
  const now = world.clock.now();
  const wanted: string[] = [status].flat();
  const matching = listHostedAgents(world.db)
    .filter((agent) => fitsPattern(name, agent.name))
    .map((agent) => ({ agent, state: stateAt(agent, now) }))
    .filter(({ state }) => !state.gone);
  const wrong = matching.filter(({ state }) => !wanted.includes(state.status));
  return {
    what: `hosted agent ${name}`,
    ok: matching.length === 0 ? wanted.includes('gone') : wrong.length === 0,
    expected: wanted.join(' or '),
    seen: matching.length > 0 || requests.some(({ operation }) => begins(operation)),
    actual: matching.length === 0 ? 'gone' : [...new Set(matching.map(({ state }) => state.status))].join(', '),
    evidence: wrong.map(
      ({ agent, state }) =>
        `${agent.name} is ${state.status} since ${iso(state.since)}${state.error === null ? '' : `: ${state.error}`}`,
    ),
  };
}

type JobExpectation = NonNullable<Expectations['jobs']>[number];

const shownJobs = 10;

/** Compares the number of jobs with what is expected. */
export function jobExpectation(world: World, wanted: JobExpectation, requests: readonly JournalEntry[]): Expectation {
  const { type, name, status } = wanted;
  const statuses: string[] | undefined = status === undefined ? undefined : [status].flat();
  const now = world.clock.now();
  const of = listAnyJobs(world)
    .map((job) => presentJob(job, now))
    .filter((job) => (type === undefined || job.type === type) && (name === undefined || fitsPattern(name, job.name)));
  const fitting = of.filter((job) => statuses?.includes(job.status) ?? true);
  const { min, max } = countsOf(wanted);
  const ok = fitting.length >= min && fitting.length <= max;
  const words = [type, name === undefined ? name : `of ${name}`, statuses && `that are ${statuses.join(' or ')}`];
  return {
    what: ['jobs', ...words.filter((word) => word !== undefined)].join(' '),
    ok,
    expected: rangeText(min, max),
    actual: String(fitting.length),
    seen: of.length > 0 || requests.length > 0,
    evidence: ok
      ? []
      : of
          .slice(0, shownJobs)
          .map((job) => `${job.type} of ${job.name} is ${job.status}${job.error === null ? '' : `: ${job.error}`}`),
    ...(wanted.orFails === true && { orFails: true }),
  };
}

type HoldingExpectation = NonNullable<Expectations['holdings']>[number];

/** Compares the number of things of a kind with what is expected. */
export function holdingExpectation(
  wanted: HoldingExpectation,
  all: readonly Holding[],
  requests: readonly JournalEntry[],
): Expectation {
  const { kind, name = '*' } = wanted;
  const ofKind = all.filter((one) => one.kind === kind);
  const fitting = ofKind.filter((one) => fitsPattern(name, one.name));
  const { min, max } = countsOf(wanted);
  const ok = fitting.length >= min && fitting.length <= max;
  return {
    what: `${kind}s${wanted.name === undefined ? '' : ` named ${name}`}`,
    ok,
    expected: rangeText(min, max),
    actual: String(fitting.length),
    // Without a request nothing was created or deleted.
    seen: ofKind.length > 0 || requests.length > 0,
    evidence: ok || ofKind.length === 0 ? [] : [`there are: ${namesOf(ofKind)}`],
    ...(wanted.orFails === true && { orFails: true }),
  };
}

const shownNames = 10;

function namesOf(all: readonly Holding[]): string {
  const names = all.slice(0, shownNames).map(({ name }) => name);
  return [...names, ...(all.length > shownNames ? [`${all.length - shownNames} more`] : [])].join(', ');
}
