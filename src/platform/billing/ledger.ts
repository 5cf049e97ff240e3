// The ledger as billing shows it: each movement with the resource that it was for.

import { toCredits } from '../../core/money.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { type LedgerRow, latestMovements } from '../credits/store.js';
import { containersOfDeployments } from './store.js';

/** A page of the movements of an organization, the newest first. */
export function billingLedger({ db }: World, organizationId: string, page: { limit: number; offset: number }) {
  const rows = latestMovements(db, organizationId, 0, page);
  const deployments = rows.flatMap(({ operation, subject }) =>
    operation?.startsWith('containers.') === true && subject !== null ? [subject] : [],
  );
  const containers = containersOfDeployments(db, deployments);
  return rows.map((row) => {
    const { id, amount, type, reason, price_rule, operation, request_id, subject, created_at } = row;
    const explained = { price_rule, operation, request_id, subject };
    const resourceType = resourceTypeOf(row);
    return {
      id,
      amount: toCredits(amount),
      type,
      description: reason,
      createdAt: iso(created_at),
      source: 'credit_transaction',
      resourceType,
      resourceId: resourceType === 'container' ? containerOf(row, containers) : subject,
      metadata: Object.fromEntries(Object.entries(explained).filter(([, value]) => value !== null)),
    };
  });
}

function resourceTypeOf({
  type,
  operation,
}: LedgerRow): 'container' | 'agent_sandbox' | 'credits' | 'usage' | 'unknown' {
  const noun = operation?.split('.')[0];
  if (noun === 'containers' || operation === 'billing.daily') return 'container';
  if (noun === 'hostedAgents' || noun === 'jobs' || operation === 'billing.hourly') return 'agent_sandbox';
  if (type === 'charge' || type === 'refund') return operation === null ? 'unknown' : 'usage';
  return 'credits';
}

// Charges of deployments name these, those of days their container.
function containerOf({ operation, subject }: LedgerRow, containers: ReadonlyMap<string, string>): string | null {
  if (subject === null || operation === 'billing.daily') return subject;
  return containers.get(subject) ?? null;
}
