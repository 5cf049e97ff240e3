// Every error that an endpoint declares beyond its gates can be had, and comes with its status and code.

import { expect, it } from 'vitest';
import { errorTable } from '../../src/core/errors.js';
import type { Endpoint } from '../../src/http/endpoint.js';
import type { EmulatorWorld } from '../../src/index.js';
import { endpoints } from '../../src/platform/surface.js';
import { type Answer, call, deploy, image, startWorld } from '../support/emulator.js';
import { agentsPath, dedicated } from '../support/hosted-agents.js';
import { mint } from '../support/keys.js';
import { expectAll } from '../support/matrix.js';
import { pay } from '../support/payments.js';
import { credentialsFor } from '../support/sessions.js';
import { isTodays, settingsOf } from '../support/surface.js';
import { clone, formOf, sample, sarah } from '../support/voice.js';

const nobody = '00000000-0000-4000-8000-000000000000';
const agents = '/api/v1/app/agents';
const create = { name: 'new', project_name: 'new', ecr_image_uri: image };

async function agent(world: EmulatorWorld, fields: object = {}): Promise<string> {
  return (await call(world, 'POST', agents, { name: 'one', ...fields })).body.agent.id;
}

/** Uses an agents quota up; the balance decides that it is five. */
async function fillAgents(world: EmulatorWorld): Promise<string> {
  world.controls.organizations.credits(world.organizationId, { set: 0.5 });
  for (let i = 0; i < 4; i++) await agent(world);
  return agent(world);
}

/** The operations that a model answers, and a request of each. */
const models: [id: string, path: string, body: (text: string) => object][] = [
  ['chat.completions', '/api/v1/chat/completions', (content) => ({ messages: [{ role: 'user', content }] })],
  ['responses.create', '/api/v1/responses', (input) => ({ input })],
  ['chat.ui', '/api/v1/chat', (text) => ({ messages: [{ role: 'user', parts: [{ type: 'text', text }] }] })],
  ['messages.create', '/api/v1/messages', (content) => ({ messages: [{ role: 'user', content }], max_tokens: 10 })],
];

/** Those that make something else of a text. */
const makers: [id: string, path: string, body: object][] = [
  ['embeddings.create', '/api/v1/embeddings', { input: 'x' }],
  ['images.generate', '/api/v1/images/generations', { prompt: 'x' }],
  ['videos.generate', '/api/v1/generate-video', { prompt: 'x' }],
  ['audio.speech', '/api/v1/audio/speech', { input: 'x' }],
];

/** A request of documents for an agent that does not exist. */
function forNobody(world: EmulatorWorld, request: string): Promise<Answer> {
  const [method = '', path = '', field] = request.split(' ');
  const characterId = nobody;
  const url = `/api/v1/documents${path}${method === 'GET' ? `?characterId=${nobody}` : ''}`;
  if (method === 'GET') return call(world, method, url);
  if (path === '/upload-file')
    return call(world, method, url, formOf({ characterId, files: [Buffer.from('x'), 'x.txt'] }));
  const files = [{ blobUrl: 'x', filename: 'x.txt' }];
  return call(world, method, url, { characterId, ...(field === undefined ? { files } : { [field]: 'x' }) });
}

// For the page of the emulator.
function pairingOfStopped(world: EmulatorWorld) {
  const { id } = world.controls.hostedAgents.create({ tier: 'dedicated-always' });
  const pairing = world.controls.pairings.create({ agentId: id });
  world.controls.hostedAgents.set(pairing.agentId, { status: 'stopped' });
  return pairing;
}

const newer = { name: 'new', image: 'ghcr.io/elizaos/new:v1' };

/** A request for a container of today's server that is being deleted. */
async function whileDeleting(method: string, query: string, body?: object): Promise<Answer> {
  const world = await startWorld({ profile: 'elizacloud', errors: { style: 'coded' }, containers: { deletion: '1m' } });
  const { data } = (await call(world, 'POST', '/api/v1/containers', newer)).body;
  await call(world, 'DELETE', `/api/v1/containers/${data.id}`);
  return call(world, method, `/api/v1/containers/${data.id}${query}`, body);
}

async function restartWith(world: EmulatorWorld, mode: string): Promise<Answer> {
  const { data } = (await call(world, 'POST', '/api/v1/containers', newer)).body;
  const restart = { action: 'restart' };
  return call(world, 'PATCH', `/api/v1/containers/${data.id}`, restart, { 'x-emulator-failure': mode });
}

type Provocation = (world: EmulatorWorld) => Promise<Answer>;

/** How to have each declared error that is not "there is no such thing in the path". */
const provocations: Record<string, Provocation> = {
  'auth.cliSessionToken GONE': async (world) => {
    await call(world, 'POST', '/api/auth/cli-session', { sessionId: 'mine' });
    await world.controls.clock.advance('10m');
    return call(world, 'GET', '/api/v1/cli-auth/mine/token');
  },
  'containers.create today FORBIDDEN': (world) =>
    call(world, 'POST', '/api/v1/containers', { ...newer, image: 'nginx:1' }),
  'containers.create today CONTAINER_QUOTA_EXCEEDED': async (world) => {
    world.controls.organizations.credits(world.organizationId, { set: 0.9 });
    await call(world, 'POST', '/api/v1/containers', { name: 'one', image: newer.image });
    return call(world, 'POST', '/api/v1/containers', newer);
  },
  'containers.create today CONTAINER_NOT_STARTED': (world) =>
    call(world, 'POST', '/api/v1/containers', newer, { 'x-emulator-failure': 'no-capacity' }),
  'containers.update today SERVICE_UNAVAILABLE': (world) => restartWith(world, 'no-capacity'),
  'containers.update today CONTAINER_NOT_STARTED': (world) => restartWith(world, 'pull-denied'),
  'containers.update today CONFLICT': () => whileDeleting('PATCH', '', { action: 'restart' }),
  'containers.delete today CONFLICT': () => whileDeleting('DELETE', '?mode=stop'),
  'containers.create NOT_FOUND': async () => {
    const strict = await startWorld({ registry: { require: 'always' } });
    return call(strict, 'POST', '/api/v1/containers', create);
  },
  'containers.create CONFLICT': async (world) => {
    await deploy(world, { name: 'new', project_name: 'other' });
    return call(world, 'POST', '/api/v1/containers', create);
  },
  'containers.create QUOTA_EXCEEDED': async (world) => {
    world.controls.organizations.credits(world.organizationId, { set: 0.9 });
    await deploy(world);
    return call(world, 'POST', '/api/v1/containers', create);
  },
  'containers.create INSUFFICIENT_CREDITS': (world) => {
    world.controls.organizations.credits(world.organizationId, { set: 0.1 });
    return call(world, 'POST', '/api/v1/containers', create);
  },
  ...Object.fromEntries(
    ['tts', 'stt', 'clone'].map((verb): [string, Provocation] => [
      `voice.${verb} INSUFFICIENT_CREDITS`,
      (world) => {
        world.controls.organizations.credits(world.organizationId, { set: 0.1 });
        const form = formOf({ name: 'Ada', cloneType: 'instant', [verb === 'stt' ? 'audio' : 'file0']: sample() });
        return call(world, 'POST', `/api/v1/voice/${verb}`, verb === 'tts' ? { text: 'x', voiceId: sarah } : form);
      },
    ]),
  ),
  'agents.create CONFLICT': async (world) => {
    const token = { tokenAddress: '0x1', tokenChain: 'base' };
    await agent(world, token);
    return call(world, 'POST', agents, { name: 'two', ...token });
  },
  'agents.create QUOTA_EXCEEDED': async (world) => {
    await fillAgents(world);
    return call(world, 'POST', agents, { name: 'six' });
  },
  'agents.clone CONFLICT': async (world) => {
    const id = await agent(world, { name: 'taken name' });
    return call(world, 'POST', `/api/my-agents/characters/${id}/clone`, { username: 'taken-name' });
  },
  'agents.clone QUOTA_EXCEEDED': async (world) => {
    const id = await fillAgents(world);
    return call(world, 'POST', `/api/my-agents/characters/${id}/clone`);
  },
  'auth.cliSessionStart CONFLICT': async (world) => {
    await call(world, 'POST', '/api/auth/cli-session', { sessionId: 'one' });
    return call(world, 'POST', '/api/auth/cli-session', { sessionId: 'one' });
  },
  ...Object.fromEntries(
    ['POST /query query', 'POST  content', 'GET /check', 'GET ', 'POST /submit', 'POST /upload-file'].map(
      (request, index): [string, Provocation] => [
        `documents.${['query', 'create', 'check', 'list', 'submit', 'upload'][index]} NOT_FOUND`,
        (world) => forNobody(world, request),
      ],
    ),
  ),
  'credits.verifyCheckout NOT_FOUND': (world) => call(world, 'GET', '/api/v1/credits/verify?session_id=none'),
  'credits.payCheckout CONFLICT': async (world) => {
    const urls = { success_url: 'http://localhost/', cancel_url: 'http://localhost/' };
    const { url } = (await call(world, 'POST', '/api/v1/credits/checkout', { credits: 1, ...urls })).body;
    const { pathname } = new URL(url);
    const path = pathname.slice(pathname.indexOf('/checkout/'));
    await call(world, 'POST', path);
    return call(world, 'POST', path);
  },
  'credits.checkout CONFLICT': async (world) => {
    const body = { credits: 1, success_url: 'http://localhost/', cancel_url: 'http://localhost/' };
    const headers = { 'idempotency-key': 'order' };
    await call(world, 'POST', '/api/v1/credits/checkout', body, headers);
    return call(world, 'POST', '/api/v1/credits/checkout', { ...body, credits: 2 }, headers);
  },
  'billing.cancel CONFLICT': async () => {
    const slow = await startWorld({ containers: { deletion: '30s' } });
    const { id } = await deploy(slow);
    await call(slow, 'DELETE', `/api/v1/containers/${id}`);
    return call(slow, 'POST', `/api/v1/billing/resources/${id}/cancel`);
  },
  'auth.siweVerify UNAUTHORIZED': (world) =>
    call(world, 'POST', '/api/auth/siwe/verify', { message: 'Let me in', signature: '0x00' }),
  'topup.create UNAUTHORIZED': async (world) =>
    pay(world, { headers: { 'x-wallet-address': '1', 'x-timestamp': '2', 'x-wallet-signature': '3' } }),
  ...Object.fromEntries(
    models.flatMap(([id, path, body]): [string, Provocation][] => [
      [
        `${id} INSUFFICIENT_CREDITS`,
        (world) => {
          world.controls.organizations.credits(world.organizationId, { set: 0 });
          return call(world, 'POST', path, { model: 'gpt-4o', ...body('x') });
        },
      ],
      [`${id} NOT_FOUND`, (world) => call(world, 'POST', path, { model: nobody, ...body('x') })],
      [
        `${id} CONTEXT_LENGTH`,
        (world) => call(world, 'POST', path, { model: 'gpt-3.5-turbo', ...body('word '.repeat(17_000)) }),
      ],
      ...(['CONTENT_POLICY', 'MODEL_UNAVAILABLE', 'GENERATION_FAILED'] as const).map((error): [string, Provocation] => [
        `${id} ${error}`,
        (world) => {
          world.controls.replies.add({ error });
          return call(world, 'POST', path, { model: 'gpt-4o', ...body('x') });
        },
      ]),
    ]),
  ),
  ...Object.fromEntries(
    makers.flatMap(([id, path, body]): [string, Provocation][] => [
      [
        `${id} INSUFFICIENT_CREDITS`,
        (world) => {
          world.controls.organizations.credits(world.organizationId, { set: 0 });
          return call(world, 'POST', path, body);
        },
      ],
      [
        `${id} NOT_FOUND`,
        async () => {
          const strict = await startWorld({ models: { unknown: 'refuse' } });
          return call(strict, 'POST', path, { model: 'nothing', ...body });
        },
      ],
    ]),
  ),
  ...Object.fromEntries(
    makers
      .filter(([id]) => id === 'images.generate' || id === 'videos.generate')
      .flatMap(([id, path, body]) =>
        (['CONTENT_POLICY', 'MODEL_UNAVAILABLE', 'GENERATION_FAILED'] as const).map((error): [string, Provocation] => [
          `${id} ${error}`,
          (world) => {
            world.controls.replies.add({ error });
            return call(world, 'POST', path, body);
          },
        ]),
      ),
  ),
  'messages.countTokens NOT_FOUND': (world) =>
    call(world, 'POST', '/api/v1/messages/count_tokens', {
      model: nobody,
      messages: [{ role: 'user', content: 'x' }],
    }),
  'embeddings.create CONTEXT_LENGTH': (world) =>
    call(world, 'POST', '/api/v1/embeddings', { input: 'word '.repeat(8_192) }),
  'containers.update INSUFFICIENT_CREDITS': async (world) => {
    const { id } = await deploy(world, { ecr_image_uri: 'x/y:fail-stack-rollback' });
    await world.controls.clock.advance('10m');
    world.controls.organizations.credits(world.organizationId, { set: 0.1 });
    return call(world, 'PATCH', `/api/v1/containers/${id}`, { desired_count: 2 });
  },
  'keys.deleteCurrent UNAUTHORIZED': (world) =>
    call(world, 'DELETE', '/api/v1/api-keys/current', undefined, { authorization: '' }),
  'keys.regenerate today CONFLICT': (world) => {
    const { id } = world.controls.keys.create();
    world.controls.keys.revoke(id);
    const session = credentialsFor(world, { auth: 'session' });
    return call(world, 'POST', `/api/v1/api-keys/${id}/regenerate`, undefined, session);
  },
  'auth.cliSessionPoll today GONE': async (world) => {
    const path = '/api/auth/cli-session';
    const { sessionId } = (await call(world, 'POST', path)).body;
    const session = credentialsFor(world, { auth: 'session' });
    await call(world, 'POST', `${path}/${sessionId}/complete`, undefined, session);
    for (const { id } of (await call(world, 'GET', '/api/v1/api-keys', undefined, session)).body.keys)
      world.controls.keys.revoke(id);
    return call(world, 'GET', `${path}/${sessionId}`);
  },
  'auth.siweVerify today UNAUTHORIZED': (world) =>
    call(world, 'POST', '/api/auth/siwe/verify', { message: 'Let me in', signature: '0x00' }),
  'keys.regenerate CONFLICT': async (world) => {
    const { id } = await mint(world);
    await call(world, 'PATCH', `/api/v1/api-keys/${id}`, { is_active: false });
    return call(world, 'POST', `/api/v1/api-keys/${id}/regenerate`);
  },
  'voice.update CONFLICT': async (world) => {
    const { id } = (await clone(world)).body;
    return call(world, 'PATCH', `/api/v1/voice/${id}`, { isActive: true });
  },
  'files.get RANGE_NOT_SATISFIABLE': async (world) => {
    const { video } = (await call(world, 'POST', '/api/v1/generate-video', { prompt: 'x' })).body;
    return call(world, 'GET', new URL(video.url).pathname, undefined, { range: 'bytes=99999999-' });
  },
  'containers.update CONFLICT': async () => {
    const world = await startWorld({ containers: { deletion: '1m' } });
    const { id } = await deploy(world);
    await call(world, 'DELETE', `/api/v1/containers/${id}`);
    return call(world, 'PATCH', `/api/v1/containers/${id}`, { desired_count: 2 });
  },
};

/** Of hosted agents: 409 while one is being provisioned, 402 without credits, and what a new one may not be. */
const ofHostedAgents: [name: string, method: string, path: string, body?: object][] = [
  ['update', 'PATCH', '', { agentName: 'two' }],
  ['delete', 'DELETE', ''],
  ...['provision', 'suspend', 'resume', 'sleep', 'wake', 'snapshot', 'restore'].map(
    (verb): [string, string, string] => [verb, 'POST', `/${verb}`],
  ),
  ['environment', 'PATCH', '/environment', { environmentVars: { A: '1' } }],
];
const oneAgent = { agentName: 'one', alwaysOn: true };
const otherPrice = { 'x-eliza-dedicated-price': 'dedicated-compute-v1:USD:0.010000:0.020000' };
const noWorker = { 'x-emulator-failure': 'worker-unavailable' };
Object.assign(provocations, {
  'hostedAgents.create NOT_FOUND': (world) =>
    call(world, 'POST', agentsPath, { agentName: 'one', characterId: nobody }),
  'hostedAgents.create FORBIDDEN': async () => {
    const strict = await startWorld({ hostedAgents: { allowedImages: ['ghcr.io/acme/*'] } });
    return call(strict, 'POST', agentsPath, { agentName: 'one', dockerImage: 'docker.io/other/bot:v1' });
  },
  'hostedAgents.create PRICE_NOT_CONFIRMED': (world) => call(world, 'POST', agentsPath, oneAgent, otherPrice),
  ...Object.fromEntries(
    (['provision', 'resume', 'wake'] as const).map((verb): [string, Provocation] => [
      `hostedAgents.${verb} PRICE_NOT_CONFIRMED`,
      async (world) => {
        const { id } = await dedicated(world, { autoProvision: false });
        return call(world, 'POST', `${agentsPath}/${id}/${verb}`, undefined, otherPrice);
      },
    ]),
  ),
  'hostedAgents.create SERVICE_UNAVAILABLE': (world) => call(world, 'POST', agentsPath, oneAgent, noWorker),
  ...Object.fromEntries(
    (['provision', 'resume', 'wake'] as const).map((verb): [string, Provocation] => [
      `hostedAgents.${verb} SERVICE_UNAVAILABLE`,
      async (world) => {
        const { id } = await dedicated(world, { autoProvision: false });
        if (verb === 'wake') world.controls.hostedAgents.set(id, { status: 'sleeping' });
        return call(world, 'POST', `${agentsPath}/${id}/${verb}`, undefined, noWorker);
      },
    ]),
  ),
  'hostedAgents.create AGENT_QUOTA_EXCEEDED': async (world) => {
    world.controls.organizations.credits(world.organizationId, { set: 0.9 });
    for (let i = 0; i < 5; i++) await dedicated(world, { autoProvision: false });
    return call(world, 'POST', agentsPath, { agentName: 'six', alwaysOn: true, forceCreate: true });
  },
  'hostedAgents.create INSUFFICIENT_CREDITS': (world) => {
    world.controls.organizations.credits(world.organizationId, { set: 0.29 });
    return call(world, 'POST', agentsPath, { agentName: 'one', alwaysOn: true });
  },
  ...Object.fromEntries(
    ofHostedAgents.map(([name, method, path, body]): [string, Provocation] => [
      `hostedAgents.${name} CONFLICT`,
      async (world) => call(world, method, `${agentsPath}/${(await dedicated(world)).id}${path}`, body),
    ]),
  ),
  // While it is being provisioned, the answer is that job.
  'hostedAgents.provision CONFLICT': async (world) => {
    const { id } = world.controls.hostedAgents.create({ tier: 'dedicated-always' });
    await call(world, 'POST', `${agentsPath}/${id}/suspend`);
    return call(world, 'POST', `${agentsPath}/${id}/provision`);
  },
  ...Object.fromEntries(
    (['provision', 'resume', 'wake'] as const).map((verb): [string, Provocation] => [
      `hostedAgents.${verb} INSUFFICIENT_CREDITS`,
      async (world) => {
        const { id } = await dedicated(world, { autoProvision: false });
        if (verb === 'wake') world.controls.hostedAgents.set(id, { status: 'sleeping' });
        world.controls.organizations.credits(world.organizationId, { set: 0.29 });
        return call(world, 'POST', `${agentsPath}/${id}/${verb}`);
      },
    ]),
  ),
} satisfies Record<string, Provocation>);

/** Messages to hosted agents, at the agent and in a conversation. */
const rpc = (text: string) => ({ jsonrpc: '2.0', id: 1, method: 'message.send', params: { text } });
const said = (text: string) => ({ text });
const talks: [id: string, path: string, body: (text: string) => object][] = [
  ['hostedAgents.bridge', '/bridge', rpc],
  ['hostedAgents.stream', '/stream', rpc],
  ['hostedAgents.sendMessage', '/api/conversations/{id}/messages', said],
  ['hostedAgents.streamMessage', '/api/conversations/{id}/messages/stream', said],
];

/** A path of a hosted agent, with the id of a conversation with it. */
async function talkPath(world: EmulatorWorld, agentId: string, path: string): Promise<string> {
  const { conversation } = (await call(world, 'POST', `${agentsPath}/${agentId}/api/conversations`)).body;
  return `${agentsPath}/${agentId}${path.replace('{id}', conversation.id)}`;
}

/** A message to a shared agent of a model. */
async function say(world: EmulatorWorld, [, path, body]: (typeof talks)[number], model = 'gpt-4o'): Promise<Answer> {
  const agentConfig = { model };
  const { data } = (await call(world, 'POST', agentsPath, { agentName: 'one', agentConfig })).body;
  return call(world, 'POST', await talkPath(world, data.id, path), body('word '.repeat(100)));
}

/** A request to an agent that is stopped. */
async function toStopped(world: EmulatorWorld, method: string, path: string, body?: object): Promise<Answer> {
  const { id } = world.controls.hostedAgents.create({ tier: 'dedicated-always' });
  const whole = await talkPath(world, id, path);
  world.controls.hostedAgents.set(id, { status: 'stopped' });
  return call(world, method, whole, body);
}

Object.assign(provocations, {
  ...Object.fromEntries(
    talks.flatMap((talk): [string, Provocation][] => [
      [
        `${talk[0]} INSUFFICIENT_CREDITS`,
        (world) => {
          world.controls.organizations.credits(world.organizationId, { set: 0 });
          return say(world, talk);
        },
      ],
      [
        `${talk[0]} CONTEXT_LENGTH`,
        async () => say(await startWorld({ models: { catalogue: { tiny: { contextWindow: 50 } } } }), talk, 'tiny'),
      ],
      ...(['CONTENT_POLICY', 'MODEL_UNAVAILABLE', 'GENERATION_FAILED'] as const).map((error): [string, Provocation] => [
        `${talk[0]} ${error}`,
        (world) => {
          world.controls.replies.add({ error });
          return say(world, talk);
        },
      ]),
    ]),
  ),
  ...Object.fromEntries(
    talks
      .slice(1)
      .map(([id, path, body]): [string, Provocation] => [
        `${id} CONFLICT`,
        (world) => toStopped(world, 'POST', path, body('x')),
      ]),
  ),
  'hostedAgents.health CONFLICT': (world) => toStopped(world, 'GET', '/api/health'),
  'hostedAgents.status CONFLICT': (world) => toStopped(world, 'GET', '/api/status'),
  'hostedAgents.conversations CONFLICT': (world) => toStopped(world, 'GET', '/api/conversations'),
  'hostedAgents.createConversation CONFLICT': (world) => toStopped(world, 'POST', '/api/conversations', {}),
  'hostedAgents.messages CONFLICT': (world) => toStopped(world, 'GET', '/api/conversations/{id}/messages'),
  'pairing.pair UNAUTHORIZED': (world) =>
    call(world, 'POST', '/api/auth/pair', { token: 'none' }, { origin: 'http://localhost:3000' }),
  'pairing.native GONE': (world) =>
    call(world, 'POST', '/api/auth/pair/native', { token: 'none', agentId: 'one', expectedOrigin: 'http://a.test' }),
  'pairing.pair SERVICE_UNAVAILABLE': (world) => {
    const { token, origin } = pairingOfStopped(world);
    return call(world, 'POST', '/api/auth/pair', { token }, { origin });
  },
  'pairing.native SERVICE_UNAVAILABLE': (world) => {
    const { token, origin, agentId } = pairingOfStopped(world);
    return call(world, 'POST', '/api/auth/pair/native', { token, agentId, expectedOrigin: origin });
  },
  'pairing.submit SERVICE_UNAVAILABLE': (world) => {
    const { token, agentId } = pairingOfStopped(world);
    return call(world, 'POST', `${agentsPath}/${agentId}/pair`, { token });
  },
  'pairing.submit GONE': (world) => {
    const { id } = world.controls.hostedAgents.create();
    return call(world, 'POST', `${agentsPath}/${id}/pair`, { token: 'none' });
  },
  'pairing.create SERVICE_UNAVAILABLE': (world) => {
    const { id } = world.controls.hostedAgents.create();
    return call(world, 'POST', `${agentsPath}/${id}/pairing-token`);
  },
  'pairing.create INTERNAL_ERROR': (world) => {
    const { id } = world.controls.hostedAgents.create({ tier: 'dedicated-always' });
    world.controls.hostedAgents.set(id, { status: 'error' });
    return call(world, 'POST', `${agentsPath}/${id}/pairing-token`);
  },
  'pairing.create INSUFFICIENT_CREDITS': (world) => {
    const { id } = world.controls.hostedAgents.create({ tier: 'dedicated-always' });
    world.controls.hostedAgents.set(id, { status: 'stopped' });
    world.controls.organizations.credits(world.organizationId, { set: 0.01 });
    return call(world, 'POST', `${agentsPath}/${id}/pairing-token`);
  },
  'pairing.create CONFLICT': async (world) => {
    const { id } = world.controls.hostedAgents.create({ tier: 'dedicated-always' });
    world.controls.hostedAgents.set(id, { status: 'stopped' });
    await call(world, 'DELETE', `${agentsPath}/${id}`);
    return call(world, 'POST', `${agentsPath}/${id}/pairing-token`);
  },
} satisfies Record<string, Provocation>);

const nameOf = (endpoint: Endpoint, code: string): string =>
  `${endpoint.id}${isTodays(endpoint) ? ' today' : ''} ${code}`;
const cells = endpoints.flatMap((endpoint) =>
  (endpoint.errors ?? []).map((code) => [nameOf(endpoint, code), { endpoint, code }] as const),
);

it('each declared error is the response to what provokes it', () =>
  expectAll(cells, async ({ endpoint, code }) => {
    const world = await startWorld(settingsOf(endpoint));
    const inPath = code === 'NOT_FOUND' && endpoint.path.includes('{');
    const provoke: Provocation | undefined = inPath
      ? (of) => {
          const path = endpoint.path.replace(/\{\w+\}/, nobody);
          return call(of, endpoint.method, path, endpoint.example, credentialsFor(of, endpoint));
        }
      : provocations[nameOf(endpoint, code)];
    expect(provoke, `say in this file how to provoke ${nameOf(endpoint, code)}`).toBeDefined();
    const answer = await provoke?.(world);
    expect([answer?.status, answer?.body.error.code]).toEqual([errorTable[code].status, code]);
  }));

it('no error that is not declared is provoked', () => {
  const declared = cells.map(([name]): string => name);
  expect(Object.keys(provocations).filter((name) => !declared.includes(name))).toEqual([]);
});
