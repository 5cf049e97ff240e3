// From a recording to a scenario: what is proved, what is said of it, and what is left when the recording says less.

import type { Response } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importRecordings } from '../../../src/cli/import/from-recordings.js';
import { freshSettings } from '../../../src/cli/tested-command.js';
import { createEmulator, type Emulator, type EmulatorWorld, type ScenarioInput } from '../../../src/index.js';
import { readHar } from '../../../src/tools/incidents/har.js';
import { sampleOf } from '../../support/campaign.js';
import { compareImport, hiddenIncident, record } from '../../support/hidden-incidents.js';
import { recordFetch } from '../../support/record-har.js';

let emulator: Emulator;
let double: Har;
beforeAll(async () => {
  emulator = await createEmulator({ configFile: false, timing: { pending: 20, building: 30, deploying: 40 } });
  double = await recordedDouble();
});
afterAll(() => emulator.close());

interface Entry {
  startedDateTime?: string;
  time: number;
  request: { method: string; url: string; headers: { name: string; value: string }[]; postData?: object };
  response: { status: number; headers: { name: string; value: string }[]; content: { text?: string; size: number } };
}
interface Har {
  log: { creator: object; entries: Entry[] };
}

type Call = (method: string, path: string, body?: object, key?: string) => Promise<Response | undefined>;

/** What a client did in a world, as it was recorded. */
async function recorded(
  scenario: ScenarioInput,
  play: (call: Call, world: EmulatorWorld) => Promise<unknown>,
): Promise<Har> {
  const world = await emulator.createWorld({ scenario });
  const recorder = recordFetch();
  const call: Call = (method, path, body, key = world.apiKey) =>
    recorder.fetch(world.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  await play(call, world);
  world.close();
  return recorder.har() as Har;
}

const reset = { network: 'reset' } as const;
const lostCreate = {
  match: { operation: 'containers.create' },
  when: { nth: 1 },
  phase: 'after',
  effect: reset,
} as const;

/** A client that repeats what got no answer. */
const recordedDouble = (): Promise<Har> =>
  recorded(
    { data: { credits: 3, containers: [{ project_name: 'old', age: '2d' }] }, faults: [lostCreate] },
    async (call) => {
      await call('GET', '/api/v1/containers');
      await call('GET', '/api/v1/credits/balance');
      const body = {
        name: 'Web',
        project_name: 'web',
        ecr_image_uri: 'acme/web:v1',
        environment_vars: { DB: 'sk_live_abcdefghijkl' },
      };
      for (let attempt = 0; attempt < 2; attempt++) await call('POST', '/api/v1/containers', body);
      await call('GET', '/api/v1/containers');
      await call('GET', '/api/v1/credits/balance');
    },
  );

async function imported(har: Har, said: ReadonlyMap<number, boolean> = new Map()) {
  const config = freshSettings({ config: undefined, flags: {} } as Parameters<typeof freshSettings>[0]);
  const found = await importRecordings([readHar(har as unknown as Parameters<typeof readHar>[0])], {
    config,
    name: 'double',
    said: { tookEffect: said },
  });
  if (found === undefined) throw new Error('nothing was imported');
  await found.prover.close();
  return found;
}

const textsOf = ({ conclusion }: Awaited<ReturnType<typeof imported>>, kind: string): string[] =>
  conclusion.facts.filter((fact) => fact.kind === kind).map(({ text }) => text);

it('a create that was lost and sent again becomes state, one fault and what the client must not do', async () => {
  const found = await imported(double);
  const { scenario, differences, broken } = found.conclusion;
  expect(differences).toEqual([]);
  expect(broken).toEqual(['no-duplicate-create']);
  expect(scenario.data).toMatchObject({ credits: 3, containers: [{ project_name: 'old', status: 'running' }] });
  expect(scenario.faults).toEqual([
    { match: { operation: 'containers.create' }, phase: 'after', effect: { network: 'reset' }, when: { nth: 1 } },
  ]);
  expect(scenario.clock).toMatchObject({ waits: true });
  expect(scenario.expect).toEqual({
    verdicts: { 'no-duplicate-create': ['pass', 'not-exercised'] },
    credits: { charged: { max: 0.5 } },
  });
  expect(textsOf(found, 'inferred')).toContain('containers.create took effect, although no answer came');
  expect(JSON.stringify([found.conclusion, found.exchanges])).not.toMatch(/sk_live_|ek_test_/);
});

it('what is said of a lost request decides', async () => {
  const found = await imported(double, new Map([[2, false]]));
  expect(found.conclusion.scenario.faults?.[0]?.phase).toBe('before');
  // The balance that was recorded is then none that the platform would show.
  expect(textsOf(found, 'assumed').join()).toContain('another answer than the platform');
});

it('a key that lacks a permission is state, and no fault', async () => {
  const data = { key: { permissions: ['agents:read', 'chat'] as const } } as ScenarioInput['data'];
  const har = await recorded({ data }, async (call) => {
    await call('GET', '/api/v1/app/agents');
    await call('POST', '/api/v1/app/agents', { name: 'Helper', bio: 'I help' });
    await call('GET', '/api/v1/knowledge');
  });
  const { conclusion } = await imported(har);
  expect(conclusion.differences).toEqual([]);
  expect(conclusion.scenario.faults).toEqual([]);
  const { permissions } = conclusion.scenario.data?.key ?? {};
  expect(permissions).toEqual(expect.arrayContaining(['agents:read', 'chat', 'voice']));
  expect(permissions).not.toEqual(expect.arrayContaining(['agents']));
  expect(permissions?.filter((name) => name.startsWith('knowledge'))).toEqual([]);
});

it('a refusal that a key with fewer permissions would not have met alone stays a fault', async () => {
  const refused = { match: { operation: 'agents.create' }, when: { nth: 1 }, effect: { error: 'FORBIDDEN' } } as const;
  const har = await recorded({ faults: [refused] }, async (call) => {
    for (const name of ['One', 'Two']) await call('POST', '/api/v1/app/agents', { name, bio: 'I help' });
  });
  const { conclusion } = await imported(har);
  expect(conclusion.differences).toEqual([]);
  expect(conclusion.scenario.data).not.toHaveProperty('key');
  expect(conclusion.scenario.faults).toMatchObject([{ effect: { error: 'FORBIDDEN' } }]);
});

it('of requests that overlap, the platform acted in the order that explains the answers', async () => {
  const har = await recorded({}, async (call) => {
    await call('POST', '/api/v1/app/agents', { name: 'First', bio: 'I help' });
    await call('GET', '/api/my-agents/characters');
  });
  // The list was sent first, and answered last.
  const [create, list] = har.log.entries as [Entry, Entry];
  const sentAt = Date.parse(create.startedDateTime ?? '');
  Object.assign(list, { startedDateTime: new Date(sentAt - 20).toISOString(), time: 300 });
  har.log.entries = [list, create];
  const found = await imported(har);
  expect(found.conclusion.differences).toEqual([]);
  expect(found.conclusion.scenario.data).not.toHaveProperty('agents');
  expect(textsOf(found, 'inferred')).toContain(
    'The platform acted on entry 1 before entry 0, which was sent before it',
  );
});

const messages = [{ role: 'user', content: 'ping' }];
const calls = [{ name: 'look', arguments: { at: 1 } }];

it.each<[api: string, path: string, body: object]>(
  sampleOf([
    ['chat', '/api/v1/chat/completions', { model: 'gpt-4o-mini', messages }],
    ['messages', '/api/v1/messages', { model: 'claude-sonnet-4-5', max_tokens: 100, messages }],
    ['responses', '/api/v1/responses', { model: 'gpt-4o-mini', input: 'ping' }],
  ]),
)('what a model said in %s comes again, whole and as a stream', async (_, path, body) => {
  const replies = [{ text: 'Hello' }, { chunks: ['Hel', 'lo'] }, { text: 'I look', toolCalls: calls }];
  const har = await recorded({ data: { replies: [...replies, ...replies] } }, async (call) => {
    for (const stream of [false, true]) for (const __ of replies) await call('POST', path, { ...body, stream });
  });
  const { conclusion } = await imported(har);
  const texts = conclusion.scenario.data?.replies?.map(({ text, chunks }) => text ?? chunks?.join(''));
  expect(texts).toEqual(['Hello', 'Hello', 'I look', 'Hello', 'Hello', 'I look']);
  const called = conclusion.scenario.data?.replies?.map(({ toolCalls }) =>
    toolCalls?.map(({ name, arguments: sent }) => ({ name, arguments: sent })),
  );
  expect(called).toEqual([undefined, undefined, calls, undefined, undefined, calls]);
  expect(conclusion.scenario.data?.replies?.[4]).toEqual({ chunks: ['Hel', 'lo'] });
  // The client has read its streams to their ends.
  expect(conclusion.broken).toEqual([]);
  expect(conclusion.differences).toEqual([]);
});

it('a stream that ended early breaks off after as many events', async () => {
  const scenario = { data: { replies: [{ chunks: ['one', ' two', ' three'] }] } };
  const har = await recorded(scenario, (call) =>
    call('POST', '/api/v1/chat/completions', { model: 'gpt-4o-mini', messages, stream: true }),
  );
  const { content } = har.log.entries[0]?.response ?? { content: {} as { text?: string } };
  const events = content.text?.split('\n\n') ?? [];
  content.text = `${events.slice(0, 3).join('\n\n')}\n\ndata: {"id":"chat`;
  const { conclusion } = await imported(har);
  const effect = { network: 'close', afterEvents: 3 };
  expect(conclusion.scenario.faults).toMatchObject([
    { match: { operation: 'chat.completions' }, phase: 'partial', effect },
  ]);
  expect(conclusion.scenario.data?.replies).toEqual([{ chunks: ['one', ' two', ' …'] }]);
  const world = await emulator.createWorld({ scenario: conclusion.scenario as ScenarioInput });
  const answer = await fetch(`${world.url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages, stream: true }),
  });
  const came: string[] = [];
  const reading = async (): Promise<void> => {
    for await (const piece of answer.body ?? []) came.push(new TextDecoder().decode(piece));
  };
  await expect(reading()).rejects.toThrow();
  expect(came.join('')).toContain(' two');
  expect(came.join('')).not.toContain('…');
  world.close();
});

it('voices and documents that were listed are there', async () => {
  const data = {
    voices: [{ name: 'Ann', description: 'calm', age: '1d' }],
    documents: [
      { name: 'a.md', content: 'How to deploy', age: '1h' },
      { name: 'b.md', content: 'Another' },
    ],
  };
  const har = await recorded({ data }, async (call) => {
    await call('GET', '/api/v1/voice/list');
    const list = (await (await call('GET', '/api/v1/knowledge'))?.json()) as {
      documents: { id: string; filename: string }[];
    };
    const { id } = list.documents.find(({ filename }) => filename === 'a.md') ?? { id: '' };
    await call('GET', `/api/v1/knowledge/${id}`);
  });
  const { conclusion } = await imported(har);
  expect(conclusion.differences).toEqual([]);
  expect(conclusion.scenario.data).toMatchObject({
    voices: [{ name: 'Ann', description: 'calm' }],
    documents: expect.arrayContaining([
      expect.objectContaining({ name: 'a.md', content: 'How to deploy' }),
      expect.objectContaining({ name: 'b.md', content: 'removed' }),
    ]),
  });
});

const ladder: Record<string, (har: Har) => void> = {
  'without bodies': ({ log }) => {
    for (const { response, request } of log.entries) {
      delete response.content.text;
      response.content.size = 10;
      delete request.postData;
      Object.assign(request, { bodySize: 10 });
    }
  },
  'without headers of answers': ({ log }) => {
    for (const { response } of log.entries) response.headers = [];
  },
  'without credentials': ({ log }) => {
    for (const { request } of log.entries)
      request.headers = request.headers.filter(({ name }) => name !== 'authorization');
  },
  'without times': ({ log }) => {
    for (const entry of log.entries) delete entry.startedDateTime;
  },
  'in another order': ({ log }) => void log.entries.reverse(),
  'by a clock that is 90 s ahead': ({ log }) => {
    for (const entry of log.entries)
      entry.startedDateTime = new Date(Date.parse(entry.startedDateTime ?? '') + 90_000).toISOString();
  },
  'without a half of the entries': ({ log }) => {
    log.entries = log.entries.filter((_, index) => index % 2 === 0);
  },
};

const claims = (texts: readonly string[]): string[] =>
  texts.filter((text) => /took effect|did not take effect|ended/.test(text));

it.each(sampleOf(Object.keys(ladder), 4))(
  'a recording %s leaves more unknown, and infers nothing else',
  async (name) => {
    const whole = await imported(double);
    const less = structuredClone(double);
    ladder[name]?.(less);
    const found = await imported(less);
    const known = claims(textsOf(whole, 'inferred'));
    for (const text of claims(textsOf(found, 'inferred'))) expect(known).toContain(text);
    expect(textsOf(found, 'unknown').length).toBeGreaterThanOrEqual(
      name === 'in another order' ? 0 : textsOf(whole, 'unknown').length,
    );
  },
);

it.each(sampleOf([1, 3, 5, 9]))(
  'of the hidden incident %i all answers come again, and no effect is told wrongly',
  async (seed) => {
    const compared = await compareImport(await record(emulator, hiddenIncident(seed), 'undici'), seed, 'undici');
    expect(compared.other).toEqual([]);
    expect(compared.wrong).toEqual([]);
  },
);
