// The billing of a container as responses show it, where containers are billed by the day.

import { lastInstant } from '../../../core/instant.js';
import { toCredits } from '../../../core/money.js';
import { iso, isoOrNull } from '../../../http/wire.js';
import type { World } from '../../../world/world.js';
import { billedFor } from '../../credits/store.js';
import { gracesOf, nextMidnight } from '../lifecycle/billing.js';
import { openGrace } from '../lifecycle/grace.js';
import type { ContainerState } from '../lifecycle/lifecycle.js';
import type { ContainerRecord } from '../store.js';

/** How a container is billed, and when it is shut down for lack of credits; undefined: it is not billed. */
export function presentBilling(world: World, record: ContainerRecord, state: ContainerState, now: number) {
  const graces = gracesOf(record);
  if (!world.config.billing.daily && graces.length === 0) return undefined;
  const pending = openGrace(graces, now);
  const status: 'active' | 'suspended' | 'shutdown_pending' =
    pending === undefined ? (state.segment.phase.billing ?? 'active') : 'shutdown_pending';
  const grace = status === 'suspended' ? graces.at(-1) : pending;
  const { total, last } = billedFor(world.db, record.id);
  const next = nextMidnight(now);
  const goesOn = world.config.billing.daily && state.serving !== undefined && next <= lastInstant;
  return {
    billing_status: status,
    total_billed: toCredits(total).toFixed(2),
    last_billed_at: isoOrNull(last),
    next_billing_at: goesOn ? iso(next) : null,
    shutdown_warning_sent_at: isoOrNull(grace?.at),
    scheduled_shutdown_at: isoOrNull(grace?.until),
  };
}

/** Until when the billing of a container looks the same, unless something is written. */
export function billedUntil(world: World, record: ContainerRecord, now: number): number {
  if (gracesOf(record).length > 0) return now;
  return world.config.billing.daily ? nextMidnight(now) : Infinity;
}
