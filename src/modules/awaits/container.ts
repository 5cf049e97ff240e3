// Waiting for a container to have a status.

import * as z from 'zod';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { namedContainer } from '../containers/access.js';
import { nextMidnight } from '../containers/billing.js';
import { type ControlledContainer, showContainer } from '../containers/control.js';
import { type Forecast, forecastAt } from '../containers/forecast.js';
import { containerAt, specOf } from '../containers/lifecycle.js';
import { type Status, statuses } from '../containers/phases.js';
import { dailyPrice } from '../containers/pricing.js';
import { runningOf } from '../containers/quota.js';
import { type ContainerRecord, findContainer } from '../containers/store.js';
import type { Look, Subject } from './waiting.js';

const status = z.enum(statuses);

export const containerCondition = z.lazy(() =>
  z.object({
    container: z.string().describe('Container id or project_name'),
    status: z
      .union([status, z.array(status).min(1).max(statuses.length)])
      .describe('A status, or a list of statuses any of which is enough'),
  }),
);

/** Holds when the container (an id or a project_name) has the status, or one of several. */
export type ContainerCondition = z.input<typeof containerCondition>;

/** The container of a condition, as something to wait for. */
export function containerSubject(
  world: World,
  { container, status: wanted }: z.output<typeof containerCondition>,
): Subject {
  const wantedOnes = [wanted].flat();
  const isWanted = (status: Status): boolean => wantedOnes.includes(status);
  world.settle(world.clock.now());
  const { id } = namedContainer(world, container, 'container');
  let last = showContainer(world, id);
  let seen = last.statusHistory.length;

  return {
    topics: [`container:${id}`],
    look(): Look {
      const now = world.clock.now();
      world.settle(now);
      const record = findContainer(world.db, id);
      if (record === undefined) return { never: `Container ${last.project_name} is gone`, state: last };
      last = showContainer(world, id);
      // A jump may have led over what is wanted, which has come true nevertheless.
      seen = Math.min(seen, last.statusHistory.length);
      const since = last.statusHistory.slice(seen).map((change) => change.status);
      if ([last.status, ...since].some(isWanted)) return { holds: last };
      const ahead = forecastAt(record, now);
      const wish = `Container ${last.project_name} is ${last.status}, not ${wantedOnes.join(' or ')}`;
      if ([...ahead.statuses].some(isWanted))
        return { yet: wish + whoMoves(ahead, last), state: last, nextAt: ahead.nextAt };
      // No plan says when the credits for its days run out.
      const mayBeBilled = last.status === 'running' || ahead.statuses.has('running');
      const paidFor = isWanted('stopped') && mayBeBilled ? daysPaid(world, record, now) : Infinity;
      if (paidFor > mostDays) return { never: wish + whyNever(ahead, last) + whyPaid(paidFor), state: last };
      return { yet: wish, state: last, nextAt: Math.min(nextMidnight(now), ahead.nextAt ?? Infinity) };
    },
  };
}

// A jump from midnight to midnight over more of them would take longer than anybody waits.
const mostDays = 366;

// For how many days of it the credits are enough; Infinity where days are not billed.
function daysPaid(world: World, record: ContainerRecord, now: number): number {
  if (!world.config.billing.daily) return Infinity;
  const { amount } = dailyPrice(world.config, specOf(containerAt(record.deployments, now)));
  const { burn } = runningOf(world, record.organization_id, now);
  const balance = findOrganization(world.db, record.organization_id)?.balance ?? 0;
  return amount === 0 ? Infinity : Math.floor(balance / Math.max(amount, burn));
}

function whyPaid(days: number): string {
  return days === Infinity ? '' : `; the credits pay for ${days} days of it`;
}

function whyNever({ statuses }: Forecast, { status, error }: ControlledContainer): string {
  if (status === 'deleting') return ': it is being deleted';
  if (statuses.size > 0) return `, and its plan leads only to ${[...statuses].join(', ')}`;
  return `, and its plan leads to nothing else${error === null ? '' : ` (${error})`}`;
}

function whoMoves({ nextAt }: Forecast, { progression }: ControlledContainer): string {
  if (nextAt !== null) return '';
  return progression === 'reads' ? '. A client’s GETs move it on, not time' : '. POST …/skip moves it on, not time';
}
