// Reports each status that hosted agents and jobs reach, at its instant, to a listener.

import { lastOccurrence } from '../../db/occurrences.js';
import { iso } from '../../http/wire.js';
import { createRounds } from '../../world/rounds.js';
import type { World } from '../../world/world.js';
import { rankWithin } from '../containers/timeline.js';
import { historyOfAgent, stepsOf } from '../hosted-agents/history.js';
import { agentJobAt, endOfJob, stateAt } from '../hosted-agents/lifecycle.js';
import {
  type AgentJob,
  type AgentStatus,
  findHostedAgent,
  type HostedAgent,
  listHostedAgents,
  listJobsOfAgent,
} from '../hosted-agents/store.js';
import { type AnyJob, type AnyJobStatus, findAnyJob, idOf, listAnyJobs } from '../jobs/named.js';
import { stepsOfJob } from '../jobs/steps.js';
import { jobAt } from '../voice/jobs.js';

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

export type AgentEvent = { type: 'hosted-agent'; data: HostedAgentChange } | { type: 'job'; data: JobChange };

export interface AgentWatch {
  /** What a topic of the bus names was changed; other topics are ignored. */
  hear(topic: string): void;
  /** All data were replaced: statuses that exist now are not reported as changes. */
  restart(): void;
  close(): void;
}

interface Place {
  at: number;
  order: number;
}

const agentTopic = 'hosted-agent:';
const jobTopic = 'job:';
// Among what follows an occurrence.
const afterAll = 90;

const nextOf = ({ voice, agent }: AnyJob, now: number): number | null =>
  (voice === undefined ? agentJobAt(agent, now) : jobAt(voice, now)).nextAt;

const isAfter = (one: Place, other: Place): boolean =>
  one.at > other.at || (one.at === other.at && one.order > other.order);

/**
 * Watches all hosted agents and jobs of a world; statuses that they already have are not reported. Only jobs move by time, and
 * agents with them.
 *
 * @param giveUp called when the world's data cannot be read: nothing is reported any more
 */
export function watchAgents(
  world: World,
  tell: (event: AgentEvent) => void,
  giveUp: (error: unknown) => void,
): AgentWatch {
  const { clock, db } = world;
  let beginning: Place & { epoch: number };
  /** The last status of each thing that was reported. */
  let told = new Map<string, Place>();
  /** When each job that has not ended moves next. */
  let moving = new Map<string, number>();
  /** Agents as they were seen last: of one that is gone no row has the name. */
  let known = new Map<string, HostedAgent>();
  let touched = new Set<string>();

  let found: (Place & { event: AgentEvent })[] = [];
  function note(key: string, steps: readonly (Place & { event: AgentEvent })[]): void {
    const since = told.get(key) ?? beginning;
    const later = steps.filter((step) => isAfter(step, since));
    found.push(...later);
    const last = later.at(-1);
    if (last !== undefined) told.set(key, last);
  }

  function lookAtJob(id: string, now: number): void {
    const job = findAnyJob(world, id);
    const next = job === undefined ? null : nextOf(job, now);
    if (next === null) moving.delete(id);
    else moving.set(id, next);
    if (job === undefined) return;
    const { type, name } =
      job.voice === undefined
        ? { type: job.agent.type, name: job.agent.agent_name }
        : { type: 'voice_clone', name: job.voice.voice_name };
    const steps = stepsOfJob(job, now).map(({ status, at, order, error }) => {
      const data: JobChange = { id, type, name, status, at: iso(at), error };
      return { at, order, event: { type: 'job' as const, data } };
    });
    note(jobTopic + id, steps);
    if (job.agent !== undefined) lookAtAgent(job.agent.agent_id, now);
  }

  function lookAtAgent(id: string, now: number): void {
    const stored = findHostedAgent(db, id);
    const agent = stored ?? known.get(id);
    if (agent === undefined) return;
    const step = ({ at, order, status, error }: Place & Pick<HostedAgentChange, 'status' | 'error'>) => {
      const data: HostedAgentChange = { id, name: agent.name, status, at: iso(at), error };
      return { at, order, event: { type: 'hosted-agent' as const, data } };
    };
    const isThere = stored !== undefined && !stateAt(stored, now).gone;
    // Of one that is gone the acts are gone, too: only its deletion can be new.
    const deletion = isThere ? undefined : listJobsOfAgent(db, id).find(({ type }) => type === 'agent_delete');
    const jobs = deletion === undefined ? [] : [deletion];
    const history = isThere ? historyOfAgent(world, stored, now) : stepsOf(agent, now, jobs, []);
    const steps = history.map(step);
    if (isThere) known.set(id, stored);
    else {
      steps.push(step({ ...endOf(deletion, now), status: 'deleted', error: null }));
      known.delete(id);
    }
    note(agentTopic + id, steps);
  }
  // A shared agent goes at once, a dedicated one by a job.
  function endOf(deletion: AgentJob | undefined, now: number): Place {
    if (deletion === undefined) return { at: now, order: rankWithin(lastOccurrence(db), afterAll) };
    const { act, occurrence } = deletion;
    return { at: Math.min(now, endOfJob(deletion).at), order: rankWithin(act?.turn ?? occurrence, afterAll) };
  }

  const rounds = createRounds(world, {
    nextAt: () => (touched.size > 0 ? clock.now() : nextMove()),
    async look(isOver) {
      // The change that is announced may still be under way.
      await Promise.resolve();
      while (!isOver() && (touched.size > 0 || nextMove() <= clock.now())) {
        const settling = world.settleInParts(clock.now());
        if (settling !== undefined) await settling;
        if (!isOver()) report();
      }
    },
    giveUp,
  });
  function nextMove(): number {
    let next = Infinity;
    for (const at of moving.values()) next = Math.min(next, at);
    return next;
  }
  function report(): void {
    const now = clock.now();
    const due = [...moving].filter(([, at]) => at <= now).map(([id]) => jobTopic + id);
    const keys = new Set([...touched, ...due]);
    touched = new Set();
    for (const key of keys)
      if (key.startsWith(jobTopic)) lookAtJob(key.slice(jobTopic.length), now);
      else lookAtAgent(key.slice(agentTopic.length), now);
    const sorted = found.sort((a, b) => a.at - b.at || a.order - b.order);
    found = [];
    for (const { event } of sorted) tell(event);
  }
  function restart(): void {
    const now = clock.now();
    beginning = { at: now, order: rankWithin(lastOccurrence(db), afterAll), epoch: world.epoch };
    told = new Map();
    found = [];
    touched = new Set();
    known = new Map(listHostedAgents(db).map((agent) => [agent.id, agent]));
    moving = new Map(
      listAnyJobs(world).flatMap((job): [string, number][] => {
        const next = nextOf(job, now);
        return next === null ? [] : [[idOf(job), next]];
      }),
    );
    rounds.restart();
    rounds.arm();
  }

  restart();
  return {
    hear(topic) {
      if (!topic.startsWith(agentTopic) && !topic.startsWith(jobTopic)) return;
      // The world holds other data, which `restart` will say.
      if (world.epoch !== beginning.epoch) return;
      touched.add(topic);
      rounds.begin();
    },
    restart,
    close: rounds.close,
  };
}
