// Endpoints about the platform itself.

import * as z from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.js';
import { ok } from '../http/response.js';

export const platformEndpoints: Endpoint[] = [
  endpoint({
    id: 'platform.health',
    method: 'GET',
    harmless: true,
    path: '/api/health',
    summary: 'Get the health of the platform',
    auth: 'public',
    responses: {
      200: {
        description: 'The platform is up',
        schema: z.object({ status: z.literal('ok'), timestamp: z.int(), region: z.string() }),
      },
    },
    assumptions: ['platform.health'],
    handle: ({ now }) => ok({ status: 'ok', timestamp: now, region: 'local' }),
  }),
];
