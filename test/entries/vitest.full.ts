// `cloudemu/vitest`, looked at from outside: Vitest is run in a project that has the package installed.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/client.js';
import { closedUrl } from '../support/closed-port.js';
import { startCommand } from '../support/command.js';
import { judgedRun } from '../support/labelled.js';
import { createProject, runIn } from '../support/project.js';

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
  /** How each test ended, by its full name. */
  ended: Record<string, string>;
  /** The messages of failed tests. */
  messages: Record<string, string>;
  /** The notes of tests about their worlds. */
  worlds: { name: string; id: string; url: string; apiKey: string; seed: string | number; [fact: string]: unknown }[];
}

interface Report {
  testResults: { assertionResults: { fullName: string; status: string; failureMessages: string[] }[] }[];
}

async function runVitest(project: string, args: string[] = [], env: Record<string, string> = {}): Promise<Ran> {
  const worlds = join(project, 'worlds.jsonl');
  writeFileSync(worlds, '');
  const reporters = ['--reporter=default', '--reporter=json', '--outputFile.json=report.json', '--no-color'];
  // Its own limits are short for a busy machine.
  const limits = ['--testTimeout=60000', '--hookTimeout=60000'];
  const outcome = await runIn(project, ['vitest', 'run', ...reporters, ...limits, ...args], { NO_COLOR: '1', ...env });
  const { testResults } = JSON.parse(readFileSync(join(project, 'report.json'), 'utf8')) as Report;
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    ...outcome,
    ended: Object.fromEntries(results.map(({ fullName, status }) => [fullName, status])),
    messages: Object.fromEntries(
      results.map(({ fullName, failureMessages }) => [fullName, failureMessages.join('\n')]),
    ),
    worlds: readFileSync(worlds, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Ran['worlds'][number]),
  };
}

const failing = ['fails after a bad request', 'passes, but its client does not', 'takes too long'];
const namesOf = ({ ended }: Ran, how: string): string[] =>
  Object.entries(ended)
    .filter(([, status]) => status === how)
    .map(([name]) => name)
    .sort();

describe('tests that end in every way', () => {
  let ran: Ran;
  beforeAll(async () => {
    ran = await runVitest(createProject('entries/specs'));
  });

  it('pass and fail as they should, with their own emulator that ends with them', async () => {
    expect(ran.code).toBe(1);
    expect(namesOf(ran, 'failed')).toEqual(failing);
    expect(namesOf(ran, 'passed')).toHaveLength(Object.keys(ran.ended).length - failing.length);
    const origins = new Set(ran.worlds.map(({ url }) => new URL(url).origin));
    expect(origins.size).toBe(1);
    await expect(fetch([...origins][0] ?? '')).rejects.toThrow('fetch failed');
  });

  it('print what the client did when they fail, and nothing else', () => {
    const printed = ran.stderr;
    expect(printed).toContain(
      'cloudemu: "behaviour.spec.ts > fails after a bad request" in world fails-after-a-bad-request-',
    );
    expect(printed).toMatch(/Not as expected:\n {2}verdict faults-all-fired: fail, expected pass or not-exercised\n/);
    expect(printed).toMatch(/fault fault_1 \(containers\.create: 503\) never fired/);
    expect(printed).toMatch(/verdict no-unknown-fields: fail[\s\S]*unknown query parameter query\.pge/);
    expect(printed).toMatch(/2 requests:\n {2}[\d:.]{12} {2}GET \/api\/v1\/containers\?pge=2 {2}200\n/);
    expect(printed).toMatch(/GET \/api\/v1\/app\/agents\/none {2}404 ROUTE_NOT_FOUND: .+\n/);
    expect(printed).toContain('cloudemu: "behaviour.spec.ts > takes too long"');
    expect(printed).toContain('cloudemu: "behaviour.spec.ts > succeeds at the second try"');
    expect(printed).not.toMatch(/"behaviour\.spec\.ts > (passes"|is expected to fail|runs beside)/);
    expect(printed).not.toContain(ran.worlds[0]?.apiKey);
  });

  it('fail for a broken rule if the options say so', () => {
    const message = ran.messages['passes, but its client does not'] ?? '';
    expect(message).toMatch(/^Error: cloudemu: "behaviour\.spec\.ts > passes, but its client does not" in world /);
    expect(message).toContain('verdict no-unknown-fields: fail, expected pass or not-exercised');
  });

  it('have a world each, also tests of equal names, and start again for a retry', () => {
    expect(new Set(ran.worlds.map(({ id }) => id)).size).toBe(ran.worlds.length - 1);
    const tries = ran.worlds.filter(({ name }) => name.startsWith('try '));
    expect(tries).toMatchObject([{ containers: 0 }, { containers: 0 }]);
    expect(tries[0]?.id).toBe(tries[1]?.id);
    expect(tries[0]?.apiKey).toBe(tries[1]?.apiKey);
    const twice = ran.worlds.filter(({ name }) => name === 'twice');
    expect(twice).toMatchObject([{ status: 200 }, { status: 200 }]);
  });

  it('start with the state of their options', () => {
    expect(ran.worlds.find(({ name }) => name === 'options')).toMatchObject({
      seed: 42,
      now: '2030-01-01T00:00:00.000Z',
      frozen: true,
      status: 'running',
    });
  });

  it('behave the same in the next run, also on a shared emulator, and leave no world of a test that passed', async () => {
    const shared = await startCommand(['--ephemeral', '--control-token', 'a-shared-secret']);
    const again = await runVitest(createProject('entries/specs'), ['--sequence.shuffle'], {
      CLOUDEMU_URL: `${shared.url}/`,
    });
    expect(namesOf(again, 'failed')).toEqual(failing);
    const sorted = ({ worlds }: Ran): unknown[] =>
      worlds.map(({ name, id, apiKey, seed, user }) => JSON.stringify({ name, id, apiKey, seed, user })).sort();
    expect(sorted(again)).toEqual(sorted(ran));
    for (const { url } of again.worlds) expect(url.startsWith(`${shared.url}/w/`)).toBe(true);
    const left = await connect({ url: shared.url }).controls.worlds.list();
    // But those of failed tests, with what came to them.
    const kept = left
      .filter(({ id }) => id !== 'default')
      .map(({ label }) => label?.replace('behaviour.spec.ts > ', ''));
    expect(kept.sort()).toEqual(failing);
    const said = again.stderr + Object.values(again.messages).join('\n');
    for (const { id } of left) if (id !== 'default') expect(said).toContain(`${shared.url}/w/${id}/_emulator/`);
  });
});

// The specs are written for another profile: all that matters is whose keys they got, and what their reports say.
it.each([
  { how: 'the settings file', settings: { profile: 'elizacloud-v1', server: { port: 1 } }, env: {} },
  { how: 'the environment', settings: {}, env: { CLOUDEMU_PROFILE: 'elizacloud-v1' } },
])('tests have the profile that $how says', async ({ settings, env }) => {
  const project = createProject('entries/specs');
  const file = join(project, 'emulator.config.json');
  writeFileSync(file, JSON.stringify(settings));
  const { worlds, stderr } = await runVitest(project, [], env);
  expect(worlds.length).toBeGreaterThan(5);
  for (const { apiKey } of worlds) expect(apiKey).toMatch(/^eliza_/);
  const sources = [file, ...Object.keys(env)].join(', ');
  expect(stderr).toContain(`Settings: profile elizacloud-v1 (${sources})\n`);
});

describe('the recipe', () => {
  it.each([
    { how: 'in processes', args: ['--pool=forks'] },
    { how: 'in contexts', args: ['--pool=vmThreads'] },
    { how: 'in one process for all files', args: ['--no-isolate', '--maxWorkers=1'] },
  ])('passes $how', async ({ args }) => {
    const { code, ended, stderr } = await runVitest(createProject('recipes/vitest'), args);
    expect([code, stderr]).toEqual([0, '']);
    expect(Object.keys(ended)).toHaveLength(5);
  });

  it('fails when its client repeats a create without checking, and says so', async () => {
    const project = createProject('recipes/vitest');
    const client = readFileSync(join(project, 'cloud.ts'), 'utf8');
    writeFileSync(join(project, 'cloud.ts'), client.replace('found?.id ??', ''));
    const ran = await runVitest(project);
    expect(namesOf(ran, 'failed')).toEqual(['when the answer to a create is lost looks before it creates again']);
    const message = Object.values(ran.messages).join('');
    expect(message).toMatch(/requests of containers\.create: 2, expected 1/);
  });
});

describe('mistakes', () => {
  async function runSpecs(options: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const project = createProject();
    mkdirSync(join(project, 'scenarios'));
    writeFileSync(join(project, 'scenarios/broken.json'), '{');
    for (const [index, text] of options.entries()) {
      const lines = [
        "import { createTest } from 'cloudemu/vitest';",
        `createTest(${text})('x', async ({ world }) => { await world.fetch('/'); });`,
      ];
      writeFileSync(join(project, `${index}.spec.ts`), lines.join('\n'));
    }
    const { ended, stdout, stderr } = await runVitest(project, [], env);
    expect(Object.values(ended).filter((status) => status === 'passed')).toEqual([]);
    return stdout + stderr;
  }

  it('in options are named', async () => {
    const printed = await runSpecs([
      "{ scenaro: 'x' }",
      "{ failOn: 'warn' }",
      "'rough-day'",
      "{ scenario: 'hapy-path' }",
      "{ scenario: 'broken' }",
      '{ settings: { containers: { timin: 1 } } }',
      "{ emulator: { tming: 'fast' } }",
    ]);
    expect(printed).toContain('createTest: scenaro is not an option; did you mean scenario?');
    expect(printed).toContain('createTest: options must be an object, got "rough-day"');
    expect(printed).toContain('createTest: failOn must be never or fail, got "warn"');
    expect(printed).toMatch(/ApiError: There is no scenario "hapy-path"/);
    expect(printed).toMatch(/ApiError: .*broken\.json/);
    expect(printed).toMatch(/ApiError: settings\.containers\.timin .*did you mean .*timing/);
    expect(printed).toMatch(/ConfigError: createEmulator: tming is not an option.*timing/);
  });

  it('in CLOUDEMU_URL are named', async () => {
    const url = await closedUrl();
    const printed = await runSpecs(['{}', '{ emulator: {} }'], { CLOUDEMU_URL: url });
    expect(printed).toContain(`No emulator answers at ${url}`);
    expect(printed).toContain(`The option emulator is of no use where CLOUDEMU_URL names a running one (${url})`);
    expect(await runSpecs(['{}'], { CLOUDEMU_URL: '127.0.0.1:1' })).toContain('did you mean "http://127.0.0.1:1"?');
  });
});

describe('under `cloudemu run`', () => {
  const spec = `
    import { test } from 'cloudemu/vitest';
    const list = ({ url, apiKey }) => fetch(url + '/api/v1/containers', { headers: { 'x-api-key': apiKey } });
    test('twice', async ({ world }) => void (await list(world), await list(world)));
    test('twice', async ({ world }) => void (await world.fetch('/api/v1/models?pge=1', { headers: { 'x-api-key': world.apiKey } })));
    test('not', () => {});
  `;

  it('worlds are named after their tests in each run, and are judged although they have ended', async () => {
    const project = createProject();
    for (const name of ['a', 'b']) writeFileSync(join(project, `${name}.spec.ts`), spec);
    const first = await judgedRun(project, 'vitest', 'run');
    expect(first.worlds).toEqual([
      ['a.spec.ts > twice', expect.stringMatching(/^twice-[0-9a-f]{8}$/), 2],
      ['a.spec.ts > twice (2)', expect.stringMatching(/^twice-2-[0-9a-f]{8}$/), 1],
      ['b.spec.ts > twice', expect.stringMatching(/^twice-[0-9a-f]{8}$/), 2],
      ['b.spec.ts > twice (2)', expect.stringMatching(/^twice-2-[0-9a-f]{8}$/), 1],
    ]);
    // The rule of the scenario fired where the client listed: the other tests are not blamed.
    expect(first.failed.sort()).toEqual([
      'a.spec.ts > twice (2): verdict no-unknown-fields',
      'b.spec.ts > twice (2): verdict no-unknown-fields',
    ]);
    expect(first.code).toBe(1);
    const again = await judgedRun(project, 'vitest', 'run', '--sequence.shuffle', '--maxWorkers=2');
    expect(again.worlds).toEqual(first.worlds);
  });
});
