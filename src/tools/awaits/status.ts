// Waiting for a container, a hosted agent or a job to have a status.

import * as z from 'zod';
import { findOrganization } from '../../platform/accounts/store.js';
import { namedContainer } from '../../platform/containers/access.js';
import { showContainer } from '../../platform/containers/control.js';
import { nextMidnight } from '../../platform/containers/lifecycle/billing.js';
import { forecastAt } from '../../platform/containers/lifecycle/forecast.js';
import { containerAt } from '../../platform/containers/lifecycle/lifecycle.js';
import { statuses } from '../../platform/containers/lifecycle/phases.js';
import { dailyPrice } from '../../platform/containers/lifecycle/pricing.js';
import { type ContainerRecord, findContainer } from '../../platform/containers/store.js';
import { runningOf } from '../../platform/containers/wire/quota.js';
import { namedHostedAgent } from '../../platform/hosted-agents/access.js';
import { showHostedAgent } from '../../platform/hosted-agents/control.js';
import { agentStatuses, findHostedAgent } from '../../platform/hosted-agents/store.js';
import { allJobStatuses, idOf, namedJob, showJob } from '../../platform/jobs/named.js';
import { findTimed, type Timed } from '../../platform/timed/timed.js';
import type { Look, Subject } from '../../world/waiting.js';
import type { World } from '../../world/world.js';

const anyOf = <Status extends z.ZodEnum>(status: Status, also = '') =>
  z
    .union([status, z.array(status).min(1).max(status.options.length)])
    .describe(`A status, or a list of statuses any of which is enough${also}`);

export const containerCondition = z.lazy(() =>
  z.object({
    container: z.string().describe('Container id or project_name'),
    status: anyOf(z.enum(statuses)),
  }),
);

/** Holds when the container (an id or a project_name) has the status, or one of several. */
export type ContainerCondition = z.input<typeof containerCondition>;

export const jobCondition = z.lazy(() =>
  z.object({
    job: z.string().describe('Job id, or the id of its voice or hosted agent'),
    status: anyOf(z.enum(allJobStatuses)),
  }),
);

/** Holds when the job (an id, or that of its voice or hosted agent) has the status, or one of several. */
export type JobCondition = z.input<typeof jobCondition>;

export const hostedAgentCondition = z.lazy(() =>
  z.object({
    agent: z.string().describe('Id or name of a hosted agent'),
    status: anyOf(z.enum([...agentStatuses, 'deleted']), '; deleted: it is gone'),
  }),
);

/** Holds when the hosted agent (an id or a name) has the status, or one of several. */
export type HostedAgentCondition = z.input<typeof hostedAgentCondition>;

/** What is waited for, as the world has it. */
interface Waited {
  topic: string;
  /** As messages name it. */
  title: string;
  /** As the answer shows it. */
  show(): { status: string; error: string | null };
  /** What lies ahead: the statuses to come, when time changes something next, and a sentence's end for each outcome. */
  outlook(now: number, wanted: readonly string[]): Outlook;
}

interface Outlook {
  /** Whether what is wanted may still come. */
  comes: boolean;
  nextAt: number | null;
  /** Why it does not come, or who moves what time does not. */
  why: string;
}

/** The container of a condition, as something to wait for. */
export function containerSubject(world: World, condition: z.output<typeof containerCondition>): Subject {
  world.settle(world.clock.now());
  const { id, project_name } = namedContainer(world, condition.container, 'container');
  return subjectOf(world, condition.status, {
    topic: `container:${id}`,
    title: `Container ${project_name}`,
    show: () => showContainer(world, id),
    outlook: (now, wanted) => outlookOfContainer(world, id, now, wanted),
  });
}

/** The hosted agent of a condition, as something to wait for. */
export function hostedAgentSubject(world: World, condition: z.output<typeof hostedAgentCondition>): Subject {
  world.settle(world.clock.now());
  const { id, name } = namedHostedAgent(world, condition.agent, 'agent');
  return subjectOf(world, condition.status, {
    topic: `hosted-agent:${id}`,
    title: `Hosted agent ${name}`,
    show: () => showHostedAgent(world, id),
    outlook(now, wanted) {
      const ahead = comingOf(findTimed(world, `hosted-agent:${id}`), now);
      const { error, rate } = showHostedAgent(world, id);
      const paidUntil = findHostedAgent(world.db, id)?.paid_until ?? null;
      if (ahead.statuses.some((one) => wanted.includes(one))) return { comes: true, nextAt: ahead.nextAt, why: '' };
      // It stops when the credits do not cover its next hour.
      if (wanted.includes('stopped') && rate === 'running' && paidUntil !== null)
        return { comes: true, nextAt: paidUntil, why: '' };
      const why =
        ahead.statuses.length > 0
          ? `, and its job leads only to ${ahead.statuses.join(', ')}`
          : `, and no job of it leads further${inBrackets(error)}`;
      return { comes: false, nextAt: null, why };
    },
  });
}

/** The job of a condition, as something to wait for. */
export function jobSubject(world: World, condition: z.output<typeof jobCondition>): Subject {
  world.settle(world.clock.now());
  const id = idOf(namedJob(world, condition.job));
  return subjectOf(world, condition.status, {
    topic: `job:${id}`,
    title: `Job ${id}`,
    show: () => showJob(world, id),
    outlook(now, wanted) {
      const { statuses: ahead, nextAt } = comingOf(findTimed(world, `job:${id}`), now);
      if (ahead.some((one) => wanted.includes(one))) return { comes: true, nextAt, why: '' };
      return { comes: false, nextAt: null, why: whyNever(ahead, showJob(world, id).error) };
    },
  });
}

function comingOf(thing: Timed | undefined, now: number): { statuses: string[]; nextAt: number | null } {
  return { statuses: thing?.ahead(now).map(({ status }) => status) ?? [], nextAt: thing?.nextAt(now) ?? null };
}

function subjectOf(world: World, status: string | readonly string[], waited: Waited): Subject {
  const wanted = [status].flat();
  const { topic, title } = waited;
  let last = waited.show();
  let seen = findTimed(world, topic)?.stepsAt(world.clock.now()).length ?? 0;
  return {
    topics: [topic],
    look(): Look {
      const now = world.clock.now();
      world.settle(now);
      const thing = findTimed(world, topic);
      if (thing === undefined)
        return wanted.includes('deleted') ? { holds: last } : { never: `${title} is gone`, state: last };
      last = waited.show();
      // A jump may have led over what is wanted, which has come true nevertheless.
      const steps = thing.stepsAt(now);
      seen = Math.min(seen, steps.length);
      if ([last, ...steps.slice(seen)].some((one) => wanted.includes(one.status))) return { holds: last };
      const { comes, nextAt, why } = waited.outlook(now, wanted);
      const sentence = `${title} is ${last.status}, not ${wanted.join(' or ')}${why}`;
      return comes ? { yet: sentence, state: last, nextAt } : { never: sentence, state: last };
    },
  };
}

// A jump from midnight to midnight over more of them would take longer than anybody waits.
const mostDays = 366;

function outlookOfContainer(world: World, id: string, now: number, wanted: readonly string[]): Outlook {
  const record = findContainer(world.db, id);
  if (record === undefined) return { comes: false, nextAt: null, why: '' };
  const { statuses: coming, nextAt } = forecastAt(record, now);
  const { status, error, progression } = showContainer(world, id);
  if ([...coming].some((one) => wanted.includes(one))) {
    if (nextAt !== null) return { comes: true, nextAt, why: '' };
    const who = progression === 'reads' ? 'A client’s GETs move it on' : 'POST …/skip moves it on';
    return { comes: true, nextAt, why: `. ${who}, not time` };
  }
  // No plan says when the credits for its days run out.
  const mayBeBilled = status === 'running' || coming.has('running');
  const paidFor = wanted.includes('stopped') && mayBeBilled ? daysPaid(world, record, now) : Infinity;
  if (paidFor <= mostDays) return { comes: true, nextAt: Math.min(nextMidnight(now), nextAt ?? Infinity), why: '' };
  const why = status === 'deleting' ? ': it is being deleted' : whyNever([...coming], error);
  const paid = paidFor === Infinity ? '' : `; the credits pay for ${paidFor} days of it`;
  return { comes: false, nextAt: null, why: why + paid };
}

// For how many days of it the credits are enough; Infinity where days are not billed.
function daysPaid(world: World, record: ContainerRecord, now: number): number {
  if (!world.config.billing.daily) return Infinity;
  const { amount } = dailyPrice(world.config, containerAt(record.deployments, now).run.deployment.spec);
  const { burn } = runningOf(world, record.organization_id, now);
  const balance = findOrganization(world.db, record.organization_id)?.balance ?? 0;
  return amount === 0 ? Infinity : Math.floor(balance / Math.max(amount, burn));
}

function whyNever(ahead: readonly string[], error: string | null): string {
  if (ahead.length > 0) return `, and its plan leads only to ${ahead.join(', ')}`;
  return `, and its plan leads to nothing else${inBrackets(error)}`;
}

function inBrackets(error: string | null): string {
  return error === null ? '' : ` (${error})`;
}
