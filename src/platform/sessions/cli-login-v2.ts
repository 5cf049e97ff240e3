// The login of a command-line client in the platform's newer contract: the platform chooses the id of its session.

import { ApiError } from '../../core/errors.js';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { json } from '../../http/response.js';
import { iso } from '../../http/wire.js';
import { toClientTime } from '../../world/to-client-time.js';
import { cliSessionPath, keyUnavailable, noStore, pollCliLogin, startCliLogin } from './cli-login.js';
import * as schema from './schema.js';

export const newerCliSessionEndpoints: Endpoint[] = [
  endpoint({
    id: 'auth.cliSessionStart',
    contract: 'v2',
    method: 'POST',
    path: cliSessionPath,
    summary: 'Start the login of a command line; a person completes it at /auth/cli-login?session={sessionId}',
    auth: 'public',
    responses: { 201: { description: 'The login waits for ten minutes', schema: schema.cliStartAnswer } },
    assumptions: ['auth.cliSession', 'auth.cliSessionId'],
    handle({ world, now }) {
      const sessionId = world.random.uuid('cli-session', world.nextNumber('cli_sessions'));
      const expiresAt = iso(toClientTime(world, startCliLogin(world, sessionId, now)));
      return json(201, { sessionId, status: 'pending', expiresAt });
    },
  }),
  endpoint({
    id: 'auth.cliSessionPoll',
    contract: 'v2',
    method: 'GET',
    path: `${cliSessionPath}/{sessionId}`,
    summary: 'Get the status of the login; the first response after its completion contains the key',
    auth: 'public',
    sameOrigin: true,
    params: schema.newerCliParams,
    responses: { 200: { description: 'The status of the login', schema: schema.newerCliPollAnswer } },
    errors: ['NOT_FOUND', 'GONE'],
    assumptions: ['auth.cliSession', 'auth.cliSessionId'],
    flatAs: ({ code }) => (code === 'VALIDATION_ERROR' ? { error: 'Invalid session ID format' } : {}),
    handle({ world, params: { sessionId }, now }) {
      const state = pollCliLogin(world, sessionId.toLowerCase(), now);
      if (state.status === 'authenticated') return json(200, { status: state.status, ...state.key }, noStore);
      if (state.status === 'expired') throw new ApiError('NOT_FOUND', { message: 'Session not found or expired' });
      if (state.status === 'lost') throw keyUnavailable();
      if (state.status === 'pending') return json(200, { status: state.status }, noStore);
      return json(200, { status: 'authenticated', message: 'API key already retrieved' }, noStore);
    },
  }),
];
