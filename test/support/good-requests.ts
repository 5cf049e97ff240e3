// For every endpoint of the registry a request that succeeds, whoever sends it.

import { randomUUID } from 'node:crypto';
import type { Endpoint } from '../../src/http/endpoint.js';
import { paymentPayload, signSiwe, testWallet } from '../../src/testing.js';
import { type Client, call, image } from './emulator.js';
import { eventually } from './eventually.js';
import { requirementOf, wallet } from './payments.js';
import { isTodays } from './surface.js';
import { formOf, sample } from './voice.js';

/** The parts that identify a request of a method and a path; headers without any are those of the seeded key. */
export type Credentials = (method: string, path: string) => Record<string, string> | Promise<Record<string, string>>;

export const seededKey: Credentials = () => ({});

export interface Good {
  body: unknown;
  headers?: Record<string, string>;
}

type Ask = (method: string, path: string, body: unknown) => Promise<any>;

const purchase = { credits: 5, success_url: 'http://localhost/paid', cancel_url: 'http://localhost/' };

const olderContainer = { name: 'web', project_name: 'web', ecr_image_uri: image };
const newerContainer = { name: 'web', image: 'ghcr.io/elizaos/web:v1' };

/** Things that paths name, by the first word of the endpoint's id. */
const makeSubject: Record<string, (ask: Ask, endpoint: Endpoint) => Promise<string>> = {
  agents: async (ask) => (await ask('POST', '/api/v1/app/agents', { name: 'Subject' })).agent.id,
  auth: async (ask) => (await ask('POST', '/api/auth/cli-session', { sessionId: randomUUID() })).sessionId,
  billing: async (ask) =>
    (await ask('POST', '/api/v1/containers', { name: 'web', project_name: 'web', ecr_image_uri: image })).data.id,
  credits: async (ask) => (await ask('POST', '/api/v1/credits/checkout', purchase)).sessionId,
  documents: async (ask) => (await ask('POST', '/api/v1/documents', { content: 'Subject' })).document.id,
  containers: async (ask, endpoint) =>
    (await ask('POST', '/api/v1/containers', isTodays(endpoint) ? newerContainer : olderContainer)).data.id,
  files: async (ask) => {
    const { images } = await ask('POST', '/api/v1/generate-image', { prompt: 'Subject' });
    return images[0].url.split('/').at(-1);
  },
  hostedAgents: (ask) => runningAgent(ask),
  jobs: async (ask) =>
    (await ask('POST', hostedAgents, { agentName: 'Subject', alwaysOn: true, forceCreate: true })).data.jobId,
  knowledge: async (ask) => (await ask('POST', '/api/v1/knowledge', { content: 'Subject' })).document.id,
  keys: async (ask, endpoint) =>
    isTodays(endpoint)
      ? (await ask('POST', '/_emulator/keys', { name: 'Subject' })).id
      : (await ask('POST', '/api/v1/api-keys', { name: 'Subject' })).apiKey.id,
  pairing: (ask) => runningAgent(ask),
  relay: async (ask) =>
    (await ask('POST', '/api/v1/eliza/gateway-relay/sessions', { runtimeAgentId: 'subject' })).data.session.id,
  models: async (ask) => (await ask('GET', '/api/v1/models', undefined)).data[0].id,
  voice: async (ask) => (await ask('POST', '/api/v1/voice/clone', clonedVoice())).id,
};

const hostedAgents = '/api/v1/eliza/agents';

// A dedicated agent that runs, with a backup; without the last field a live one is handed back.
async function runningAgent(ask: Ask): Promise<string> {
  const { data } = await ask('POST', hostedAgents, { agentName: 'Subject', alwaysOn: true, forceCreate: true });
  await ask('POST', `/_emulator/jobs/${data.jobId}/finish`, undefined);
  const snapshot = await ask('POST', `${hostedAgents}/${data.id}/snapshot`, undefined);
  await ask('POST', `/_emulator/jobs/${snapshot.data.jobId}/finish`, undefined);
  return data.id;
}

/** A conversation with a hosted agent: both are in its path. */
async function conversation(ask: Ask): Promise<string> {
  const { id } = (await ask('POST', '/api/v1/eliza/agents', { agentName: 'Subject' })).data;
  const begun = await ask('POST', `/api/v1/eliza/agents/${id}/api/conversations`, {});
  return `${id} ${begun.conversation.id}`;
}

/** Queries of those that would wait. */
const atOnce: Record<string, string> = { 'relay.next': '?timeoutMs=0' };

/** Requests of endpoints for which no example can stand in the declaration: they are signed, or good once. */
const goodRequests: Record<string, (client: Client, path: string) => Promise<Good>> = {
  'auth.cliSessionStart': async () => ({ body: { sessionId: randomUUID() } }),
  'auth.cliSessionEnd': issued,
  'auth.siweVerify': async (client) => {
    const nonce = (await call(client, 'GET', '/api/auth/siwe/nonce')).body;
    return { body: await signSiwe({ ...nonce, wallet: testWallet('contract') }) };
  },
  'pairing.pair': paired,
  'pairing.native': paired,
  'pairing.submit': async (client, path) => {
    const { data } = (await call(client, 'POST', `${path}ing-token`)).body;
    return { body: { token: data?.token ?? 'none' } };
  },
  'relay.respond': answered,
  'documents.upload': async () => ({ body: textForm() }),
  'documents.preUpload': async () => ({ body: textForm() }),
  'documents.dropUpload': async (client) => ({ body: { blobUrl: await uploaded(client) } }),
  'documents.submit': async (client) => {
    const { agent } = (await call(client, 'POST', '/api/v1/app/agents', { name: 'Subject' })).body;
    return { body: { characterId: agent.id, files: [{ blobUrl: await uploaded(client), filename: 'subject.txt' }] } };
  },
  'knowledge.upload /api/v1/knowledge/upload-file': async () => ({ body: textForm() }),
  'voice.clone': async () => ({ body: clonedVoice() }),
  'voice.stt': async () => ({ body: formOf({ audio: sample() }) }),
  'x402.verify': submitted,
  'x402.settle': submitted,
};

const textForm = (): FormData => formOf({ files: [Buffer.from('Subject'), 'subject.txt'] });

const uploaded = async (client: Client): Promise<string> =>
  (await call(client, 'POST', '/api/v1/documents/pre-upload', textForm())).body.files[0].blobUrl;

const clonedVoice = (): FormData => formOf({ name: 'Subject', cloneType: 'instant', file0: sample() });

async function submitted(client: Client): Promise<Good> {
  const requirement = await requirementOf(client);
  return { body: { paymentPayload: await paymentPayload({ wallet, requirement }), paymentRequirements: requirement } };
}

// The key that the login has given.
async function issued(client: Client, path: string): Promise<Good> {
  const { token } = (await call(client, 'POST', '/_emulator/sessions', {})).body;
  const completed = await call(client, 'POST', `${path}/complete`, undefined, { authorization: `Bearer ${token}` });
  return { body: undefined, headers: { authorization: `Bearer ${completed.body.apiKey}` } };
}

// The native form names the origin in its body, and the agent.
async function paired(client: Client, path: string): Promise<Good> {
  const origin = 'http://localhost:3000';
  const { token, agentId } = (await call(client, 'POST', '/_emulator/pairings', { origin })).body;
  if (path.endsWith('/native')) return { body: { token, agentId, expectedOrigin: origin } };
  return { body: { token }, headers: { origin } };
}

// Whoever asks waits for the answer, or for the end of the world.
async function answered(client: Client, path: string): Promise<Good> {
  const [, session = ''] = /sessions\/([^/]+)/.exec(path) ?? [];
  const asked = call(client, 'POST', `/_emulator/relay/${session}`, { rpc: { method: 'heartbeat' } });
  asked.catch(() => {});
  let requestId: string | undefined;
  await eventually(async () => {
    const { relay } = (await call(client, 'GET', '/_emulator/relay')).body;
    requestId = relay.find(({ id }: any) => id === session)?.requests.at(-1)?.requestId;
    return requestId !== undefined;
  });
  return { body: { requestId, response: { jsonrpc: '2.0', id: 1, result: {} } } };
}

/**
 * A body that the endpoint takes.
 *
 * @param path of the request, with what it names
 */
export async function goodRequest(client: Client, endpoint: Endpoint, path: string): Promise<Good> {
  const make = goodRequests[`${endpoint.id} ${endpoint.path}`] ?? goodRequests[endpoint.id];
  return (await make?.(client, path)) ?? { body: endpoint.example };
}

/** A path of the endpoint: with an id, or with that of a thing that was just made by whoever has the credentials. */
export async function pathOf(
  client: Client,
  endpoint: Endpoint,
  { id, credentials = seededKey }: { id?: string; credentials?: Credentials } = {},
): Promise<string> {
  const query = endpoint.id === 'credits.verifyCheckout' ? '?session_id={id}' : '';
  const path = endpoint.path + query;
  if (!path.includes('{')) return path;
  const isTalk = endpoint.path.includes('{conversationId}');
  const make = isTalk ? conversation : makeSubject[endpoint.id.split('.')[0] ?? ''];
  const ask: Ask = async (method, path, body) => {
    const answer = await call(client, method, path, body, await credentials(method, path));
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const ids = (id ?? (await make?.(ask, endpoint)) ?? 'none').split(' ');
  const filled = path.replace(/\{\w+\}/g, () => (ids.length > 1 ? ids.shift() : ids[0]) ?? 'none');
  return filled + (atOnce[endpoint.id] ?? '');
}

/** Whether the answer goes on and on. */
export const isStream = (endpoint: Endpoint): boolean =>
  endpoint.responses[200]?.contentTypes?.every((type) => type === 'text/event-stream') === true;
