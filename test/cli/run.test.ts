// `cloudemu run`: a command against a fresh emulator with a scenario, judged in the end.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { itFull } from '../support/campaign.js';
import type { Outcome } from '../support/command.js';
import { type RunOptions, run, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';

const it = test.concurrent;

const client = (name: string): string => fileURLToPath(new URL(`../clients/${name}.mjs`, import.meta.url));
const node = process.execPath;

/** A command that prints something of its environment, or does something with it. */
const script = (code: string): string[] => ['--', node, '--input-type=module', '-e', code];
const get = (path: string): string =>
  `await fetch(process.env.CLOUD_BASE_URL + '${path}', { headers: { 'x-api-key': process.env.CLOUD_API_KEY } })`;

/** A command of the shell, which starts in a tenth of the time that Node takes. */
const shell = (code: string): string[] => ['--', 'sh', '-c', code];
const listContainers = `curl -s "$CLOUD_BASE_URL/api/v1/containers" -H "X-API-Key: $CLOUD_API_KEY" -o /dev/null`;

function failedIn({ stdout }: Outcome): string[] {
  return [...stdout.matchAll(/^fail +(\S+ \S+( \S+)?) {2}/gm)].map((match) => (match[1] ?? '').trim());
}

describe('without a scenario', () => {
  it('judges the requests of the command by the rules', async () => {
    const { code, stdout, stderr } = await runHere(['run', ...shell(listContainers)]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\nNo rule was broken, in 1 request; `sh -c .*` ended with 0\.\n$/s);
    const inUrl = shell('curl -s "$CLOUD_BASE_URL/api/v1/containers?api_key=$CLOUD_API_KEY" -o /dev/null');
    const broken = await runHere(['run', '--json', ...inUrl]);
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.stdout.split('\n')[0] ?? '')).toMatchObject({ scenario: null, ok: false, failed: 1 });
  });

  it('needs no data directory, also where the settings keep worlds on disk', async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'emulator.config.json'), JSON.stringify({ worlds: { persist: true } }));
    expect(await runHere(['run', ...shell(listContainers)], { cwd })).toMatchObject({ code: 0, stderr: '' });
  });
});

it('says so where nothing was called of what the scenario prepares', async () => {
  const { code, stdout } = await runHere(['run', 'rough-day', ...shell(listContainers)]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('No rule was broken, but nothing of what the scenario prepares was called, in 1 request'),
  ]);
});

describe('one scenario: a deployment that fails, a lost answer, a burst of 429s', () => {
  itFull.concurrent('lets a well-behaved client pass every verdict', async () => {
    const cwd = tempDir();
    const outcome = await run(['run', 'rough-day', '--fail-on', 'not-exercised', '--', node, client('well-behaved')], {
      cwd,
    });
    expect(outcome.stdout).toContain('deployment 1: failed');
    expect(outcome.stdout).toContain('deployment 2: running');
    expect(failedIn(outcome)).toEqual([]);
    expect(outcome.stdout).toMatch(/^All came as expected, in \d+ requests; `.*well-behaved.mjs` ended with 0\.$/m);
    expect([outcome.code, outcome.stderr]).toEqual([0, '']);
    // The world is gone with all that it held.
    expect(readdirSync(join(cwd, '.cloudemu'))).toEqual(['.gitignore', 'receipt.json']);
  });
});

describe('the command', () => {
  it('finds the emulator in its environment, under the names of the profile', async () => {
    const print = `console.log(JSON.stringify(process.env)); ${get('/api/v1/containers')}`;
    const { stdout, code } = await run(['run', 'happy-path', ...script(print)], { env: { MINE: 'kept' } });
    const env = JSON.parse(stdout.split('\n')[0] ?? '');
    expect(code).toBe(0);
    expect(env).toMatchObject({
      MINE: 'kept',
      CLOUD_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      CLOUD_API_KEY: expect.stringMatching(/^ek_test_/),
      CLOUDEMU_URL: env.CLOUD_BASE_URL,
      CLOUDEMU_CONTROL: `${env.CLOUD_BASE_URL}/_emulator`,
    });
  });

  itFull.concurrent('finds it under the names of another profile', async () => {
    const eliza = `console.log(process.env.ELIZAOS_CLOUD_BASE_URL, process.env.ELIZA_API_KEY)`;
    const other = await run(['run', 'crowded-account', '--profile', 'elizacloud-v1', ...script(eliza)]);
    expect(other.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+ eliza_/);
  });

  itFull.concurrent('can use the commands, and move time', async () => {
    const cli = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
    const { stdout, stderr, code } = await run([
      'run',
      'happy-path',
      '--frozen',
      '--clock',
      '2030-01-01T00:00:00Z',
      '--',
      ...shell(`${listContainers} && '${node}' '${cli}' clock advance 1h --json`).slice(1),
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('"now":"2030-01-01T01:00:00.000Z"');
  });

  it('has the last word when it fails', async () => {
    const { code, stdout } = await run(['run', 'happy-path', ...shell('exit 7')]);
    expect(code).toBe(7);
    expect(stdout).toMatch(/^fail +requests of \* +0, expected at least 1\n +there was no such request/m);
    expect(stdout).toContain('ended with 7.');
  });

  itFull.concurrent('that sends no request has failed, and is shown the variables that it got', async () => {
    const { code, stdout } = await run(['run', 'crowded-account', '--junit', 'out.xml', '--', 'true'], {
      cwd: tempDir(),
    });
    expect(code).toBe(1);
    expect(stdout).toContain(
      'No request came: let the command send its requests to the URL in CLOUD_BASE_URL with the key in CLOUD_API_KEY, which it was given.\n',
    );
  });

  itFull.concurrent('keeps its flags, --help too', async () => {
    const { code, stdout } = await run(['run', 'crowded-account', '--', 'echo', '--help', '--json', '-x']);
    expect(stdout).toMatch(/^--help --json -x\n/);
    expect(code).toBe(1);
  });
});

describe('a command that may fail with the error of a fault', () => {
  const scenario = {
    command: { mayFailWithFault: true },
    faults: [{ match: { operation: 'agents.create' }, effect: { error: 'SERVICE_UNAVAILABLE' } }],
    expect: { holdings: [{ kind: 'agent', name: 'Ada', min: 1, orFails: true }] },
  };
  const client = (end: string): string[] =>
    script(`
      const { CLOUDEMU_URL: url, CLOUD_API_KEY: key } = process.env;
      const init = { method: 'POST', headers: { 'x-api-key': key }, body: '{"name": "Ada"}' };
      const response = await fetch(url + '/api/v1/app/agents', init);
      ${end}
    `);
  const runWith = async (end: string, document: object = scenario) => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'mine.json'), JSON.stringify(document));
    return runHere(['run', './mine.json', ...client(end)], { cwd });
  };

  it('need not have what it reports as missing', async () => {
    const { code, stdout } = await runWith('throw new Error(await response.text());');
    expect(stdout).toMatch(
      /^All came as expected, in 1 request; .* ended with 1, with the error of a fault, as it may\.$/m,
    );
    expect(code).toBe(0);
  });

  it('must have it when it does not fail', async () => {
    const { code, stdout } = await runWith('');
    expect(stdout).toMatch(/^fail +agents named Ada +0, expected at least 1$/m);
    expect(code).toBe(1);
  });

  it('has failed when it names an error that the platform had answered before the fault', async () => {
    const before = `await fetch(url + '/api/v1/containers/none', { headers: { 'x-api-key': key } });`;
    const early = client('throw new Error("AssertionError: 404 is not 200");').map((text) =>
      text.replace('const response', `${before} const response`),
    );
    const cwd = tempDir();
    writeFileSync(join(cwd, 'mine.json'), JSON.stringify({ ...scenario, expect: {} }));
    const { code, stdout } = await runHere(['run', './mine.json', ...early], { cwd });
    expect(stdout).toMatch(/^The command failed, after 2 requests; .* ended with 1, not with the error of a fault\.$/m);
    expect(code).toBe(1);
  });

  it('has failed when its error is another one, whatever came of the rest', async () => {
    const { code, stdout } = await runWith('(await response.json()).agent.name.trim();', { ...scenario, expect: {} });
    expect(stdout).toMatch(/^The command failed, after 1 request; .* ended with 1, not with the error of a fault\.$/m);
    expect(code).toBe(1);
  });
});

describe('the worlds of a run', () => {
  const act = (path: string, body?: string): string =>
    `await (await fetch(process.env.CLOUDEMU_URL + '${path}', { method: 'POST', body: '${body ?? '{}'}' })).json()`;
  // One world is used and dropped, two are used, one is left alone; the default one only hosts them.
  const inWorlds = script(`
    const key = async (id) => (${act('/_emulator/worlds', `{"id": "ID"}`).replace('"ID"', `"' + id + '"`)}).apiKey;
    const ask = async (id, path) => (await fetch(process.env.CLOUDEMU_URL + '/w/' + id + path, { headers: { 'x-api-key': await key(id) } })).text();
    await ask('buys-twice', '/api/v1/containers');
    await fetch(process.env.CLOUDEMU_URL + '/_emulator/worlds/buys-twice', { method: 'DELETE' });
    await ask('polls', '/api/v1/agents');
    await ask('lists', '/api/v1/containers');
    await ask('lists', '/api/v1/containers');
    await key('idle');
  `);

  it('are judged each for itself, those too that have ended', async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'mine.json'), '{"expect": {"requests": [{"operation": "containers.list", "count": 1}]}}');
    const { code, stdout } = await runHere(['run', './mine.json', '--junit', 'out.xml', ...inWorlds], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^World buys-twice: All came as expected, in 1 request$/m);
    expect(stdout).toMatch(
      /^World lists: 1 of \d+ expectations failed, in 2 requests\nfail +requests of containers.list {2}2, expected 1$/m,
    );
    // A rule without a case in one world is judged where another one had it.
    expect(stdout).toMatch(/^World polls: All came as expected, in 1 request$/m);
    expect(stdout).toMatch(/^World idle: Nothing was judged$/m);
    expect(stdout).not.toContain('World default');
    // The world has ended, and is kept, with its history.
    const [, dataDir = ''] = /^Its world is kept: `.* start --port 0 --data-dir (\S+)`/m.exec(stdout) ?? [];
    expect(dataDir).toBe('.cloudemu/failed/lists');
    expect(readdirSync(join(cwd, '.cloudemu/failed'))).toEqual(['.cloudemu-directory', 'lists']);
    const xml = readFileSync(join(cwd, 'out.xml'), 'utf8');
    expect([...xml.matchAll(/<testsuite name="([^"]*)"/g)].map(([, name]) => name)).toEqual([
      'buys-twice',
      'idle',
      'lists',
      'polls',
    ]);
    expect(wellFormed(xml)).toBe(true);
  });

  itFull.concurrent('can be narrowed to one', async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'mine.json'), '{"expect": {"requests": [{"operation": "containers.list", "count": 1}]}}');
    const good = await run(['run', './mine.json', '--json', '--world', 'buys-twice', ...inWorlds], { cwd });
    expect(good.code).toBe(0);
    expect(JSON.parse(good.stdout)).toMatchObject({ ok: true, worlds: [{ world: 'buys-twice', ok: true }] });
    const wrong = await run(['run', './mine.json', '--world', 'buy-twice', ...inWorlds], { cwd });
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      '--world: there was no world "buy-twice"; did you mean "buys-twice"?\n',
    ]);
  });
});

describe('the report', () => {
  const mine = (document: object, options: RunOptions = {}): { cwd: string; file: string } => {
    const cwd = options.cwd ?? tempDir();
    const file = join(cwd, 'mine.json');
    writeFileSync(file, JSON.stringify(document));
    return { cwd, file };
  };

  it('is one line of JSON, beside what the command prints', async () => {
    const { cwd } = mine({ title: 'Mine', expect: { requests: [{ operation: 'agents.list' }] } });
    const { code, stdout, stderr } = await run(['run', './mine.json', '--json', ...shell('echo mine')], {
      cwd,
    });
    expect([code, stderr]).toEqual([1, 'mine\n']);
    expect(stdout).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(stdout)).toMatchObject({
      scenario: './mine.json',
      ok: false,
      exitCode: 0,
      failed: 1,
      command: ['sh', '-c', 'echo mine'],
    });
  });

  it('can be JUnit XML, whatever stands in it', async () => {
    const { cwd } = mine({
      expect: {
        requests: [{ operation: 'agents.*' }],
        containers: [{ project: 'a"<&>\u0007\u{1f600}]]>', status: 'running' }],
        verdicts: { 'no-unknown-fields': 'fail' },
      },
    });
    const args = ['run', 'mine.json', '--junit', 'reports/ci/out.xml', ...shell(`${listContainers}; exit 4`)];
    expect((await runHere(args, { cwd })).code).toBe(4);
    const xml = readFileSync(join(cwd, 'reports/ci/out.xml'), 'utf8');
    expect(xml).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="cloudemu" tests="14" failures="4"/,
    );
    expect(xml).toContain('name="container a&quot;&lt;&amp;&gt;\\u0007\u{1f600}]]&gt;"');
    expect(xml).toContain('<failure message="exit code 4" type="command"/>');
    expect(xml).toContain('<skipped message="not exercised"/>');
    expect(xml).toMatch(/<failure message="0, expected at least 1" type="fail">there was no such request</);
    expect(wellFormed(xml)).toBe(true);
    const counts = /tests="(\d+)" failures="(\d+)" errors="0" skipped="(\d+)"/.exec(xml)?.slice(1).map(Number);
    const found = ['<testcase ', '<failure ', '<skipped '].map((tag) => xml.split(tag).length - 1);
    expect(found).toEqual(counts);
  });

  itFull.concurrent('that cannot be written is reported', async () => {
    const { code, stderr } = await run([
      'run',
      'crowded-account',
      '--junit',
      '/dev/null/out.xml',
      ...shell(listContainers),
    ]);
    expect([code, stderr]).toEqual([1, '/dev/null/out.xml cannot be written (ENOTDIR)\n']);
  });

  itFull.concurrent('takes a rule that was not exercised for a failure, if wanted', async () => {
    const args = ['run', 'happy-path', '--fail-on', 'not-exercised', ...shell(listContainers)];
    const { code, stdout } = await run(args);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail +verdict backoff-grows +not exercised, expected pass/m);
  });
});

itFull.concurrent('an own scenario of the directory is known by its name', async () => {
  const cwd = tempDir();
  writeFileSync(
    join(cwd, 'emulator.config.json'),
    '{"data": {"scenarios": "own"}, "server": {"publicUrl": "https://x.test"}}',
  );
  const { code } = await run(['run', 'mine', '--', 'true'], { cwd });
  expect(code).toBe(2);
  mkdirSync(join(cwd, 'own'));
  writeFileSync(join(cwd, 'own/mine.json'), '{"data": {"credits": 3}}');
  const print = `console.log((await (${get('/api/v1/credits/balance')}).json()).balance)`;
  expect((await run(['run', 'mine', ...script(print)], { cwd })).stdout).toMatch(/^3\n/);
});

/** Whether tags and quotes close: a small reader, as Node has none. */
function wellFormed(xml: string): boolean {
  const open: string[] = [];
  const rest = xml
    .replace(/<\?[^?]*\?>/g, '')
    .replace(/<(\/?)([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>/g, (_, end, name, __, empty) => {
      if (end === '/') return open.pop() === name ? '' : '<';
      if (empty !== '/') open.push(name);
      return '';
    });
  return open.length === 0 && !/[<>]|&(?!(amp|lt|gt|quot|apos|#\d+);)/.test(rest);
}
