// Waiting for a container to have a status.

import * as z from 'zod';
import type { Config } from '../../config/schema.js';
import type { World } from '../../world/world.js';
import { namedContainer } from '../containers/access.js';
import { nextMidnight } from '../containers/billing.js';
import { type ControlledContainer, showContainer } from '../containers/control.js';
import { type Forecast, forecastAt } from '../containers/forecast.js';
import { type Status, statuses } from '../containers/phases.js';
import { findContainer } from '../containers/store.js';
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
  let known = last.statusHistory.length;

  return {
    topics: [`container:${id}`],
    look(): Look {
      const now = world.clock.now();
      world.settle(now);
      const record = findContainer(world.db, id);
      if (record === undefined) return { never: `Container ${last.project_name} is gone`, state: last };
      last = showContainer(world, id);
      // A jump may have led over what is wanted, which has come true nevertheless.
      known = Math.min(known, last.statusHistory.length);
      const since = last.statusHistory.slice(known).map((change) => change.status);
      if ([last.status, ...since].some(isWanted)) return { holds: last };
      const ahead = forecastAt(record, now);
      const wish = `Container ${last.project_name} is ${last.status}, not ${wantedOnes.join(' or ')}`;
      if ([...ahead.statuses].some(isWanted))
        return { yet: wish + whoMoves(ahead, last), state: last, nextAt: ahead.nextAt };
      // No plan says when the credits for its days run out.
      const mayBeBilled = last.status === 'running' || ahead.statuses.has('running');
      const billedAt = isWanted('stopped') && mayBeBilled ? nextBillAt(world.config, now) : null;
      if (billedAt === null) return { never: wish + whyNever(ahead, last), state: last };
      return { yet: wish, state: last, nextAt: Math.min(billedAt, ahead.nextAt ?? billedAt) };
    },
  };
}

// When a running container may be refused a day for lack of credits, and be stopped later.
function nextBillAt({ billing, prices }: Config, now: number): number | null {
  return billing.daily && prices.daily > 0 ? nextMidnight(now) : null;
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
