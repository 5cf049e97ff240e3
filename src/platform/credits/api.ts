// Endpoints of the credit balance and its movements.

import { found } from '../../core/errors.js';
import { hourMs } from '../../core/instant.js';
import { toCredits } from '../../core/money.js';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { json, ok } from '../../http/response.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { findOrganization, type Organization } from '../accounts/store.js';
import { presentTransaction } from './present.js';
import * as schema from './schema.js';
import { countMovements, latestMovements } from './store.js';

const gates = { method: 'GET', harmless: true, permission: 'unrestricted' } as const;

export const creditEndpoints: Endpoint[] = [
  endpoint({
    ...gates,
    id: 'account.balance',
    path: '/api/v1/credits/balance',
    aliases: ['/api/credits/balance'],
    summary: 'Get the credit balance of the organization',
    query: schema.balanceQuery,
    responses: { 200: { description: 'The balance in credits', schema: schema.balanceAnswer } },
    assumptions: ['credits.balance', 'money'],
    handle({ world, caller }) {
      const balance = toCredits(findOrganization(world.db, caller.organizationId)?.balance ?? 0);
      const twice = world.config.credits.balanceData ? { data: { balance } } : {};
      return json(200, { balance, ...twice }, { 'Cache-Control': 'no-store' });
    },
  }),
  endpoint({
    ...gates,
    id: 'account.transactions',
    path: '/api/credits/transactions',
    summary: 'List all movements of credits, newest first, with their reasons',
    query: schema.transactionsQuery,
    responses: { 200: { description: 'The movements of a period', schema: schema.transactionsAnswer } },
    assumptions: ['credits.transactions', 'money'],
    handle({ world, caller, now, query }) {
      const { id, created_at } = organizationOf(world, caller.organizationId);
      const start = query.hours === undefined ? created_at : Math.round(now - query.hours * hourMs);
      return ok({
        transactions: latestMovements(world.db, id, start, query).map(presentTransaction),
        total: countMovements(world.db, id, start),
        period: { start: iso(start), end: iso(now) },
      });
    },
  }),
];

/** @throws ApiError NOT_FOUND */
export function organizationOf(world: World, id: string): Organization {
  return found(findOrganization(world.db, id), 'Organization not found');
}
