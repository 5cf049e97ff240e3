// Refused requests with what has caused them: `why` has to name that, and no request is to be refused where it is taken away.

import { signSiwe } from '../../src/testing.js';
import { type Answer, type Client, call, image, type Platform } from './emulator.js';
import { agentsPath } from './hosted-agents.js';
import { callWith } from './keys.js';
import { basic, logIn, image as pushable, sendTo } from './oci.js';
import { pay, topUp } from './payments.js';
import { clone, sarah } from './voice.js';
import { signedCall, verify, wallet } from './wallets.js';

/** What is there before the cause, by names that the other steps use. */
export type Given = Record<string, string>;

export interface Refusal {
  name: string;
  status: number;
  given?(world: Platform): Promise<Given> | Given;
  /** Without one, the history holds no cause. */
  cause?(world: Platform, given: Given): unknown;
  /** Time passes, and other things happen, between the cause and the request. */
  refused(client: Client, given: Given): Promise<Answer>;
}

const project = (name: string) => ({ name, project_name: name, ecr_image_uri: image });
const idOf = ({ body }: Answer): string =>
  body.id ?? body.data?.id ?? body.agent?.id ?? body.document?.id ?? body.data?.session?.id;
const relay = '/api/v1/eliza/gateway-relay/sessions';
const text = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] };
const speech = { text: 'Hello', voiceId: sarah };
const voices = '/api/v1/voice';
const keys = '/api/v1/api-keys';
const characters = '/api/my-agents/characters';

const agentOf = (world: Platform): string => world.controls.hostedAgents.create({ tier: 'dedicated-always' }).id;
// Today's server wants to be told what a client expects to pay.
const price = { 'x-eliza-dedicated-price': 'dedicated-compute-v1:USD:0.150000:0.300000' };

const ofRequest =
  (method: string, path: (given: Given) => string, body?: unknown): Refusal['refused'] =>
  (client, given) =>
    call(client, method, path(given), body, price);

/** Things that can be deleted, and the requests that name them. */
const things: [string, (world: Platform) => Promise<string>, (id: string) => string, [string, string, unknown?][]][] = [
  [
    'container',
    async (world) => idOf(await call(world, 'POST', '/api/v1/containers', project('web'))),
    (id) => `/api/v1/containers/${id}`,
    [
      ['GET', ''],
      ['GET', '/logs'],
      ['GET', '/metrics'],
      ['GET', '/health'],
      ['GET', '/deployments'],
      ['DELETE', ''],
      ['PATCH', '', { cpu: 512 }],
    ],
  ],
  [
    'key',
    async (world) => (await call(world, 'POST', keys, { name: 'ci' })).body.apiKey.id,
    (id) => `${keys}/${id}`,
    [
      ['GET', ''],
      ['DELETE', ''],
      ['PATCH', '', { name: 'other' }],
      ['POST', '/regenerate'],
    ],
  ],
  [
    'character',
    async (world) => (await call(world, 'POST', '/api/v1/app/agents', { name: 'Ada' })).body.agent.id,
    (id) => `${characters}/${id}`,
    [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/clone', {}],
      ['GET', '/stats'],
    ],
  ],
  [
    'voice',
    async (world) => idOf(await clone(world)),
    (id) => `${voices}/${id}`,
    [
      ['GET', ''],
      ['DELETE', ''],
      ['PATCH', '', { name: 'Bea' }],
    ],
  ],
  [
    'document',
    async (world) => idOf(await call(world, 'POST', '/api/v1/documents', { content: 'The lighthouse is green.' })),
    (id) => `/api/v1/documents/${id}`,
    [
      ['GET', ''],
      ['DELETE', ''],
    ],
  ],
  [
    'relay session',
    async (world) => idOf(await call(world, 'POST', relay, { runtimeAgentId: 'ada', agentName: 'Ada' })),
    (id) => `${relay}/${id}`,
    [['GET', '/next?timeoutMs=1000']],
  ],
];

const deleted = things.flatMap(([noun, make, path, requests]) =>
  requests.map(
    ([method, rest, body]): Refusal => ({
      name: `a ${noun} was deleted: ${method} ${rest}`,
      status: 404,
      given: async (world) => ({ id: await make(world) }),
      cause: (world, { id = '' }) => call(world, 'DELETE', path(id)),
      refused: ofRequest(method, ({ id = '' }) => path(id) + rest, body),
    }),
  ),
);

const ofAgent: [string, string, unknown?][] = [
  ['GET', ''],
  ['PATCH', '', { agentName: 'Bea' }],
  ['POST', '/suspend'],
  ['POST', '/resume'],
  ['POST', '/snapshot'],
  ['POST', '/pairing-token'],
];

const deletedAgents = ofAgent.map(
  ([method, rest, body]): Refusal => ({
    name: `a hosted agent was deleted: ${method} ${rest}`,
    status: 404,
    given: (world) => ({ id: agentOf(world) }),
    async cause(world, { id }) {
      await call(world, 'DELETE', `${agentsPath}/${id}`);
      await world.controls.clock.advance('1h');
    },
    refused: ofRequest(method, ({ id }) => `${agentsPath}/${id}${rest}`, body),
  }),
);

const stopped = ['/snapshot'].map(
  (rest): Refusal => ({
    name: `a hosted agent was stopped: ${rest}`,
    status: 409,
    given: (world) => ({ id: agentOf(world) }),
    cause: (world, { id }) => world.controls.hostedAgents.set(id ?? '', { status: 'stopped' }),
    refused: ofRequest('POST', ({ id }) => `${agentsPath}/${id}${rest}`),
  }),
);

/** What becomes of a key, and the status that requests with it then get. */
const keyEnds: [string, number, NonNullable<Refusal['cause']>][] = [
  ['deleted', 401, (world, { id }) => call(world, 'DELETE', `${keys}/${id}`)],
  ['given a new value', 401, (world, { id }) => call(world, 'POST', `${keys}/${id}/regenerate`)],
  ['switched off', 401, (world, { id }) => call(world, 'PATCH', `${keys}/${id}`, { is_active: false })],
  ['narrowed', 403, (world, { id }) => call(world, 'PATCH', `${keys}/${id}`, { permissions: ['voice'] })],
];

const withKey: [string, string, unknown?][] = [
  ['GET', '/api/v1/containers'],
  ['POST', '/api/v1/containers', project('web')],
  ['POST', '/api/v1/chat/completions', text],
];

const ofKeys = keyEnds.flatMap(([what, status, cause]) =>
  withKey.map(
    ([method, path, body]): Refusal => ({
      name: `a key was ${what}: ${method} ${path}`,
      status,
      given: async (world) => {
        const { apiKey, plainKey } = (await call(world, 'POST', keys, { name: 'ci' })).body;
        return { id: apiKey.id, value: plainKey };
      },
      cause,
      refused: (client, { value = '' }) => callWith(client as Platform, value, method, path, body),
    }),
  ),
);

const restricted = withKey.map(
  ([method, path, body]): Refusal => ({
    name: `a key was made restricted: ${method} ${path}`,
    status: 403,
    given: () => ({}),
    async cause(world, given) {
      given.value = (await call(world, 'POST', keys, { name: 'ci', permissions: ['voice'] })).body.plainKey;
    },
    refused: (client, { value = '' }) => callWith(client as Platform, value, method, path, body),
  }),
);

const costly: [string, string, unknown][] = [
  ['containers', '/api/v1/containers', project('web')],
  ['chat', '/api/v1/chat/completions', text],
  ['embeddings', '/api/v1/embeddings', { input: 'one two three' }],
  ['speech', `${voices}/tts`, speech],
  ['images', '/api/v1/images/generations', { prompt: 'A cat' }],
  ['hosted agents', agentsPath, { agentName: 'Ada', alwaysOn: true }],
];

const unpaid = costly.flatMap(([noun, path, body]): Refusal[] => [
  {
    name: `the balance was set too low: ${noun}`,
    status: 402,
    cause: (world) => world.controls.organizations.credits(world.organizationId, { set: 0 }),
    refused: ofRequest('POST', () => path, body),
  },
  {
    name: `a fault was added: ${noun}`,
    status: 503,
    cause: (world) => world.controls.faults.add({ match: { method: 'POST', path }, effect: { status: 503 } }),
    refused: ofRequest('POST', () => path, body),
  },
]);

const others: Refusal[] = [
  {
    name: 'an account was put on hold',
    status: 402,
    cause: (world) => world.controls.organizations.credits(world.organizationId, { hold: true }),
    refused: ofRequest('POST', () => agentsPath, { agentName: 'Ada', alwaysOn: true }),
  },
  {
    name: 'a charge was to fail',
    status: 402,
    cause: (world) => world.controls.organizations.credits(world.organizationId, { failNth: 1 }),
    refused: ofRequest('POST', () => '/api/v1/containers', project('web')),
  },
  {
    name: 'an error was queued as the reply',
    status: 503,
    cause: (world) => world.controls.replies.add({ error: 'MODEL_UNAVAILABLE' }),
    refused: ofRequest('POST', () => '/api/v1/chat/completions', text),
  },
  {
    name: 'a window was used up by a control',
    status: 429,
    cause: (world) => world.controls.limits.exhaust({ operation: 'containers.list' } as never),
    refused: ofRequest('GET', () => '/api/v1/containers'),
  },
  {
    name: 'a name was taken',
    status: 409,
    cause: (world) => call(world, 'POST', '/api/v1/containers', project('web')),
    refused: ofRequest('POST', () => '/api/v1/containers', { ...project('web'), project_name: 'other' }),
  },
  {
    name: 'a relay session has expired in a jump of time',
    status: 404,
    given: async (world) => ({ id: await (things.at(-1)?.[1](world) as Promise<string>) }),
    cause: (world) => world.controls.clock.advance('2d'),
    refused: ofRequest('GET', ({ id }) => `${relay}/${id}/next?timeoutMs=1000`),
  },
  {
    name: 'a key has expired in a jump of time',
    status: 401,
    given: (world) => ({ value: world.controls.keys.create({ expiresIn: '10m' }).apiKey }),
    cause: (world) => world.controls.clock.advance('1h'),
    refused: (client, { value = '' }) => callWith(client as Platform, value, 'GET', '/api/v1/containers'),
  },
  {
    name: 'a restricted key was made by a control',
    status: 403,
    given: () => ({}),
    cause(world, given) {
      given.value = world.controls.keys.create({ permissions: ['voice'] }).apiKey;
    },
    refused: (client, { value = '' }) => callWith(client as Platform, value, 'GET', '/api/v1/containers'),
  },
  {
    name: 'a token of a pairing was used',
    status: 401,
    given: (world) => ({ token: world.controls.pairings.create({ origin: 'http://localhost:3000' }).token }),
    cause: (world, { token }) => paired(world, token),
    refused: (client, { token }) => paired(client, token),
  },
  {
    name: 'a voice was deleted that speech names',
    status: 400,
    given: async (world) => {
      const id = idOf(await clone(world));
      await world.controls.clock.advance('1h');
      return { id };
    },
    cause: (world, { id }) => call(world, 'DELETE', `${voices}/${id}`),
    refused: (client, { id }) => call(client, 'POST', `${voices}/tts`, { ...speech, voiceId: id }),
  },
  {
    name: 'a voice was switched off that speech names',
    status: 400,
    given: async (world) => {
      const id = idOf(await clone(world));
      await world.controls.clock.advance('1h');
      return { id };
    },
    cause: (world, { id }) => call(world, 'PATCH', `${voices}/${id}`, { isActive: false }),
    refused: (client, { id }) => call(client, 'POST', `${voices}/tts`, { ...speech, voiceId: id }),
  },
  {
    name: 'a job of an agent is in progress',
    status: 409,
    given: (world) => ({ id: agentOf(world) }),
    cause: (world, { id }) => call(world, 'POST', `${agentsPath}/${id}/snapshot`),
    refused: ofRequest('POST', ({ id }) => `${agentsPath}/${id}/suspend`),
  },
  {
    name: 'an inactive key is not given a new value',
    status: 409,
    given: async (world) => ({ id: (await call(world, 'POST', keys, { name: 'ci' })).body.apiKey.id }),
    cause: (world, { id }) => call(world, 'PATCH', `${keys}/${id}`, { is_active: false }),
    refused: ofRequest('POST', ({ id }) => `${keys}/${id}/regenerate`),
  },
  {
    name: 'an Idempotency-Key has begun another purchase',
    status: 409,
    cause: (world) => purchase(world, 10),
    refused: (client) => purchase(client, 20),
  },
];

/** Pulls the image of a container, with fresh credentials. */
async function pull(client: Client, authorization?: string): Promise<Answer> {
  const { send } = await logIn(client as Platform);
  const { status, headers, bytes, body } = await send('GET', '/manifests/v1', {
    ...(authorization && { authorization }),
  });
  return { status, headers: new Headers(headers as Record<string, string>), text: String(bytes), body };
}

const pushed = async (world: Platform): Promise<Given> => {
  const { push, path, authorization } = await logIn(world);
  await push('v1', pushable());
  return { path, authorization };
};

const pulls: Refusal[] = [
  {
    name: 'a client deleted an image for containers',
    status: 404,
    given: pushed,
    cause: ({ url }, { path, authorization }) =>
      sendTo(url, 'DELETE', `${path}/manifests/v1`, { Authorization: authorization }),
    refused: (client) => pull(client),
  },
  {
    name: 'a control removed an image for containers',
    status: 404,
    given: pushed,
    cause: ({ controls }) => controls.images.remove(controls.images.list()[0]?.uri ?? ''),
    refused: (client) => pull(client),
  },
];

/** What was made since a snapshot, and a request that needs it. */
const since: [string, number, (world: Platform) => Promise<Given>, Refusal['refused']][] = [
  [
    'container',
    404,
    async (world) => ({ id: idOf(await call(world, 'POST', '/api/v1/containers', project('web'))) }),
    ofRequest('GET', ({ id }) => `/api/v1/containers/${id}`),
  ],
  [
    'key',
    401,
    async (world) => ({ value: (await call(world, 'POST', keys, { name: 'ci' })).body.plainKey }),
    (client, { value = '' }) => callWith(client as Platform, value, 'GET', '/api/v1/user'),
  ],
  [
    'session',
    401,
    async ({ controls }) => ({ value: controls.sessions.create().token }),
    (client, { value = '' }) => callWith(client as Platform, value, 'GET', '/api/v1/user'),
  ],
];

const restored = since.map(
  ([noun, status, make, refused]): Refusal => ({
    name: `a ${noun} is gone with a restored snapshot`,
    status,
    async given(world) {
      world.controls.snapshots.take({ name: 'before' });
      return make(world);
    },
    cause: (world) => world.controls.snapshots.restore('before'),
    refused,
  }),
);

const paired = (client: Client, token: string | undefined): Promise<Answer> =>
  call(client, 'POST', '/api/auth/pair', { token }, { authorization: '', origin: 'http://localhost:3000' });
const purchase = (client: Client, credits: number): Promise<Answer> => {
  const urls = { success_url: 'http://localhost:3000/ok', cancel_url: 'http://localhost:3000/no' };
  return call(client, 'POST', '/api/v1/credits/checkout', { credits, ...urls }, { 'idempotency-key': 'one' });
};

const never = 'b1b1b1b1-0000-4000-8000-000000000000';
const uncaused: Refusal[] = [
  ...things.flatMap(([noun, , path, requests]) =>
    requests.slice(0, 2).map(
      ([method, rest, body]): Refusal => ({
        name: `a ${noun} that never was: ${method} ${rest}`,
        status: 404,
        refused: ofRequest(method, () => path(never) + rest, body),
      }),
    ),
  ),
  { name: 'a body that is wrong', status: 400, refused: ofRequest('POST', () => '/api/v1/containers', { name: '' }) },
  { name: 'a body that is no JSON', status: 400, refused: ofRequest('POST', () => keys, '{') },
  { name: 'a method that is not there', status: 405, refused: ofRequest('DELETE', () => '/api/v1/containers') },
  { name: 'a path that is not there', status: 404, refused: ofRequest('GET', () => '/api/v1/nothing') },
  {
    name: 'a key that never was',
    status: 401,
    refused: (client) => callWith(client as Platform, 'ek_test_never', 'GET', '/api/v1/containers'),
  },
  {
    name: 'a tag that never was, of an image for containers',
    status: 404,
    refused: (client) => pull(client),
  },
  {
    name: 'a wrong password for images of containers',
    status: 401,
    refused: (client) => pull(client, basic('AWS', 'wrong')),
  },
  {
    name: 'a payment that was settled before',
    status: 402,
    async refused(client) {
      const { paid } = await pay(client as Platform);
      return call(client, 'POST', topUp, { walletAddress: wallet().address }, { authorization: '', ...paid });
    },
  },
  {
    name: 'a signature of a wallet that was used before',
    status: 401,
    async refused(client) {
      const { controls } = client as Platform;
      const timestamp = Date.parse(controls.clock.get().now);
      await signedCall(client as Platform, '/api/v1/user', { timestamp });
      return signedCall(client as Platform, '/api/v1/user', { timestamp });
    },
  },
  {
    name: 'a message of a sign-in that was used before',
    status: 401,
    async refused(client) {
      const { body } = await call(client, 'GET', '/api/auth/siwe/nonce', undefined, { authorization: '' });
      const message = await signSiwe({ ...body, wallet: wallet() });
      await verify(client, message);
      return verify(client, message);
    },
  },
  {
    name: 'no key',
    status: 401,
    refused: (client) => call(client, 'GET', '/api/v1/user', undefined, { authorization: '' }),
  },
];

// Today's server makes and changes keys for sessions alone, takes containers in another form, and has 404 for wrong methods.
const documentedAlone = /\bkey\b(?!.*(jump|Idempotency))|container|charge|name was taken|no JSON|a method/;

/** Those that every profile can be asked for. */
export const isOfAll = ({ name }: Refusal): boolean => !documentedAlone.test(name);

const newContainer = { name: 'web', image: 'ghcr.io/elizaos/web:v1' };

/** Those of today's server alone. */
export const refusalsOfToday: readonly Refusal[] = [
  {
    name: 'a container was stopped before its restart',
    status: 409,
    given: async (world) => ({ id: await idOf(await call(world, 'POST', '/api/v1/containers', newContainer)) }),
    cause: (world, { id }) => call(world, 'DELETE', `/api/v1/containers/${id}?mode=stop`),
    refused: ofRequest('PATCH', ({ id }) => `/api/v1/containers/${id}`, { action: 'restart' }),
  },
  {
    name: 'another path has the method',
    status: 404,
    refused: ofRequest('PUT', () => '/api/v1/containers', newContainer),
  },
];

/** All refusals. */
export const refusals: readonly Refusal[] = [
  ...others,
  ...ofKeys,
  ...restricted,
  ...unpaid,
  ...stopped,
  ...deleted,
  ...deletedAgents,
  ...pulls,
  ...restored,
  ...uncaused,
];
