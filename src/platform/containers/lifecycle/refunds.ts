// Refunds of what deployments have cost, each charge at most once.

import { dayMs } from '../../../core/instant.js';
import { type Micros, toMicros } from '../../../core/money.js';
import type { World } from '../../../world/world.js';
import { credit } from '../../credits/ledger.js';
import { findPaidDeployment, takeRefund } from '../store.js';
import type { ContainerState } from './lifecycle.js';
import { type Deployment, outcomeOf, timelineOf } from './timeline.js';

/** The effect that returns the charge of a failed deployment at the instant of its failure. */
export const refundEffect = 'containers.refund';

/** Schedules (or cancels) the refund of a deployment's charge, according to its timeline as known now. */
export function scheduleRefund(world: World, deployment: Deployment): void {
  const settled = deployment.cost === 0 || deployment.refundedAt !== null;
  const outcome = settled ? undefined : outcomeOf(timelineOf(deployment));
  world.schedule(refundEffect, refundSubject(deployment), outcome?.result === 'failed' ? outcome.at : undefined);
}

/** Returns the charge that an effect names, at the instant of the failure. */
export function refundDue(world: World, subject: string, at: number): void {
  const [containerSeq, number] = subject.split('#').map(Number);
  refund(world, { containerSeq: containerSeq ?? 0, number: number ?? 0 }, at, 'Deployment failed');
}

/** Refunds what deleting a container gives back: unfinished deployments, and a part of a running one's charge. */
export function refundDeleted(world: World, state: ContainerState, now: number): Micros {
  const { credits } = world.config;
  const share = state.status === 'running' ? refundedShare(world, state.run.deployment, now) : undefined;
  let total = share?.amount ?? 0;
  if (share !== undefined) refund(world, share.deployment, now, share.reason, share.amount);
  for (const { deployment, timeline } of state.runs) {
    world.schedule(refundEffect, refundSubject(deployment), undefined);
    const ended = (outcomeOf(timeline)?.at ?? Infinity) <= now;
    if (!ended && credits.refundUnfinished)
      total += refund(world, deployment, now, 'Deployment deleted before it ended');
  }
  return total;
}

// Only the last charge that was not refunded counts, under the first rule that matches.
function refundedShare({ config, db }: World, { containerSeq }: Deployment, now: number) {
  const paid = config.credits.deletionRefund.length === 0 ? undefined : findPaidDeployment(db, containerSeq);
  if (paid === undefined) return undefined;
  const { started_at: startedAt, cost, number } = paid;
  const isToday = Math.floor(startedAt / dayMs) === Math.floor(now / dayMs);
  const rule = config.credits.deletionRefund.find(({ within }) =>
    within === 'sameDay' ? isToday : now - startedAt < within,
  );
  const amount = toMicros(Math.floor(Math.round(cost * (rule?.share ?? 0)) / toMicros(1)));
  if (rule === undefined || amount === 0) return undefined;
  return {
    deployment: { containerSeq, number },
    amount,
    reason: `Deployment deleted: ${Math.round(rule.share * 100)} % of its charge`,
  };
}

// Refunds a charge, or a part of it, once, and returns the amount.
function refund(
  world: World,
  of: Pick<Deployment, 'containerSeq' | 'number'>,
  at: number,
  reason: string,
  part?: Micros,
): Micros {
  const paid = takeRefund(world.db, of.containerSeq, of.number, at);
  if (paid === undefined || paid.cost === 0) return 0;
  const amount = part ?? paid.cost;
  credit(world, paid.organization_id, amount, {
    type: 'refund',
    reason,
    priceRule: paid.price_rule,
    operation: paid.kind === 'patch' ? 'containers.update' : 'containers.create',
    requestId: paid.request_id,
    subject: paid.id,
    at,
  });
  return amount;
}

function refundSubject({ containerSeq, number }: Deployment): string {
  return `${containerSeq}#${number}`;
}
