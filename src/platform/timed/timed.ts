// What moves in time: containers, hosted agents and jobs. Their statuses follow from what is stored and the clock, so events,
// awaits and the forecast of the timeline are functions of this.

import { lastOccurrence } from '../../db/occurrences.js';
import type { World } from '../../world/world.js';
import { transitionsAhead } from '../containers/lifecycle/forecast.js';
import { historyOf } from '../containers/lifecycle/history.js';
import { containerAt } from '../containers/lifecycle/lifecycle.js';
import { rankWithin } from '../containers/lifecycle/timeline.js';
import { type ContainerRecord, findContainer, listContainers } from '../containers/store.js';
import { historyOfAgent, stepsOf } from '../hosted-agents/history.js';
import { endOfJob, stateAt } from '../hosted-agents/lifecycle.js';
import { findHostedAgent, type HostedAgent, listHostedAgents, listJobsOfAgent } from '../hosted-agents/store.js';
import { type AnyJob, factsOf, findAnyJob, idOf, listAnyJobs, outlookOf, stepsOfJob } from '../jobs/named.js';

/** A place among all that happens in a world. */
export interface Place {
  at: number;
  /** The rank at that instant. */
  order: number;
}

/** A status from an instant on. */
export interface Step extends Place {
  status: string;
  error: string | null;
}

export interface Timed {
  /** Its kind and id; the topic of the world's bus that announces a change of it. */
  topic: string;
  kind: 'container' | 'hosted-agent' | 'job';
  id: string;
  /** What events tell of it beside its id. */
  named: Record<string, string>;
  /** As the timeline names it. */
  title: string;
  /** The statuses that it has had by an instant, oldest first. */
  stepsAt(now: number): Step[];
  /** Its last statuses, once nothing of it is stored any more. */
  lastSteps(now: number): Step[];
  /** When time changes its status next; null: it does not. */
  nextAt(now: number): number | null;
  /** The statuses that time still leads it to, the earliest first. */
  ahead(now: number): { at: number; status: string }[];
}

/** What a topic announces; undefined: it is another topic, or nothing of it is stored. */
export function findTimed(world: World, topic: string): Timed | undefined {
  const id = topic.slice(topic.indexOf(':') + 1);
  if (topic.startsWith('container:')) {
    const record = findContainer(world.db, id);
    return record === undefined ? undefined : timedContainer(world, record);
  }
  if (topic.startsWith('hosted-agent:')) {
    const agent = findHostedAgent(world.db, id);
    return agent === undefined ? undefined : timedAgent(world, agent);
  }
  const job = topic.startsWith('job:') ? findAnyJob(world, id) : undefined;
  return job === undefined ? undefined : timedJob(job);
}

export function listTimed(world: World): Timed[] {
  return [
    ...listContainers(world.db).map((record) => timedContainer(world, record)),
    ...listHostedAgents(world.db).map((agent) => timedAgent(world, agent)),
    ...listAnyJobs(world).map(timedJob),
  ];
}

/** The place after all that has happened by now. */
export function placeNow({ db }: World, now: number): Place {
  return { at: now, order: rankWithin(lastOccurrence(db), afterAll) };
}

// Among what follows an occurrence.
const afterAll = 90;

function timedContainer(world: World, record: ContainerRecord): Timed {
  const { id, project_name, deployments } = record;
  return {
    topic: `container:${id}`,
    kind: 'container',
    id,
    named: { project_name },
    title: `Container ${project_name}`,
    stepsAt(now) {
      const state = containerAt(deployments, now);
      return historyOf(world.db, record, now).map(({ status, at, order }) => ({
        status,
        at,
        order,
        error: status === state.status ? state.error : null,
      }));
    },
    lastSteps: (now) => [{ ...placeNow(world, now), status: 'deleted', error: null }],
    nextAt: (now) => containerAt(deployments, now).nextAt,
    ahead: (now) => transitionsAhead(record, now),
  };
}

function timedAgent(world: World, agent: HostedAgent): Timed {
  const { id, name } = agent;
  // Of one that is gone the acts are gone, too: only its deletion can be new. A shared agent goes at once, others by a job.
  const lastSteps = (now: number): Step[] => {
    const deletion = listJobsOfAgent(world.db, id).find(({ type }) => type === 'agent_delete');
    const deleted = { status: 'deleted', error: null };
    if (deletion === undefined) return [...stepsOf(agent, now, [], []), { ...placeNow(world, now), ...deleted }];
    const order = rankWithin(deletion.act?.turn ?? deletion.occurrence, afterAll);
    const at = Math.min(now, endOfJob(deletion).at);
    return [...stepsOf(agent, now, [deletion], []), { at, order, ...deleted }];
  };
  return {
    topic: `hosted-agent:${id}`,
    kind: 'hosted-agent',
    id,
    named: { name },
    title: `Hosted agent ${name}`,
    stepsAt: (now) => (stateAt(agent, now).gone ? lastSteps(now) : historyOfAgent(world, agent, now)),
    lastSteps,
    nextAt: (now) => stateAt(agent, now).nextAt,
    ahead(now) {
      const at = agent.job === null ? 0 : endOfJob(agent.job).at;
      if (at <= now || at === Infinity) return [];
      const { status, gone } = stateAt(agent, at);
      if (gone) return [{ at, status: 'deleted' }];
      return status === stateAt(agent, now).status ? [] : [{ at, status }];
    },
  };
}

function timedJob(job: AnyJob): Timed {
  const id = idOf(job);
  const { type, name, end, stateOf } = factsOf(job);
  return {
    topic: `job:${id}`,
    kind: 'job',
    id,
    named: { type, name },
    title: titleOfJob(job),
    stepsAt: (now) => stepsOfJob(job, now),
    lastSteps: () => [],
    nextAt: (now) => stateOf(now).nextAt,
    ahead(now) {
      const { ahead, nextAt } = outlookOf(job, now);
      if (nextAt === null) return [];
      const isEnd = (status: string): boolean => status === 'completed' || status === 'failed';
      return ahead.map((status) => ({ at: isEnd(status) ? end.at : nextAt, status }));
    },
  };
}

/** A job, as the timeline names it. */
export function titleOfJob({ voice, agent }: AnyJob): string {
  if (voice !== undefined) return `Cloning of voice ${voice.voice_name}`;
  const verb = agent.type.replace('agent_', '').replace(/^./, (first) => first.toUpperCase());
  return `${verb} hosted agent ${agent.agent_name}`;
}
