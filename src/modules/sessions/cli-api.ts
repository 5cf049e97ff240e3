// Endpoints of the login of a command-line client, and the page that completes it.

import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { json, ok } from '../../http/response.js';
import { iso } from '../../http/wire.js';
import { exposed } from '../../world/to-client-time.js';
import { viewOf } from './api.js';
import { completeCliLogin, pollCliLogin, startCliLogin } from './cli-login.js';
import { wantsPage } from './html.js';
import { cliDonePage, cliLoginPage } from './pages.js';
import * as schema from './schema.js';

const base = '/api/auth/cli-session';
const noStore = { 'Cache-Control': 'no-store' };

export const cliSessionEndpoints: Endpoint[] = [
  endpoint({
    id: 'auth.cliSessionStart',
    method: 'POST',
    path: base,
    summary: 'Start the login of a command line; a person completes it at /auth/cli-login?session={sessionId}',
    auth: 'public',
    body: schema.cliStartBody,
    example: { sessionId: '7b6d1c3e-0f0a-4a55-9a9b-2f6f3c8f5d10' },
    responses: { 201: { description: 'It waits for ten minutes', schema: schema.cliStartAnswer } },
    errors: ['CONFLICT'],
    assumptions: ['auth.cliSession'],
    handle({ world, body: { sessionId }, now }) {
      const expiresAt = iso(exposed(world, startCliLogin(world, sessionId, now)));
      return json(201, { sessionId, status: 'pending', expiresAt });
    },
  }),
  endpoint({
    id: 'auth.cliSessionPoll',
    method: 'GET',
    path: `${base}/{sessionId}`,
    summary: 'Where the login stands; once it is completed, the first answer holds the key',
    auth: 'public',
    sameOrigin: true,
    params: schema.cliParams,
    responses: { 200: { description: 'Where it stands', schema: schema.cliPollAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['auth.cliSession'],
    handle({ world, params, now }) {
      const state = pollCliLogin(world, params.sessionId, now);
      if (state.status === 'authenticated') return json(200, { status: state.status, ...state.key }, noStore);
      if (state.status !== 'told') return json(200, { status: state.status }, noStore);
      return json(200, { status: 'authenticated', message: 'API key already retrieved' }, noStore);
    },
  }),
  endpoint({
    id: 'auth.cliSessionComplete',
    method: 'POST',
    path: `${base}/{sessionId}/complete`,
    summary: 'Give a key of the person who is signed in to the command line',
    auth: 'session',
    sameOrigin: true,
    params: schema.cliParams,
    responses: {
      200: {
        description: 'It has a key; a page where the client accepts text/html',
        schema: schema.cliCompleteAnswer,
        contentTypes: ['application/json', 'text/html'],
      },
    },
    errors: ['NOT_FOUND'],
    assumptions: ['auth.cliSession', 'auth.sessions'],
    handle(call) {
      const { world, params, caller, now } = call;
      const { organizationId, userId } = caller;
      const key = completeCliLogin(world, { id: params.sessionId, organizationId, userId, now });
      if (wantsPage(call.header('accept'))) return cliDonePage(world);
      return { ...ok({ success: true, ...key }), headers: noStore };
    },
  }),
  endpoint({
    id: 'auth.cliLogin',
    method: 'GET',
    path: '/auth/cli-login',
    summary: 'The page on which a person completes the login of a command line',
    auth: 'public',
    page: true,
    query: schema.cliPageQuery,
    responses: { 200: { description: 'A page for people', contentTypes: ['text/html'] } },
    assumptions: ['auth.cliSession'],
    handle(call) {
      const { session } = call.query;
      const here = new URL(`${call.baseUrl}/auth/cli-login`);
      if (session !== undefined) here.searchParams.set('session', session);
      return cliLoginPage(viewOf(call, here), session);
    },
  }),
];
