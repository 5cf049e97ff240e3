// Suites of tests that are green and prove nothing: each is flagged by its receipt; those that prove something are not.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { run, startCommand, tempDir } from '../support/command.js';
import { createProject, runIn } from '../support/project.js';

/** What a suite in its own file begins with: a client, and the tools of its runner. */
const client = `
  const { CLOUD_BASE_URL, CLOUD_API_KEY, FOREIGN } = process.env;
  const cloud = ({ url = CLOUD_BASE_URL, key = CLOUD_API_KEY } = {}) => {
    const send = (path, init = {}) => fetch(url + path, { ...init, headers: { authorization: 'Bearer ' + key } });
    return {
      send,
      list: async () => (await send('/api/v1/containers')).status,
      get: async (id) => (await send('/api/v1/containers/' + id)).status,
      deploy: async (name) => {
        const body = JSON.stringify({ name, project_name: name, ecr_image_uri: 'registry.local/a:v1' });
        return (await (await send('/api/v1/containers', { method: 'POST', body })).json()).data.id;
      },
    };
  };`;
const nodeTools = `
  import assert from 'node:assert/strict';
  import { before, describe, mock, test } from 'node:test';
  ${client}`;

interface Suite {
  name: string;
  source: string;
  faults?: object[];
}

const unused = [{ match: { operation: 'voice.clone' }, effect: { status: 503 } }];
const once = [{ match: { operation: 'containers.list' }, when: { times: 1 }, effect: { status: 503 } }];

const vacuous: (Suite & { code: string })[] = [
  {
    name: 'a wrong URL',
    source: `test('lists', async () => assert.ok(await cloud({ url: CLOUD_BASE_URL + '/v9' }).list()));`,
    code: 'ALL_REFUSED',
  },
  {
    name: 'a swallowed error',
    source: `test('lists', async () => { try { await cloud({ url: 'http//' }).list(); } catch {} });`,
    code: 'NO_REQUEST',
  },
  {
    name: 'a fault that never fires',
    source: `test('lists', async () => assert.equal(await cloud().list(), 200));`,
    faults: unused,
    code: 'FAULT_NEVER_FIRED',
  },
  {
    name: 'a foreign emulator',
    source: `test('lists', async () => assert.ok(await cloud({ url: FOREIGN }).list()));`,
    code: 'NO_REQUEST',
  },
  {
    name: 'skipped bodies',
    source: `test('lists', async () => assert.equal(await cloud().list(), 200));
      test('deploys', async () => { if (process.env.DEPLOYS !== '1') return; await cloud().deploy('a'); });`,
    code: 'EMPTY_TEST',
  },
  {
    name: 'a mocked fetch',
    source: `test('lists', async () => {
        mock.method(globalThis, 'fetch', async () => new Response('{}'));
        assert.equal(await cloud().list(), 200);
      });`,
    code: 'NO_REQUEST',
  },
  {
    name: 'a caught rejection',
    source: `test('lists', async () => assert.equal(await cloud().list(), 200));
      test('is refused', () => assert.rejects(async () => cloud().stop('a')));`,
    code: 'EMPTY_TEST',
  },
  { name: 'an empty describe', source: `describe('the cloud', () => {});`, code: 'NO_REQUEST' },
  {
    name: 'a wrong key everywhere',
    source: `for (const name of ['a', 'b']) test(name, async () => assert.ok((await cloud({ key: 'no' }).get(name)) > 0));`,
    code: 'ALL_REFUSED',
  },
  {
    name: 'a test that only reads the health',
    source: `test('is up', async () => assert.equal((await cloud().send('/api/health')).status, 200));`,
    code: 'NOTHING_JUDGED',
  },
];

const sound: Suite[] = [
  { name: 'lists', source: `test('lists', async () => assert.equal(await cloud().list(), 200));` },
  {
    name: 'deploys and looks',
    source: `test('deploys', async () => assert.equal(await cloud().get(await cloud().deploy('a')), 200));`,
  },
  {
    name: 'meets an error beside what works',
    source: `test('lists', async () => assert.equal(await cloud().list(), 200));
      test('finds nothing', async () => assert.equal(await cloud().get('none'), 404));`,
  },
  {
    name: 'meets its fault',
    source: `test('tries again', async () => {
        assert.equal(await cloud().list(), 503);
        await new Promise((resolve) => setTimeout(resolve, 1_100));
        assert.equal(await cloud().list(), 200);
      });`,
    faults: once,
  },
  {
    name: 'nests tests',
    source: `describe('the cloud', () => { describe('today', () => {
        for (const name of ['a', 'b']) test(name, async () => assert.ok(await cloud().deploy(name)));
      }); });`,
  },
  {
    name: 'tries a wrong key, among others',
    source: `test('refuses', async () => assert.equal(await cloud({ key: 'no' }).list(), 401));
      test('lists', async () => assert.equal(await cloud().list(), 200));`,
  },
  {
    name: 'reads the health first',
    source: `test('lists', async () => {
        assert.equal((await cloud().send('/api/health')).status, 200);
        assert.equal(await cloud().list(), 200);
      });`,
  },
  {
    name: 'skips a test and says so',
    source: `test('lists', async () => assert.equal(await cloud().list(), 200));
      test.skip('deploys', async () => { await cloud().deploy('a'); });`,
  },
  {
    name: 'asks before its tests',
    source: `let status;
      before(async () => { status = await cloud().list(); });
      test('was well', () => assert.equal(status, 200));`,
  },
  {
    name: 'asks for many things',
    source: `for (const path of ['/api/v1/user', '/api/v1/models', '/api/v1/containers/quota', '/api/v1/credits/balance'])
        test(path, async () => assert.equal((await cloud().send(path)).status, 200));`,
  },
];

/** Runs a suite as its user would, and looks at the receipt: the codes of what it says against it. */
async function codesOf({ source, faults = [] }: Suite, foreign = ''): Promise<{ codes: string[]; tests: string }> {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'package.json'), '{}');
  const scenario = { title: 'apart', seed: '1', command: { worldPerTest: true }, faults };
  writeFileSync(join(cwd, 'apart.json'), JSON.stringify(scenario));
  writeFileSync(join(cwd, 'suite.test.mjs'), nodeTools + source);
  const words = ['run', './apart.json', '--', process.execPath, '--test'];
  const { stdout: tests } = await run(words, { cwd, env: { FOREIGN: foreign } });
  const { stdout, code } = await run(['receipt', '--json'], { cwd });
  const { ok, vacuities, receipt } = JSON.parse(stdout);
  expect(code).toBe(ok ? 0 : 1);
  expect(receipt.exitCode, tests).toBe(0);
  return { codes: vacuities.map((one: { code: string }) => one.code), tests };
}

it('there are ten of each', () => {
  expect([vacuous.length, sound.length]).toEqual([10, 10]);
});

describe('a suite that proves nothing is green, and flagged', () => {
  test.each(vacuous)('$name', async (suite) => {
    const { url } = suite.source.includes('FOREIGN') ? await startCommand(['--ephemeral']) : { url: '' };
    const { codes, tests } = await codesOf(suite, url);
    expect(codes, tests).toEqual([suite.code]);
  });
});

describe('a suite that proves something is not', () => {
  test.each(sound)('$name', async (suite) => {
    const { codes, tests } = await codesOf(suite);
    expect(codes, tests).toEqual([]);
  });
});

describe('the fixture of Vitest leaves a receipt that tells them apart', () => {
  const tools = `
    import { expect, test } from 'cloudemu/vitest';
    import { vi } from 'vitest';
    const headers = (world) => ({ headers: { authorization: 'Bearer ' + world.apiKey } });
    const list = (world) => world.fetch('/api/v1/containers', headers(world));`;
  test.each([
    ['lists', `test('lists', async ({ world }) => { await list(world); });`, []],
    ['is empty', `test('lists', ({ world }) => list(world)); test('no', ({ world }) => {});`, ['EMPTY_TEST']],
    [
      'mocks fetch',
      `test('l', async ({ world }) => { vi.stubGlobal('fetch', async () => ({})); await list(world); });`,
      ['NO_REQUEST'],
    ],
    [
      'has a wrong key',
      `test('l', async ({ world }) => { await list({ ...world, apiKey: 'no' }); });`,
      ['ALL_REFUSED'],
    ],
    ['reads the health', `test('l', async ({ world }) => { await world.fetch('/api/health'); });`, ['NOTHING_JUDGED']],
    [
      'has an idle fault',
      `test('l', async ({ world }) => {
        await world.controls.faults.add({ match: { operation: 'keys.list' }, effect: { status: 503 } });
        await list(world);
      });`,
      ['FAULT_NEVER_FIRED'],
    ],
  ])('%s', async (_, source, expected) => {
    const project = createProject();
    // Two files, each with an emulator of its own.
    writeFileSync(join(project, 'suite.spec.ts'), tools + source);
    if (expected.length === 0) writeFileSync(join(project, 'other.spec.ts'), tools + source);
    const { code, stdout } = await runIn(project, ['vitest', 'run', '--testTimeout=60000']);
    expect(code, stdout).toBe(0);
    const check = await runIn(project, ['cloudemu', 'receipt', '--json']);
    const { vacuities, receipt } = JSON.parse(check.stdout);
    expect(vacuities.map((one: { code: string }) => one.code)).toEqual(expected);
    if (expected.length === 0) expect(receipt.worlds).toHaveLength(2);
  });

  it('and none of an earlier run where another emulator answers', async () => {
    const project = createProject();
    writeFileSync(
      join(project, 'suite.spec.ts'),
      `${tools}test('lists', async ({ world }) => { await list(world); });`,
    );
    const runs = (env = {}) => runIn(project, ['vitest', 'run', '--testTimeout=60000'], env);
    const check = async () => (await runIn(project, ['cloudemu', 'receipt'])).code;
    expect([(await runs()).code, await check()]).toEqual([0, 0]);
    const { url } = await startCommand(['--ephemeral']);
    expect([(await runs({ CLOUDEMU_URL: url })).code, await check()]).toEqual([0, 1]);
  });
});
