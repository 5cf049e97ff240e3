// The control operation that lists the movements of credits.

import * as z from 'zod';
import { listed, operation } from '../../control/operation.js';
import { noSuch } from '../../control/options.js';
import { invalid } from '../../core/errors.js';
import { toCredits } from '../../core/money.js';
import { nearest } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import { platformOperations } from '../../http/platform-operations.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { type LedgerFilter, type LedgerRow, lastLedgerNumber, ledgerBetween, movementNumber } from './store.js';

export const ledgerEntry = z.lazy(() =>
  z.object({
    id: z.string(),
    organizationId: z.string(),
    type: z.string(),
    amount: z.number().describe('In credits; negative for what was taken'),
    balanceBefore: z.number(),
    balanceAfter: z.number(),
    reason: z.string(),
    priceRule: z.string().nullable(),
    operation: z.string().nullable(),
    requestId: z.string().nullable(),
    subject: z.string().nullable(),
    at: z.string(),
  }),
);

export type LedgerEntry = z.output<typeof ledgerEntry>;

interface LedgerPage extends LedgerFilter {
  after?: string | undefined;
  limit?: number | undefined;
}

const mostListed = 10_000;

export const ledgerOperations = {
  /**
   * Lists movements of credits, oldest first: at most 10,000, the next ones `after` the last of them.
   *
   * @param filter only the movements that match all of its fields
   * @example controls.ledger({ operation: 'billing.daily', subject: containerId })
   * @throws ApiError NOT_FOUND (organization, movement) or VALIDATION_ERROR (operation) where it can never have an entry
   */
  ledger: operation({
    id: 'control.ledger',
    route: 'GET /ledger',
    summary: 'List all movements of credits, oldest first',
    query: z.lazy(() =>
      z.object({
        organizationId: z.string().optional().describe('Only movements of this organization'),
        operation: z.string().optional().describe('Only movements by this operation id, or by billing.daily'),
        requestId: z.string().optional().describe('Only movements by this request'),
        subject: z
          .string()
          .optional()
          .describe('Only movements for this deployment id, or for the daily billing of this container id'),
        after: z.string().optional().describe('Only movements after the one of this id'),
        limit: z.int().min(1).max(mostListed).optional().describe('At most so many, by default 10,000'),
      }),
    ),
    output: listed('ledger', ledgerEntry),
    errors: ['NOT_FOUND'],
    command: {
      line: 'ledger',
      columns: 'at type amount balanceAfter reason operation?',
      examples: [['ledger', 'charges, refunds and top-ups']],
    },
    run({ world }, { after, limit = mostListed, ...filter }: LedgerPage = {}): LedgerEntry[] {
      world.settle(world.clock.now());
      const from = after === undefined ? 0 : movementNumber(world.db, after);
      if (from === undefined) throw noSuch('movement', after);
      const rows = ledgerBetween(world.db, from, lastLedgerNumber(world.db), filter, limit);
      if (rows.length === 0) requireSuch(world, filter);
      const entries: LedgerEntry[] = [];
      for (const row of rows) entries.push(entryOf(row));
      return entries;
    },
  }),
};

// Nothing fits what is misspelt, and nobody would notice.
function requireSuch(world: World, { organizationId, operation: wanted }: LedgerFilter): void {
  if (organizationId !== undefined && findOrganization(world.db, organizationId) === undefined)
    throw noSuch('organization', organizationId);
  const ids = platformOperations.of(world).map(({ id }) => id);
  const billing = ['billing.daily', 'billing.hourly', 'billing.autoTopUp'];
  const operations = [...ids, ...billing, 'control.organizations.credits', 'control.checkouts.paid'];
  if (wanted === undefined || operations.includes(wanted)) return;
  throw invalid({
    path: 'operation',
    message: 'must be the id of an operation, such as containers.create, or billing.daily',
    received: describe(wanted),
    suggestion: nearest(wanted, operations),
  });
}

function entryOf(row: LedgerRow): LedgerEntry {
  return {
    id: row.id,
    organizationId: row.organization_id,
    type: row.type,
    amount: toCredits(row.amount),
    balanceBefore: toCredits(row.balance_before),
    balanceAfter: toCredits(row.balance_after),
    reason: row.reason,
    priceRule: row.price_rule,
    operation: row.operation,
    requestId: row.request_id,
    subject: row.subject,
    at: iso(row.created_at),
  };
}
