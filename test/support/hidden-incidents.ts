// Incidents whose truth is known: a world with state and faults that only the test knows, and clients of three kinds that
// meet it and are recorded.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { importRecordings } from '../../src/cli/import/from-recordings.js';
import { freshSettings } from '../../src/cli/tested-command.js';
import type { Emulator, EmulatorWorld, FaultRequest, ScenarioInput } from '../../src/index.js';
import { readHar } from '../../src/tools/incidents/har.js';
import { pickOf } from '../../src/tools/incidents/incident.js';
import { tempDir } from './command.js';
import { recordFetch } from './record-har.js';

export type Kind = 'undici' | 'curl' | 'chromium';

interface Answer {
  status: number;
  json: Record<string, unknown> | undefined;
  retryAfter: number;
}

/** Sends a request; undefined: no answer came. */
type Call = (method: string, path: string, body?: object) => Promise<Answer | undefined>;

interface Recorder {
  call: Call;
  har(): Promise<unknown>;
}

export interface Hidden {
  seed: number;
  scenario: ScenarioInput;
  play(call: Call): Promise<void>;
}

/** Numbers in [0, 1) that follow from a seed. */
function drawing(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The incident of a seed. */
export function hiddenIncident(seed: number): Hidden {
  const draw = drawing(seed);
  const oneOf = <Value>(...values: readonly Value[]): Value => values[Math.floor(draw() * values.length)] as Value;
  const chance = (share: number): boolean => draw() < share;
  const lost = (operation: string): FaultRequest => ({
    match: { operation },
    when: { nth: oneOf(1, 1, 2) },
    phase: oneOf('before', 'after', 'after'),
    effect: { network: oneOf('reset', 'close') },
  });
  const faults: FaultRequest[] = [
    ...(chance(0.5) ? [lost('containers.create')] : []),
    ...(chance(0.3) ? [lost('agents.create')] : []),
    ...(chance(0.3)
      ? [
          {
            match: { operation: oneOf('agents.create', 'containers.create', 'containers.list') },
            when: { times: oneOf(1, 2) },
            effect: { retryAfter: 1 },
          },
        ]
      : []),
    ...(chance(0.2)
      ? [
          {
            match: { operation: 'containers.get' },
            when: { nth: oneOf(2, 3) },
            effect: { status: 502, body: '<html>Bad gateway</html>', headers: { 'Content-Type': 'text/html' } },
          },
        ]
      : []),
    ...(chance(0.2)
      ? [
          {
            match: { operation: oneOf('containers.create', 'account.balance') },
            when: { nth: 1 },
            effect: { error: oneOf('INTERNAL_ERROR', 'SERVICE_UNAVAILABLE') as 'INTERNAL_ERROR' },
          },
        ]
      : []),
    ...(chance(0.15)
      ? [
          {
            match: { operation: 'containers.list' },
            when: { nth: oneOf(1, 2) },
            phase: 'after' as const,
            effect: { network: oneOf('truncate', 'malformed') as 'truncate' },
          },
        ]
      : []),
    ...(chance(0.15)
      ? [
          {
            match: { operation: 'containers.get' },
            when: { nth: 2 },
            phase: 'after' as const,
            effect: { set: { '/data/status': 'archived' } },
          },
        ]
      : []),
    ...(chance(0.1)
      ? [
          {
            match: { operation: 'containers.get' },
            when: { nth: oneOf(2, 4) },
            effect: { error: 'NOT_FOUND' as const },
          },
        ]
      : []),
  ];
  const old = Array.from({ length: oneOf(0, 0, 1, 3) }, (_, index) => ({
    project_name: `old-${index}`,
    age: `${index + 1}d`,
  }));
  const agents = Array.from({ length: oneOf(0, 1, 2) }, (_, index) => ({
    name: `Agent ${index}`,
    bio: 'Hello',
    age: '1h',
  }));
  const mode = oneOf(null, null, null, 'oom-start', 'crash-loop', 'image-not-found');
  const scenario: ScenarioInput = {
    seed,
    settings: { containers: { timing: { pending: 80, building: 120, deploying: 150, running: 100 } } },
    data: {
      credits: oneOf(1, 3, 20, 50),
      containers: old,
      agents,
      ...(chance(0.15) && { key: { expiresIn: oneOf(600, 1_200) } }),
    },
    containers: mode === null ? [] : [{ match: { deployment: 1 }, mode }],
    faults,
  };
  const plan = {
    listFirst: chance(0.7),
    balanceFirst: chance(0.7),
    careful: chance(0.4),
    agent: chance(0.5),
    balanceLast: chance(0.7),
    listLast: chance(0.5),
    remove: chance(0.2),
    creates: oneOf(1, 1, 2),
  };
  return { seed, scenario, play: (call) => play(call, plan) };
}

interface Plan {
  listFirst: boolean;
  balanceFirst: boolean;
  careful: boolean;
  agent: boolean;
  balanceLast: boolean;
  listLast: boolean;
  remove: boolean;
  creates: number;
}

const [containers, agents, balance] = ['/api/v1/containers', '/api/v1/app/agents', '/api/v1/credits/balance'];

async function play(call: Call, plan: Plan): Promise<void> {
  if (plan.listFirst) await call('GET', containers);
  if (plan.balanceFirst) await call('GET', balance);
  for (let n = 0; n < plan.creates; n++) {
    const made = await create(
      call,
      containers,
      { name: `Web ${n}`, project_name: `web-${n}`, ecr_image_uri: 'acme/web:v1' },
      plan.careful ? containers : undefined,
    );
    const id = (made?.json?.data as { id?: string } | undefined)?.id;
    if (id === undefined) continue;
    for (let poll = 0; poll < 10; poll++) {
      const one = await call('GET', `${containers}/${id}`);
      const status = (one?.json?.data as { status?: string } | undefined)?.status;
      if (status === 'running' || status === 'failed') break;
      await sleep(plan.careful ? 110 : 60);
    }
    if (plan.remove) await call('DELETE', `${containers}/${id}`);
  }
  if (plan.agent)
    await create(
      call,
      agents,
      { name: 'Helper', bio: 'I help' },
      plan.careful ? '/api/my-agents/characters' : undefined,
    );
  if (plan.listLast) await call('GET', containers);
  if (plan.balanceLast) await call('GET', balance);
}

/** Creates, and repeats what got no good answer: a careful client waits as it is told, and looks first. */
async function create(call: Call, path: string, body: object, list: string | undefined): Promise<Answer | undefined> {
  for (let attempt = 0; attempt < 4; attempt++) {
    const answer = await call('POST', path, body);
    if (answer !== undefined && answer.status < 429) return answer;
    if (list === undefined) await sleep(20);
    else {
      await sleep(Math.max(answer?.retryAfter ?? 0, 0.1 * 3 ** attempt) * 1_000);
      const name = (body as { project_name?: string; name: string }).project_name ?? (body as { name: string }).name;
      if (answer === undefined && JSON.stringify((await call('GET', list))?.json ?? '').includes(`"${name}"`))
        return undefined;
    }
  }
  return undefined;
}

function undiciRecorder({ url, apiKey }: EmulatorWorld): Recorder {
  const recorder = recordFetch();
  return {
    async call(method, path, body) {
      const headers: Record<string, string> = {
        authorization: `Bearer ${apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
      };
      const response = await recorder.fetch(url + path, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      if (response === undefined) return undefined;
      return {
        status: response.status,
        json: (await response.json().catch(() => undefined)) as Answer['json'],
        retryAfter: Number(response.headers.get('retry-after') ?? 0),
      };
    },
    har: async () => recorder.har(),
  };
}

function curlRecorder({ url, apiKey }: EmulatorWorld): Recorder {
  const entries: object[] = [];
  return {
    async call(method, path, body) {
      const sent = {
        authorization: `Bearer ${apiKey}`,
        'user-agent': 'curl/8',
        ...(body && { 'content-type': 'application/json' }),
      };
      const args = [
        '-s',
        '-i',
        '-X',
        method,
        ...Object.entries(sent).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
        ...(body ? ['--data-binary', JSON.stringify(body)] : []),
        url + path,
      ];
      const startedAt = Date.now();
      const { output, failure } = await new Promise<{ output: string; failure: string | undefined }>((resolve) =>
        execFile('curl', args, (error, stdout) =>
          resolve({ output: stdout, failure: error === null ? undefined : `curl: (${error.code})` }),
        ),
      );
      const [head = '', ...rest] = output.split('\r\n\r\n');
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0);
      const text = rest.join('\r\n\r\n');
      const headers = head
        .split('\r\n')
        .slice(1)
        .flatMap((line) => {
          const at = line.indexOf(': ');
          return at < 0 ? [] : [{ name: line.slice(0, at), value: line.slice(at + 2) }];
        });
      const pairs = Object.entries(sent).map(([name, value]) => ({ name, value }));
      entries.push({
        startedDateTime: new Date(startedAt).toISOString(),
        time: Date.now() - startedAt,
        request: {
          method,
          url: url + path,
          headers: pairs,
          ...(body && { postData: { mimeType: 'application/json', text: JSON.stringify(body) } }),
        },
        response:
          status === 0
            ? { status: 0, _error: failure ?? 'no answer', headers: [], content: { size: 0 } }
            : { status, headers, content: { size: text.length, text } },
      });
      if (status === 0) return undefined;
      return {
        status,
        json: parsed(text),
        retryAfter: Number(headers.find(({ name }) => name.toLowerCase() === 'retry-after')?.value ?? 0),
      };
    },
    har: async () => ({ log: { creator: { name: 'curl', version: '8' }, entries } }),
  };
}

const parsed = (text: string): Record<string, unknown> | undefined => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
};

async function chromiumRecorder(browser: Browser, { url, apiKey }: EmulatorWorld): Promise<Recorder> {
  const path = join(tempDir(), 'recorded.har');
  const context = await browser.newContext({ recordHar: { path, content: 'embed' } });
  const page = await context.newPage();
  return {
    call: (method, place, body) =>
      page.evaluate(
        async ({ method, url, apiKey, body }) => {
          try {
            const response = await fetch(url, {
              method,
              headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
              ...(body && { body: JSON.stringify(body) }),
            });
            const { status } = response;
            const retryAfter = Number(response.headers.get('retry-after') ?? 0);
            return {
              status,
              retryAfter,
              json: (await response.json().catch(() => undefined)) as Record<string, unknown> | undefined,
            };
          } catch {
            return undefined;
          }
        },
        { method, url: url + place, apiKey, body },
      ),
    async har() {
      await context.close();
      return JSON.parse(readFileSync(path, 'utf8'));
    },
  };
}

/** What the hidden world knows, and what the import says of it. */
export interface Compared {
  seed: number;
  kind: Kind;
  answers: number;
  other: string[];
  broken: { hidden: string[]; told: string[] };
  /** Lost writes whose phase is told otherwise than it was. */
  wrong: string[];
  unknown: number;
  lost: number;
}

export interface Recorded {
  har: unknown;
  /** Whether the n-th write took effect, and how often. */
  happened: number[];
  broken: string[];
}

interface Har {
  log: { entries: { startedDateTime: string; time: number; request: { method: string } }[] };
}

/** Plays an incident with a client of a kind, and records it. */
export async function record(emulator: Emulator, hidden: Hidden, kind: Kind, browser?: Browser): Promise<Recorded> {
  const world = await emulator.createWorld({ scenario: hidden.scenario });
  const recorder =
    kind === 'undici'
      ? undiciRecorder(world)
      : kind === 'curl'
        ? curlRecorder(world)
        : await chromiumRecorder(browser as Browser, world);
  await hidden.play(recorder.call);
  const har = await recorder.har();
  const { controls } = world;
  const requests = controls.requests.list({ limit: 1_000 }).requests.reverse();
  // A browser sends a request again by itself, before its own one has ended.
  const written = (har as Har).log.entries.filter(({ request }) => !['GET', 'OPTIONS'].includes(request.method));
  const writes = requests.filter(({ method }) => method !== 'GET');
  const own = new Set<string>();
  const happened = written.map(({ startedDateTime, time }) => {
    const begun = Date.parse(startedDateTime);
    const first = writes.shift();
    const did = (entry: typeof first): number =>
      entry !== undefined && entry.status < 300 && (entry.outcome === 'answered' || entry.happened === true) ? 1 : 0;
    const next = writes[0];
    const isOwn =
      kind === 'chromium' && first?.outcome === 'lost' && next !== undefined && (next.begunAt ?? 0) < begun + time + 10;
    if (isOwn) own.add(writes.shift()?.requestId ?? '');
    return did(first) + (isOwn ? did(next) : 0);
  });
  const broken = controls
    .verdicts()
    .verdicts.filter(({ verdict, rule }) => verdict === 'fail' && rule !== 'faults-all-fired')
    .filter(({ evidence }) => evidence.some(({ requestId }) => !own.has(requestId ?? '')))
    .map(({ rule }) => rule);
  world.close();
  return { har, happened, broken };
}

/** Imports what was recorded, and compares it with the truth. */
export async function compareImport({ har, happened, broken }: Recorded, seed: number, kind: Kind): Promise<Compared> {
  const config = freshSettings({ config: null, flags: {}, json: false } as never);
  const imported = await importRecordings([readHar(har as { log: never })], {
    config,
    name: `seed-${seed}`,
    said: { tookEffect: new Map() },
  });
  if (imported === undefined) throw new Error('nothing was imported');
  const { incident, exchanges, chosen, conclusion, prover } = imported;
  await prover.close();
  const writes = exchanges.filter(({ method }) => method !== 'GET');
  const lost = incident.open.filter(({ name, exchange }) => name.startsWith('effect:') && exchange.status === 0);
  const wrong = lost.flatMap((point) => {
    if (chosen.undecided.includes(point)) return [];
    const told = { no: 0, yes: 1, failed: 1, twice: 2 }[pickOf(point, chosen.picks)] ?? -1;
    const truth = happened[writes.indexOf(point.exchange)];
    return told === truth ? [] : [`entry ${point.exchange.index}: told ${told}, was ${truth}`];
  });
  return {
    seed,
    kind,
    answers: exchanges.length,
    other: conclusion.differences.map(({ entry, recorded, came }) => `entry ${entry}: ${recorded}, here ${came}`),
    broken: { hidden: [...broken].sort(), told: [...conclusion.broken].sort() },
    wrong,
    unknown: chosen.undecided.length,
    lost: lost.length,
  };
}
