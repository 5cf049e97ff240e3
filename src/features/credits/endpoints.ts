// Endpoints of the credit balance.

import * as z from 'zod';
import { ok } from '../../api/answer.js';
import { type Endpoint, endpoint } from '../../api/endpoint.js';
import { toCredits } from '../../kernel/money.js';
import { findOrganization } from '../accounts/store.js';

export const creditEndpoints: Endpoint[] = [
  endpoint({
    id: 'account.balance',
    method: 'GET',
    path: '/api/v1/credits/balance',
    aliases: ['/api/credits/balance'],
    summary: 'The credit balance of the organization',
    auth: 'caller',
    permission: 'unrestricted',
    query: z.object({ fresh: z.boolean().optional().meta({ description: 'Accepted; the balance is always fresh' }) }),
    responses: { 200: { description: 'The balance in credits', schema: z.object({ balance: z.number() }) } },
    assumptions: ['credits.balance'],
    handle: ({ world, caller }) => ok({ balance: toCredits(findOrganization(world.db, caller.organizationId)?.balance ?? 0) }),
  }),
];
