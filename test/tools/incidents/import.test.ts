// From a recording to a scenario: what is proved, what is said of it, and what is left when the recording says less.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { importRecordings } from '../../../src/cli/import/from-recordings.js';
import { freshSettings } from '../../../src/cli/tested-command.js';
import { createEmulator, type Emulator, type ScenarioInput } from '../../../src/index.js';
import { readHar } from '../../../src/tools/incidents/har.js';
import { compareImport, hiddenIncident, record } from '../../support/hidden-incidents.js';
import { recordFetch } from '../../support/record-har.js';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await createEmulator({ configFile: false, timing: { pending: 20, building: 30, deploying: 40 } });
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

/** A client that repeats what got no answer, and what was recorded of it. */
async function recordedDouble(): Promise<Har> {
  const scenario: ScenarioInput = {
    data: { credits: 3, containers: [{ project_name: 'old', age: '2d' }] },
    faults: [
      { match: { operation: 'containers.create' }, when: { nth: 1 }, phase: 'after', effect: { network: 'reset' } },
    ],
  };
  const world = await emulator.createWorld({ scenario });
  const recorder = recordFetch();
  const call = (method: string, path: string, body?: object): Promise<unknown> =>
    recorder.fetch(world.url + path, {
      method,
      headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
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
  world.close();
  return recorder.har() as Har;
}

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
  const found = await imported(await recordedDouble());
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
  const found = await imported(await recordedDouble(), new Map([[2, false]]));
  expect(found.conclusion.scenario.faults?.[0]?.phase).toBe('before');
  // The balance that was recorded is then none that the platform would show.
  expect(textsOf(found, 'assumed').join()).toContain('another answer than the platform');
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

it.each(Object.keys(ladder))('a recording %s leaves more unknown, and infers nothing else', async (name) => {
  const har = await recordedDouble();
  const whole = await imported(har);
  const less = structuredClone(har);
  ladder[name]?.(less);
  const found = await imported(less);
  const known = claims(textsOf(whole, 'inferred'));
  for (const text of claims(textsOf(found, 'inferred'))) expect(known).toContain(text);
  expect(textsOf(found, 'unknown').length).toBeGreaterThanOrEqual(
    name === 'in another order' ? 0 : textsOf(whole, 'unknown').length,
  );
});

it.each([1, 3, 5, 9])(
  'of the hidden incident %i all answers come again, and no effect is told wrongly',
  async (seed) => {
    const compared = await compareImport(await record(emulator, hiddenIncident(seed), 'undici'), seed, 'undici');
    expect(compared.other).toEqual([]);
    expect(compared.wrong).toEqual([]);
  },
);
