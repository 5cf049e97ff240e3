// Sends generated requests to a running emulator and says what is wrong with the answers.

import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import * as fc from 'fast-check';
import type * as z from 'zod';
import type { Controls, RemoteControls } from '../../../src/app/controls.js';
import { controlOperations } from '../../../src/app/controls.js';
import { loadConfig } from '../../../src/config/load.js';
import type { Config } from '../../../src/config/schema.js';
import { errorTable } from '../../../src/core/errors.js';
import { fetchFrom } from '../../../src/core/local-fetch.js';
import type { Endpoint } from '../../../src/http/endpoint.js';
import { errorsOf } from '../../../src/http/openapi.js';
import { endpointRoutes, isEndpoint } from '../../../src/http/routes.js';
import { errorEnvelope, flatErrorEnvelope } from '../../../src/http/wire.js';
import { registrySite } from '../../../src/platform/registry/route.js';
import { surfaceOf } from '../../../src/platform/surface.js';
import type { World } from '../../../src/world/world.js';
import type { Worlds } from '../../../src/world/worlds.js';
import { feeHeaders } from '../../support/payments.js';
import { type RunEmulator, runWithControls } from '../../support/run-emulator.js';
import { testSeed } from '../../support/seed.js';
import { credentialsFor } from '../../support/sessions.js';
import { isTodays } from '../../support/surface.js';
import { formOf, sample } from '../../support/voice.js';
import { type Shot, shotsAt, shotText, type Target } from './hostile.js';
import { filled, pushGround, registryShots, wrongContent, wrongForm } from './hostile-registry.js';

const patienceMs = 30_000;
/** No answer takes longer. */
const longestMs = 2_000;

/** A request that was answered late. */
interface SlowShot {
  shot: Shot;
  path: string;
}
const controls = controlOperations as unknown as Endpoint[];

/** The target of requests: an emulator, or a world of one, in this process or in another. */
export interface Asked {
  emulator: Pick<RunEmulator, 'url' | 'port' | 'apiKey' | 'organizationId'> & { controls: Controls | RemoteControls };
  agent: Agent;
  sent: number;
  /** Without it, spec. */
  profile?: Config['profile'];
}

/** An emulator under fire. */
export interface Victim extends Asked {
  emulator: RunEmulator;
  /** Faults that the emulator told its log. */
  errors: unknown[];
  /** The answers that it gives under its settings. */
  surface: readonly Endpoint[];
  flat: boolean;
  profile: Config['profile'];
  /** The longest that a request of each operation took when nothing else was asked, of those that took long in company. */
  slow: Map<string, number>;
  close(): Promise<void>;
}

/** @param inWorld another world of the emulator is shot at, under its prefix */
export async function startVictim(settings: Record<string, unknown> = {}, inWorld = false): Promise<Victim> {
  const { config } = loadConfig({
    file: null,
    settings: {
      server: { port: 0 },
      data: { ephemeral: true },
      seed: 'hostile',
      clock: { start: '2026-01-01T00:00:00Z', frozen: true },
      strict: { responses: true },
      rateLimits: { enabled: false },
      quotas: { enabled: false },
      containers: { urlStyle: 'path' },
      ...settings,
    },
  });
  const errors: unknown[] = [];
  const whole = await runWithControls({ config, onError: (error) => errors.push(error) });
  const emulator = inWorld ? await worldOf(whole) : whole;
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  return {
    emulator,
    agent,
    errors,
    sent: 0,
    surface: surfaceOf(config),
    flat: config.errors.style === 'flat',
    profile: config.profile,
    slow: new Map(),
    async close() {
      agent.destroy();
      await emulator.close();
    },
  };
}

/** Another world of an emulator. */
export async function worldOf(whole: RunEmulator, name = 'hostile'): Promise<RunEmulator> {
  const { id, baseUrl, ...identity } = await whole.controls.worlds.create({ id: name, seed: 'hostile' });
  const { controlsOf } = await whole.controlPlane();
  const { apiKey, organizationId, userId } = identity;
  return { ...whole, apiKey, organizationId, userId, url: baseUrl, controls: controlsOf(id) };
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
}

/** Ids that paths name: one of the caller's, one of somebody else's. */
export interface Subjects {
  mine: string;
  others: string;
  /** The things that the registry's requests name, by the word in braces. */
  named?: Record<string, string>;
}

interface Maker {
  path: string;
  body: (n: number, isTodays: boolean) => object | FormData;
  id: (body: any) => string;
}

const makers: Record<string, Maker> = {
  agents: { path: '/api/v1/app/agents', body: (n) => ({ name: `Subject ${n}` }), id: (body) => body.agent.id },
  // A rule that never acts: others of its kind would break what comes after.
  faults: {
    path: '/_emulator/faults',
    body: () => ({ when: { probability: 0 }, effect: { status: 418 } }),
    id: (body) => body.id,
  },
  cliSession: {
    path: '/api/auth/cli-session',
    body: (n) => ({ sessionId: `subject-${n}` }),
    id: (body) => body.sessionId,
  },
  files: {
    path: '/api/v1/generate-image',
    body: (n) => ({ prompt: `Subject ${n}` }),
    id: (body) => body.images[0].url.split('/').at(-1),
  },
  knowledge: { path: '/api/v1/knowledge', body: (n) => ({ content: `Subject ${n}` }), id: (body) => body.document.id },
  documents: { path: '/api/v1/documents', body: (n) => ({ content: `Subject ${n}` }), id: (body) => body.document.id },
  checkout: {
    path: '/api/v1/credits/checkout',
    body: () => ({ credits: 1, success_url: 'http://localhost/', cancel_url: 'http://localhost/' }),
    id: (body) => body.sessionId,
  },
  voice: { path: '/api/v1/voice/clone', body: clonedVoice, id: (body) => body.id },
  jobs: { path: '/api/v1/voice/clone', body: clonedVoice, id: (body) => body.job.id },
  hostedAgents: {
    path: '/api/v1/eliza/agents',
    body: (n) => ({ agentName: `Subject ${n}`, alwaysOn: true, autoProvision: false }),
    id: (body) => body.data.id,
  },
  // A shared one, which runs.
  talk: { path: '/api/v1/eliza/agents', body: (n) => ({ agentName: `Subject ${n}` }), id: (body) => body.data.id },
  pairing: {
    path: '/api/v1/eliza/agents',
    body: (n) => ({ agentName: `Subject ${n}`, alwaysOn: true }),
    id: (body) => body.data.id,
  },
  relay: {
    path: '/api/v1/eliza/gateway-relay/sessions',
    body: (n) => ({ runtimeAgentId: `subject-${n}` }),
    id: (body) => body.data.session.id,
  },
  sessions: { path: '/_emulator/sessions', body: () => ({}), id: (body) => body.id },
  keys: { path: '/api/v1/api-keys', body: (n) => ({ name: `Subject ${n}` }), id: (body) => body.apiKey.id },
  containers: {
    path: '/api/v1/containers',
    // Of a registry elsewhere: an image of ours may have been deleted by an operation before.
    body: (n, isTodays) =>
      isTodays
        ? { name: `subject-${n}`, image: 'ghcr.io/elizaos/subject:v1' }
        : { name: `subject-${n}`, project_name: `subject-${n}`, ecr_image_uri: 'r/subject:v1' },
    id: (body) => body.data.id,
  },
};

function clonedVoice(n: number): FormData {
  return formOf({ name: `Subject ${n}`, cloneType: 'instant', file0: sample('voice.mp3') });
}

/** Makes what an endpoint's path names, once for the caller and once for another organization. */
export async function makeSubjects(victim: Asked, target: Target): Promise<Subjects> {
  const { emulator } = victim;
  if (registrySite.isPath(target.path)) {
    const client = { ...emulator, fetch: fetchFrom(emulator.url) };
    await emulator.controls.organizations.credits(emulator.organizationId, { set: 1_000 });
    return { mine: 'none', others: 'none', named: await pushGround(client, victim.sent++) };
  }
  if (!target.path.includes('{')) return { mine: 'none', others: 'none' };
  const other = await emulator.controls.organizations.create();
  if (target.path.includes('/organizations/')) return { mine: other.id, others: emulator.organizationId };
  if (target.path.includes('/scenarios/')) {
    await emulator.controls.scenarios.save({ name: 'mine' });
    return { mine: 'mine', others: 'happy-path' };
  }
  if (target.path.includes('/snapshots/')) {
    for (const name of ['mine', 'others']) await emulator.controls.snapshots.take({ name });
    return { mine: 'mine', others: 'others' };
  }
  if (target.path.includes('/worlds/') || target.path.startsWith('/w/')) {
    const { id } = await emulator.controls.worlds.create();
    return { mine: id, others: 'default' };
  }
  if (target.path.includes('/images/')) {
    for (const tag of ['mine', 'others']) await emulator.controls.images.make({ repository: 'acme/web', tag });
    return { mine: 'web:mine', others: 'web:others' };
  }
  if (target.path.includes('/models/')) return { mine: 'gpt-4o', others: 'gpt-4o-mini' };
  if (/\/(requests|history)\//.test(target.path)) return { mine: await requestOf(emulator.url), others: 'req_0' };
  if (isTodays(target) && target.path.includes('/api-keys/')) {
    // A key cannot make another one there.
    const ofOne = async (organizationId: string) => (await emulator.controls.keys.create({ organizationId })).id;
    return { mine: await ofOne(emulator.organizationId), others: await ofOne(other.id) };
  }
  const nouns =
    /hostedAgents|agents|containers|keys|faults|cliSession|pairing|relay|sessions|voice|jobs|knowledge|files|documents|[cC]heckout|billing/;
  const isTalk = target.path.includes('{conversationId}');
  const noun = isTalk ? 'talk' : (nouns.exec(target.id)?.[0]?.replace('Checkout', 'checkout') ?? '');
  const maker = makers[noun === 'billing' ? 'containers' : noun];
  if (maker === undefined) throw new Error(`say in hostile-run.ts how to make what ${target.id} names`);
  const make = async (key: string): Promise<string> => {
    const content = maker.body(victim.sent++, victim.profile === 'elizacloud');
    const answer = await fetch(victim.emulator.url + maker.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: content instanceof FormData ? content : JSON.stringify(content),
    });
    const body: any = await answer.json();
    if (!answer.ok) throw new Error(`${noun}: ${JSON.stringify(body)}`);
    return noun === 'talk' ? withConversation(emulator.url, key, maker.id(body)) : maker.id(body);
  };
  // A key of its own: the seeded organization may have been emptied of credits by now.
  const mine = await emulator.controls.organizations.create({ credits: 100 });
  if (target.id.startsWith('control.')) {
    const subjects = { mine: await make(mine.apiKey), others: await make(other.apiKey) };
    if (noun === 'relay') {
      void answerAll(emulator.url, mine.apiKey, subjects.mine).catch(() => {});
      void answerAll(emulator.url, other.apiKey, subjects.others).catch(() => {});
    }
    return subjects;
  }
  await emulator.controls.organizations.credits(emulator.organizationId, { set: 1_000 });
  return { mine: await make(emulator.apiKey), others: await make(other.apiKey) };
}

/** A hosted agent, and a conversation with it. */
async function withConversation(url: string, key: string, agent: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const begun = await fetch(`${url}/api/v1/eliza/agents/${agent}/api/conversations`, { method: 'POST', headers });
  return `${agent} ${((await begun.json()) as any).conversation.id}`;
}

/** An agent that answers whatever it is asked, until its session or its emulator is no more. */
async function answerAll(url: string, key: string, session: string): Promise<void> {
  const at = `${url}/api/v1/eliza/gateway-relay/sessions/${session}`;
  const headers = { authorization: `Bearer ${key}` };
  for (;;) {
    const next = await fetch(`${at}/next`, { headers });
    if (!next.ok) return;
    const { request } = ((await next.json()) as any).data;
    if (request === null) continue;
    const body = JSON.stringify({ requestId: request.requestId, response: { id: request.rpc.id, result: {} } });
    await fetch(`${at}/responses`, { method: 'POST', headers, body });
  }
}

// A poll waits as long as it is told to. What follows a '#' may be cut off.
function inTime({ path, query }: Shot): string {
  if (!path.endsWith('/next')) return query;
  const given = new URLSearchParams(query).getAll('timeoutMs');
  if (given.length === 0) return query === '' ? 'timeoutMs=0' : `timeoutMs=0&${query}`;
  const isShort = given.every((value) => value.trim() !== '' && !(Number(value) > 99));
  return isShort ? query : 'timeoutMs=9';
}

async function requestOf(url: string): Promise<string> {
  return (await fetch(`${url}/api/health`)).headers.get('x-request-id') ?? 'none';
}

/** The path of a shot with what it names. */
export function pathOf(shot: Shot, subjects: Subjects): string {
  if (subjects.named !== undefined) return filled(shot.path, subjects.named);
  const gone = '00000000-0000-4000-8000-000000000000';
  const id =
    typeof shot.subject === 'object' ? shot.subject.text : shot.subject === 'gone' ? gone : subjects[shot.subject];
  const ids = id.split(' ');
  const isOne = ids.length !== 2 || !shot.path.includes('{conversationId}');
  return isOne ? shot.path.replace(/\{\w+\}/, id) : shot.path.replace(/\{\w+\}/g, () => ids.shift() ?? '');
}

// A request with what it names.
function aimed(shot: Shot, { named }: Subjects): Shot {
  if (named === undefined) return shot;
  const { headers, body } = shot;
  return {
    ...shot,
    query: filled(shot.query, named),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value, named)])),
    body: typeof body === 'string' ? filled(body, named) : body,
  };
}

/** Sends a request; an answer that streams is left after its first bytes. */
export function send(victim: Asked, shot: Shot, pathInside: string): Promise<Reply> {
  const { port, apiKey, url } = victim.emulator;
  const path = new URL(url).pathname.replace(/\/$/, '') + pathInside;
  const query = inTime(shot);
  victim.sent++;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`no answer in ${patienceMs} ms`));
      sent.destroy();
    }, patienceMs);
    const headers: Record<string, string | number> = { authorization: `Bearer ${apiKey}`, ...shot.headers };
    if (shot.body !== undefined && headers['transfer-encoding'] === undefined)
      headers['content-length'] = Buffer.byteLength(shot.body);
    const sent = request({
      host: '127.0.0.1',
      port,
      path: query === '' ? path : `${path}?${query}`,
      method: shot.method,
      headers,
      agent: victim.agent,
    });
    sent.on('response', (res) => {
      const chunks: Buffer[] = [];
      const done = (): void => {
        clearTimeout(timer);
        const bytes = Buffer.concat(chunks);
        resolve({ status: res.statusCode ?? 0, headers: res.headers, bytes, text: bytes.toString() });
      };
      res.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (res.headers['content-type']?.startsWith('text/event-stream') !== true) return;
        done();
        res.destroy();
      });
      res.on('end', done);
      res.on('error', done);
    });
    sent.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    sent.end(shot.body);
  });
}

/** The problems of the answer to a request; none when all is well. */
export async function complaint(
  victim: Victim,
  generated: Shot,
  subjects: Subjects,
  slow: SlowShot[] = [],
): Promise<string | undefined> {
  const shot = aimed(generated, subjects);
  const path = pathOf(shot, subjects);
  let reply: Reply;
  try {
    const begun = performance.now();
    reply = await send(victim, shot, path);
    if (performance.now() - begun > longestMs) slow.push({ shot, path });
  } catch (error) {
    // Beyond the size limit the rest of a body is not read, and the connection ends under it.
    return `${(error as Error).message}: ${shotText(shot)}`;
  }
  const problem = judge(victim, shot, path, reply);
  return problem === undefined
    ? undefined
    : `${problem}\n  ${shotText(shot)}\n  answered ${reply.status} ${reply.text.slice(0, 600)}`;
}

function judge(victim: Victim, shot: Shot, path: string, reply: Reply): string | undefined {
  const { status, headers, text } = reply;
  if (status >= 500 && !isMissing(victim, shot.method, path) && !isOrdered(shot, text)) return `status ${status}`;
  const isControl = /^(\/w\/[^/]+)?\/_emulator/.test(path);
  const preflight = shot.method === 'OPTIONS' && headers['access-control-allow-methods'] !== undefined;
  if (preflight) return status === 204 ? undefined : 'a preflight that is not 204';
  if (!isControl) {
    for (const name of ['x-request-id', 'x-emulator-now', 'x-ratelimit-limit'])
      if (headers[name] === undefined) return `header ${name} is missing`;
  }
  if (shot.method === 'HEAD') return text === '' ? undefined : 'a body for HEAD';
  const type = headers['content-type'] ?? '';
  const endpoint = endpointAt(victim, shot.method, path);
  const isRegistry = registrySite.isPath(path);
  if (isRegistry && status < 400) return wrongContent(endpoint, reply);
  if (status < 400 && !type.startsWith('application/json')) {
    const declared = endpoint?.responses[status]?.contentTypes ?? ['application/json'];
    return declared.some((one) => type.startsWith(one)) ? undefined : `content type ${type}`;
  }
  // People in browsers are told in a page what went wrong.
  const isPage = shot.headers.accept?.includes('text/html') && type.startsWith('text/html');
  const hasPage = Object.values(endpoint?.responses ?? {}).some((one) => one.contentTypes?.includes('text/html'));
  if (isPage && (endpoint?.page === true || hasPage))
    return text.includes(`(${status})</h1>`) ? undefined : 'a page that does not tell its status';
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return 'the body is no JSON';
  }
  const declared = endpoint?.responses[status]?.schema;
  if (status < 400) return broken(declared, body);
  // Some operations answer 409 with what is under way.
  if (declared?.safeParse(body).success === true) return undefined;
  const isTooLong = path.length + shot.query.length + Object.values(shot.headers).join('').length > 14_000;
  const isRefused = isTooLong && (status === 414 || status === 431);
  const form = isRegistry && !isRefused ? wrongForm(body, headers) : undefined;
  if (form !== undefined) return form;
  if (victim.flat) return broken(flatErrorEnvelope, body);
  if (isRefused) return broken(errorEnvelope, body);
  return broken(errorEnvelope, body) ?? wrongError(endpoint, status, headers, body as z.output<typeof errorEnvelope>);
}

// Operations of the registry do not depend on the world that a path names.
const anyWorld = {} as World;
const anyWorlds = { find: () => anyWorld } as Partial<Worlds> as Worlds;

function endpointAt({ surface }: Victim, method: string, path: string): Endpoint | undefined {
  const isControl = /^(\/w\/[^/]+)?\/_emulator/.test(path);
  if (registrySite.isPath(path)) return registrySite.find(method, path, '', anyWorld, anyWorlds).endpoint;
  const there = endpointRoutes(isControl ? controls : surface).at(path);
  return there.map(({ target }) => target).find((target) => isEndpoint(target) && target.method === method) as Endpoint;
}

/** Whether the platform has an operation there that the emulator answers with 501. */
function isMissing({ surface }: Victim, method: string, path: string): boolean {
  const found = endpointRoutes(surface).find(method, path);
  return found !== undefined && !isEndpoint(found.target);
}

/** Whether the request has asked for the failure that it is answered with: that of a container which starts within it. */
function isOrdered({ headers }: Shot, text: string): boolean {
  const mode = headers['x-emulator-failure'];
  return mode !== undefined && text.includes(`"mode":${JSON.stringify(mode)}`);
}

function broken(schema: z.ZodType | undefined, body: unknown): string | undefined {
  if (schema === undefined) return 'a status that is not declared';
  const [issue] = schema.safeParse(body).error?.issues ?? [];
  return issue === undefined ? undefined : `breaks its schema: ${issue.path.join('.')} ${issue.message}`;
}

function wrongError(
  endpoint: Endpoint | undefined,
  status: number,
  headers: IncomingHttpHeaders,
  { error }: z.output<typeof errorEnvelope>,
): string | undefined {
  const { code, requestId, details } = error;
  if (errorTable[code as keyof typeof errorTable]?.status !== status) return `code ${code} with status ${status}`;
  if (headers['x-request-id'] !== undefined && headers['x-request-id'] !== requestId) return 'another request id';
  if (Array.isArray(details)) {
    const paths = details.map((detail) => detail.path ?? JSON.stringify(detail));
    if (new Set(paths).size !== paths.length) return 'two problems of one field';
  }
  // Whatever is asked of a foreign name.
  if (endpoint === undefined || (details as { reason?: unknown } | undefined)?.reason === 'foreign-host')
    return undefined;
  const known: string[] = [...errorsOf(endpoint, controls.includes(endpoint)), 'VALIDATION_ERROR'];
  return known.includes(code) ? undefined : `error ${code} is not declared`;
}

/** The problems of the emulator after it was shot at. */
export async function damage({ emulator, errors }: Victim): Promise<string[]> {
  const found = errors.splice(0).map((error) => `logged: ${error instanceof Error ? error.stack : String(error)}`);
  const health = await fetch(`${emulator.url}/_emulator/health`, { signal: AbortSignal.timeout(patienceMs) });
  if (health.status !== 200) found.push(`health is ${health.status}`);
  const balances = new Map<string, number>();
  for (const { organizationId, id, amount, balanceBefore, balanceAfter } of emulator.controls.ledger()) {
    const before = balances.get(organizationId) ?? 0;
    if (before !== balanceBefore || Math.abs(before + amount - balanceAfter) > 1e-6)
      found.push(`ledger ${id}: ${before} ${balanceBefore} + ${amount} = ${balanceAfter}`);
    balances.set(organizationId, balanceAfter);
  }
  for (const { id, credits } of emulator.controls.organizations.list())
    if (credits !== (balances.get(id) ?? 0)) found.push(`${id} has ${credits}, its ledger says ${balances.get(id)}`);
  return found;
}

export interface Campaign {
  victim: Victim;
  target: Target;
  requests: number;
  /** Other than that of all generated tests. */
  seed?: number;
}

// Without what everybody pays nothing else would be looked at.
function withHeaders(shot: Shot, headers: Record<string, string>): Shot {
  return { ...shot, headers: { ...headers, ...shot.headers } };
}

// A request that took long beside others, or because the machine was busy, is sent alone.
async function tooSlow(victim: Victim, { id }: Target, slow: readonly SlowShot[]): Promise<string[]> {
  const found: string[] = [];
  for (const { shot, path } of slow) {
    const begun = performance.now();
    await send(victim, shot, path).catch(() => undefined);
    const ms = Math.round(performance.now() - begun);
    victim.slow.set(id, Math.max(ms, victim.slow.get(id) ?? 0));
    if (ms > longestMs) found.push(`no answer in ${longestMs} ms, but in ${ms}\n  ${shotText(shot)}`);
  }
  return found;
}

const salvo = { minLength: 12, maxLength: 28, size: 'max' } as const;

/** Shoots at an endpoint, many requests at once; throws with the seed and the smallest salvo that hurts. */
export async function shootAt({ victim, target, requests, seed = testSeed }: Campaign): Promise<void> {
  const isRegistry = registrySite.isPath(target.path);
  const shots = fc.array(isRegistry ? registryShots(target) : shotsAt(target), salvo);
  const property = fc.asyncProperty(shots, async (all) => {
    const subjects = await makeSubjects(victim, target);
    const { emulator } = victim;
    const paid = { ...credentialsFor(emulator, target), ...(await feeHeaders(emulator, target)) };
    const slow: SlowShot[] = [];
    const complaints = await Promise.all(
      all.map((shot, i) => complaint(victim, i % 3 === 0 ? shot : withHeaders(shot, paid), subjects, slow)),
    );
    const found = [...complaints.filter((one) => one !== undefined), ...(await tooSlow(victim, target, slow))];
    found.push(...(await damage(victim)));
    if (found.length > 0) throw new Error(found.slice(0, 3).join('\n'));
  });
  const numRuns = Math.ceil((requests * 2) / (salvo.minLength + salvo.maxLength));
  await fc.assert(property, { seed, numRuns, interruptAfterTimeLimit: 240_000 });
}
