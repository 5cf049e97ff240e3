// What the emulator answers, as text: to each operation, right and wrong, to refusals with what caused them, and how a world
// tells of what it has seen. Equal runs give equal bytes.

import { createHash } from 'node:crypto';
import type { Endpoint } from '../../src/http/endpoint.js';
import { registrySite } from '../../src/platform/registry/route.js';
import type { Shot, Target } from '../campaigns/support/hostile.js';
import {
  makeSubjects,
  pathOf,
  type Reply,
  type Subjects,
  send,
  startVictim,
  type Victim,
  worldOf,
} from '../campaigns/support/hostile-run.js';
import { type Judge, judgeOf } from '../support/declared.js';
import { type Answer, call, image } from '../support/emulator.js';
import { goodRequest } from '../support/good-requests.js';
import { feeHeaders } from '../support/payments.js';
import { isOfAll, refusals } from '../support/refusals.js';
import { credentialsFor } from '../support/sessions.js';
import { everySurface } from '../support/surface.js';

export const profiles = ['spec', 'elizacloud-v1', 'elizacloud'] as const;
export type Profile = (typeof profiles)[number];

const shown: readonly string[] = [
  'allow',
  'cache-control',
  'content-type',
  'etag',
  'link',
  'location',
  'retry-after',
  'set-cookie',
  'www-authenticate',
  'x-emulator-assumptions',
  'x-emulator-now',
  'x-emulator-warning',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
];

/** An emulator whose answers are recorded: seed and clock are fixed, and no limit is in the way. */
export const startRecorded = (profile: Profile): Promise<Victim> =>
  startVictim({
    profile,
    seed: 7,
    clock: { start: '2026-01-01T00:00:00Z', frozen: true, exposed: 'virtual' },
    quotas: { enabled: true },
    registry: { require: 'never' },
  });

/** The answers of every operation: to a right request, and to those that a gate refuses. */
export async function operationsAs(victim: Victim): Promise<string> {
  const targets = everySurface
    .filter(({ path, profiles }) => !registrySite.isPath(path) && (profiles?.includes(victim.profile) ?? true))
    .filter(({ id }) => !id.startsWith('control.drain') && !unlike.includes(id));
  const judge = await judgeOf(victim.emulator);
  const texts: string[] = [];
  for (const target of targets) texts.push(await answersOf(victim, target, judge));
  return texts.join('\n');
}

/** Operations whose answers are of the machine, or of the time that it takes. */
const unlike = ['control.config', 'control.health', 'control.clock.resume', 'control.snapshots.export'];

async function answersOf(whole: Victim, target: Target, judge: Judge): Promise<string> {
  const isOfAll = target.path.startsWith('/w/') || target.path.includes('/worlds');
  const name = `at-${target.id.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${target.method.toLowerCase()}`;
  const emulator = isOfAll ? whole.emulator : await worldOf(whole.emulator, name.slice(0, 60));
  const victim = { ...whole, emulator };
  const subjects = await makeSubjects(victim, target).catch((): Subjects => ({ mine: 'none', others: 'none' }));
  const who = { ...credentialsFor(emulator, target), ...(await feeHeaders(emulator, target)) };
  const lines = [`# ${target.id}: ${target.method} ${target.path}`];
  for (const [what, shot] of await shotsOf(victim, target, subjects)) {
    const reply = await send(victim, { ...shot, headers: { ...who, ...shot.headers } }, pathOf(shot, subjects));
    lines.push(`- ${what}`, textOf(reply));
    // Each answer has a status and a form that the published document declares.
    const problem = judge(target, shot, reply);
    if (problem !== undefined) lines.push(`NOT AS DECLARED: ${problem}`);
  }
  if (!isOfAll) await whole.emulator.controls.worlds.drop(name.slice(0, 60));
  return `${lines.join('\n')}\n`;
}

async function shotsOf(victim: Victim, target: Target, subjects: Subjects): Promise<[string, Shot][]> {
  const usual = { method: target.method, path: target.path, subject: 'mine', query: '', headers: {} } as const;
  const good = { ...usual, ...(await goodContent(victim, target, pathOf({ ...usual, body: undefined }, subjects))) };
  const shots: [string, Shot][] = [
    ['nobody', { ...good, headers: { authorization: '' } }],
    ['an unknown parameter', { ...good, query: 'zzz=1' }],
    ...(target.path.includes('{') ? ([['of nothing', { ...good, subject: 'gone' }]] as [string, Shot][]) : []),
    ...(target.method === 'GET'
      ? []
      : ([
          ['broken JSON', { ...good, headers: { ...good.headers, 'content-type': 'application/json' }, body: '{"a":' }],
          ['another body', { ...usual, body: '{"zzz":1}' }],
        ] as [string, Shot][])),
    ['right', good],
    ['right again', good],
  ];
  return shots;
}

// The example of the declaration, or what signs, and names what was just made.
async function goodContent(victim: Victim, target: Target, path: string): Promise<Pick<Shot, 'headers' | 'body'>> {
  const { emulator } = victim;
  const client = { ...emulator, fetch: (at: string, init?: RequestInit) => fetch(emulator.url + at, init) };
  if (target.body === undefined && target.upload === undefined && target.example === undefined)
    return { headers: {}, body: undefined };
  if (target.id === 'auth.cliSessionStart') return { headers: {}, body: '{"sessionId":"recorded"}' };
  const { body, headers = {} } = await goodRequest(client as never, target as Endpoint, path);
  if (body instanceof FormData) {
    const request = new Request('http://localhost', { method: 'POST', body });
    const type = request.headers.get('content-type') ?? '';
    return { headers: { ...headers, 'content-type': type }, body: Buffer.from(await request.arrayBuffer()) };
  }
  return { headers, body: body === undefined ? undefined : JSON.stringify(body) };
}

/** Refusals, whose causes are of every kind. */
export async function refusalsAs(victim: Victim): Promise<string> {
  const texts: string[] = [];
  for (const [place, refusal] of refusals.entries()) {
    if (victim.profile === 'elizacloud' && !isOfAll(refusal)) continue;
    const emulator = await worldOf(victim.emulator, `refused-${place}`);
    const client = { ...emulator, fetch: (at: string, init?: RequestInit) => fetch(emulator.url + at, init) };
    const given = (await refusal.given?.(client as never)) ?? {};
    await refusal.cause?.(client as never, given);
    texts.push(`# ${refusal.name}\n${textOf(replyOf(await refusal.refused(client as never, given)))}\n`);
    await victim.emulator.controls.worlds.drop(`refused-${place}`);
  }
  return texts.join('\n');
}

/** What a world tells of itself after a day on which much happened. */
export async function storyAs(victim: Victim): Promise<string> {
  const emulator = await worldOf(victim.emulator, 'story');
  const { controls } = emulator;
  const client = { ...emulator, fetch: (at: string, init?: RequestInit) => fetch(emulator.url + at, init) } as never;
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> => call(client, method, path, body);
  const create = (name: string, headers = {}): Promise<Answer> =>
    call(client, 'POST', '/api/v1/containers', containerOf(victim, name), headers);
  const web = (await create('web')).body.data.id;
  await create('broken', { 'x-emulator-failure': 'exec-format' });
  await controls.clock.advance('5m');
  await ask('GET', `/api/v1/containers/${web}`);
  await ask('GET', `/api/v1/containers/${web}/logs?tail=20`);
  await controls.snapshots.take({ name: 'before' });
  await controls.faults.add({ match: { operation: 'containers.list' }, when: { times: 2 }, effect: { status: 503 } });
  for (let i = 0; i < 3; i++) await ask('GET', '/api/v1/containers');
  await ask('POST', '/api/v1/app/agents', { name: 'Ada' });
  await ask('POST', '/api/v1/chat/completions', { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] });
  await controls.containers.crash('web');
  await controls.clock.advance('2d');
  await ask('DELETE', `/api/v1/containers/${web}`);
  const tellings = [
    'requests',
    'timeline',
    'history',
    'verdicts',
    'report',
    'coverage',
    'ledger',
    'containers',
    'faults',
  ];
  const before = await tell(victim, emulator, [...tellings, 'clock', 'events?until=now', 'snapshots', 'limits']);
  await controls.snapshots.restore('before');
  const after = await tell(victim, emulator, ['requests', 'timeline', 'history', 'ledger', 'containers', 'clock']);
  await victim.emulator.controls.worlds.drop('story');
  return `${before}\n# restored\n${after}`;
}

const containerOf = ({ profile }: Victim, name: string): object =>
  profile === 'elizacloud'
    ? { name, image: 'ghcr.io/elizaos/web:v1' }
    : { name, project_name: name, ecr_image_uri: image };

async function tell(victim: Victim, emulator: Victim['emulator'], names: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const name of names) {
    const [path = '', query = ''] = name.split('?');
    const shot = {
      method: 'GET',
      path: `/_emulator/${path}`,
      subject: 'mine',
      query,
      headers: {},
      body: undefined,
    } as const;
    lines.push(`# ${name}`, textOf(await send({ ...victim, emulator }, shot, shot.path)));
  }
  return lines.join('\n');
}

const replyOf = ({ status, headers, text }: Answer): Pick<Reply, 'status' | 'headers' | 'text' | 'bytes'> => ({
  status,
  headers: Object.fromEntries(headers),
  text,
  bytes: Buffer.from(text),
});

function textOf({ status, headers, text, bytes }: Pick<Reply, 'status' | 'headers' | 'text' | 'bytes'>): string {
  const lines = shown.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]));
  return [String(status), ...lines.map(masked), bodyOf(masked(text), bytes)].join('\n');
}

// Of what is no text, or long, the rest stands by its hash.
function bodyOf(text: string, bytes: Buffer): string {
  if (text.includes('\u0000') || text.includes('\ufffd')) return `${bytes.length} bytes, ${hashOf(bytes)}`;
  return text.length <= longest ? text : `${text.slice(0, longest)} … ${text.length} characters, ${hashOf(text)}`;
}

const longest = 3_000;
const hashOf = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex').slice(0, 16);

/** Ports, the wall clock, sizes of files, names of worlds that nobody named, and the nonces of payments are others each time. */
const masks: readonly [RegExp, string][] = [
  [/(127\.0\.0\.1|localhost):\d{4,5}/g, '$1:PORT'],
  [/X-Timestamp is \d+ s/g, 'X-Timestamp is 0 s'],
  [/"(clientNow|wall|durationMs|begunAt|endedAt|bytes)":[\d.]+/g, '"$1":0'],
  [/"file":"[^"]*\/fixtures\//g, '"file":"fixtures/'],
  // The directory of the checkout, and what the client of this version of Node sends.
  [/"x-emulator":"[^"]+"/g, '"x-emulator":""'],
  [/"requestHeaders":\{[^}]*\}/g, '"requestHeaders":{}'],
  [/"connection":\{[^}]*\}/g, `"connection":{}`],
  [/"(takenAt|usedAt)":"[^"]+"/g, '"$1":""'],
  [/\bw-[0-9a-f]{12}\b/g, 'w-NAME'],
  [/"transaction":"0x[0-9a-f]{64}"/g, '"transaction":"0x"'],
];

const masked = (text: string): string =>
  masks.reduce((changed, [pattern, instead]) => changed.replaceAll(pattern, instead), text);
