// The commands that are control operations: what a person is shown, what he is told when it goes wrong, which world.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/index.js';
import { type Outcome, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { call, deploy, startEmulator } from '../support/emulator.js';
import { itFromOutside, outerAddress } from '../support/outer-address.js';
import { expectTranscript, printed } from '../support/transcript.js';

let emulator: Emulator;
const words = (line: string): string[] => line.match(/'[^']*'|\S+/g)?.map((word) => word.replace(/^'|'$/g, '')) ?? [];
// Printed commands mean the emulator of --url, too (typed-target.test.ts): left out here, where the rest of the text counts.
async function cloudemu(line: string): Promise<Outcome> {
  const { url } = emulator;
  const { code, stdout, stderr } = await runHere([...words(line), '--url', url]);
  return { code, stdout: stdout.replaceAll(` --url=${url}`, ''), stderr: stderr.replaceAll(` --url=${url}`, '') };
}

let dir: string;
beforeEach(async () => {
  dir = tempDir();
  emulator = await startEmulator();
});

describe('a person is shown', () => {
  it('a list as a table, and that there is nothing', async () => {
    expect(await cloudemu('faults')).toMatchObject({ code: 0, stdout: 'None.\n' });
    await cloudemu('faults add --operation containers.create --status 503 --times 2 --retry-after 9');
    expect((await cloudemu('faults list')).stdout).toBe(
      `${[
        'id       state  hits  seen  match                        when     effect                    phase',
        'fault_1  armed  0     0     operation=containers.create  times=2  status=503 retry-after=9  before',
      ].join('\n')}\n`,
    );
  });

  it('the range of a delay', async () => {
    emulator.controls.faults.add({ effect: { delay: { min: 1_000, max: 2_500 } } });
    expect((await cloudemu('faults list')).stdout).toContain(' delay=1s to 2s500ms ');
  });

  it('how many requests an await has found, and where to read of the last', async () => {
    await call(emulator, 'GET', '/api/v1/containers');
    const [{ requestId = '' } = {}] = emulator.controls.requests.list().requests;
    const ending = `got status 200 at 2026-01-01T00:00:00.000Z.\n\`cloudemu requests show ${requestId}\` shows it.\n`;
    expect((await cloudemu('await operation containers.list')).stdout).toBe(
      `1 request of containers.list: the last ${ending}`,
    );
    expect((await cloudemu('await operation containers.*')).stdout).toBe(
      `1 request of containers.*: the last, of containers.list, ${ending}`,
    );
    expect(await cloudemu('await operation keys.list --timeout 1ms')).toMatchObject({ code: 1, stdout: '' });
  });

  it('one thing by its names', async () => {
    const { stdout } = await cloudemu('clock advance 90s');
    expect(stdout).toBe(
      '  now       2026-01-01T00:01:30.000Z\n  speed     0\n  frozen    yes\n  skew      0ms\n  advanced  1m30s\n',
    );
  });

  it('by the names that were typed, what cannot stand together', async () => {
    expect(await cloudemu('faults add --network reset --status 503 --retry-after 3')).toMatchObject({
      code: 2,
      stderr: '--network leaves no response (reset): leave out `--status`, `--retry-after`, got "reset"\n',
    });
    expect((await cloudemu('faults add --network truncate --phase before')).stderr).toMatch(
      /^--phase must be after for truncate: .* \(or give `--error`, `--status` or `--body`\), got "before"/,
    );
  });

  it('which world stands in the way, and in what it differs', async () => {
    await cloudemu('world create --id blue --scenario rough-day');
    expect(await cloudemu('world create --id blue')).toMatchObject({
      code: 1,
      stderr: [
        'There is a world "blue" that was created otherwise (scenario): end it, or choose another id',
        '--scenario is "rough-day" in the world that exists, got nothing\n',
      ].join('\n'),
    });
  });

  it('that a filter of the ledger can never fit', async () => {
    expect(await cloudemu('ledger --organization-id nope')).toMatchObject({
      code: 1,
      stderr: 'There is no organization "nope" (`cloudemu organization list` shows them)\n',
    });
    expect(await cloudemu('ledger --operation containers.creat')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--operation must be .*; did you mean containers\.create\?\n$/),
    });
  });

  it('nothing where a name makes the path of another operation', async () => {
    for (const line of ['requests show stream', 'faults show never-fired'])
      expect(await cloudemu(line)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^There is no thing with the id "\S+" \(`cloudemu \w+ list` shows them\)\n$/),
      });
  });

  it('a list in a thing below it', async () => {
    await deploy(emulator);
    const { stdout } = await cloudemu('container show web');
    expect(stdout).toMatch(/^ {2}id +\S{36}\n/);
    expect(stdout).toMatch(/\n\nstatus history:\n {2}status {3}at\n {2}pending {2}2026-01-01T00:00:00\.000Z\n$/);
  });

  it('the rows that a request changed, or that they were not recorded', async () => {
    const shown = async (): Promise<string> => {
      const [{ requestId } = { requestId: '' }] = emulator.controls.requests.list({ limit: 1 }).requests;
      return (await cloudemu(`requests show ${requestId}`)).stdout;
    };
    emulator = await startEmulator({ data: { history: 'off' } });
    await deploy(emulator);
    expect(await shown()).toContain('\nchanges: not recorded (see the settings data.history and data.historyBytes)\n');
    emulator = await startEmulator();
    await deploy(emulator);
    expect(await shown()).toMatch(/\nchanges:\norganizations: 0 added, 0 removed, 1 changed\n {2}~ .*\n {6}balance: 1/);
  });

  it('of which image a container is made, as far as that is known', async () => {
    const { uri } = emulator.controls.images.make({ repository: 'web', user: 'app', exposedPorts: [3_000] });
    await deploy(emulator, { ecr_image_uri: uri });
    const { digest, size } = emulator.controls.containers.get('web').image;
    const { stdout } = await cloudemu('container show web');
    const facts = [
      'platform  linux/arm64',
      `size  ${size}`,
      'user  app',
      'entrypoint  /app',
      'exposed ports  3000/tcp',
    ];
    const lines = [uri, digest, ...facts].map((line) => `  ${line}\n`).join('');
    expect(stdout.replace(/(?<=\S) {2,}/g, '  ')).toContain(`\n\nimage:\n${lines}`);
    await deploy(emulator, { name: 'b', project_name: 'b', ecr_image_uri: 'docker.io/library/web:v1' });
    expect((await cloudemu('container show b')).stdout).toContain('\n\nimage:\n  docker.io/library/web:v1\n\n');
  });

  it('an image with its layers and config', async () => {
    await cloudemu('image make web --platforms linux/arm64 --labels a=b,c=d=e --entrypoint node,server.js');
    const { stdout } = await cloudemu('image show web');
    expect(stdout).toMatch(/^\S+\/web:latest\nsha256:[0-9a-f]{64}\n {2}repository +\S+\n/);
    expect(stdout).toMatch(/\n\nlinux\/arm64:\n {2}sha256:[0-9a-f]{64}\n {2}size +\d+\n/);
    expect(stdout).toMatch(/\n {2}entrypoint +node, server\.js\n {2}labels +a=b c=d=e\n/);
    expect(stdout).toMatch(/\n {2}layers:\n {4}size +digest +media type\n {4}\d+ +sha256:[0-9a-f]{64} +application/);
    expect(stdout).not.toMatch(/ -$| manifest /m);
  });

  it('in plain words what has become of a container', async () => {
    await deploy(emulator);
    await emulator.controls.clock.advance('1m');
    expect((await cloudemu('container fail web --mode oom-later')).stdout).toMatch(
      /^Container web failed: memory grows until the running process is killed \(failure mode oom-later\)\. Clients read "OutOf/,
    );
    expect((await cloudemu('container recover web')).stdout).toMatch(/^Container web is running since 2026-\S+\. /);
    expect((await cloudemu('container crash web')).stdout).toMatch(/^Container web failed: .*exit code 1/);
  });

  it('a reply that was written without --text', async () => {
    expect((await cloudemu("replies add 'Sunny today'")).stdout).toMatch(/^ {2}reply +text=Sunny today$/m);
  });

  it('how many there are beyond those that are listed', async () => {
    for (let i = 0; i < 3; i++) await call(emulator, 'GET', '/api/v1/containers');
    const { stdout } = await cloudemu('requests --limit 2');
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(stdout).toContain('\nshown: 2 of 3\n');
  });

  it('nothing that a terminal would obey', async () => {
    const name = 'a\u001b[31m\u202eb\nc';
    emulator.controls.organizations.create({ name });
    const { stdout } = await cloudemu('organization list');
    expect(stdout).toContain('a\\u001b[31m\\u202eb\\nc');
    expect(stdout).not.toContain('\u001b');
  });

  it('no key where a list does not need it', async () => {
    const { apiKey } = await emulator.controls.worlds.create({ id: 'blue' });
    const { stdout } = await cloudemu('world list');
    expect(stdout).toContain(`${emulator.url}/w/blue`);
    expect(stdout).not.toContain(apiKey);
    expect((await cloudemu('config show --json')).stdout).not.toContain(emulator.apiKey);
  });
});

describe('a mistake is told in the words of the command line', () => {
  it('with what is meant', () =>
    expectTranscript(join(import.meta.dirname, 'control-mistakes.txt'), async (words) =>
      printed(await cloudemu(words.join(' '))),
    ));

  it.each(['.', '..', '%2e', 'a/b', '?', '#'])('a name like %s is a name, and no other path', async (name) => {
    emulator.controls.faults.add({ effect: { status: 503 } });
    expect(await cloudemu(`faults remove ${name}`)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no fault rule ".+" \(`cloudemu faults list` shows them\)\n$/),
    });
    expect(emulator.controls.faults.list()).toHaveLength(1);
  });

  it('in the flat style of errors too', async () => {
    emulator = await startEmulator({ profile: 'elizacloud-v1' });
    expect(await cloudemu('clock advance 10x')).toEqual({
      code: 2,
      stdout: '',
      stderr: '<by> must be a duration: "90s", "10m" or milliseconds, got "10x"\n',
    });
    expect(await cloudemu('container show web')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^There is no container/),
    });
  });
});

describe('await', () => {
  it('prints what it has waited for', async () => {
    await deploy(emulator);
    const { code, stdout } = await cloudemu('await container web --status running --advance --json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ project_name: 'web', status: 'running' });
  });

  it.each([
    ['--timeout 50ms', /^After 50ms, Container web is pending, not running\. .*pass `--advance`, or advance it$/],
    ['--status deleting', /^Container web is pending, not deleting, and its plan leads only to .*$/],
  ])('%s: prints what was seen, and fails', async (flags, message) => {
    await deploy(emulator);
    const line = `await container web --status running ${flags}`;
    const { code, stdout, stderr } = await cloudemu(`${line} --json`);
    expect([code, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      project_name: 'web',
      status: 'pending',
      error: { code: flags.startsWith('--timeout') ? 'REQUEST_TIMEOUT' : 'CONFLICT' },
    });
    expect(JSON.parse(stdout).error.message).toMatch(message);
    const person = await cloudemu(line);
    expect([person.code, person.stdout]).toEqual([1, expect.stringContaining('pending')]);
    expect(person.stderr).toMatch(new RegExp(message.source.replace('50ms', '\\d+m?s'), 'm'));
  });
});

describe('documents', () => {
  it('come as text, from a file, with flags over them', async () => {
    const file = join(dir, 'rule.json');
    writeFileSync(file, '{"match": {"operation": "keys.*"}, "effect": {"status": 503}}');
    const { stdout } = await cloudemu(`faults add ${file} --times 3 --status 500 --json`);
    expect(JSON.parse(stdout)).toMatchObject({
      match: { operation: 'keys.*' },
      when: { times: 3 },
      effect: { status: 500 },
    });
    const text = await cloudemu(`faults add '{"effect": {"delay": {"min": 1, "max": "2ms"}}}' --dry-run --json`);
    expect(JSON.parse(text.stdout)).toMatchObject({ id: null, effect: { delay: { min: 1, max: 2 } } });
    const parts = await cloudemu(`faults add --headers '{"x-tenant": "a"}' --body '{"a": 1}' --status 418 --json`);
    expect(JSON.parse(parts.stdout)).toMatchObject({
      match: { headers: { 'x-tenant': 'a' } },
      effect: { body: { a: 1 } },
    });
  });

  it('a snapshot goes to a file for its owner only, and comes back elsewhere', async () => {
    await deploy(emulator);
    await cloudemu('snapshot take one');
    const file = join(dir, 'one.json');
    expect(await cloudemu(`snapshot export one --file ${file}`)).toMatchObject({
      code: 0,
      stdout: `Wrote the snapshot one to ${file}.\n`,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { stdout } = await cloudemu('snapshot export one');
    expect(stdout).toBe(readFileSync(file, 'utf8'));
    emulator = await startEmulator({ seed: 'other' });
    expect(await cloudemu(`snapshot import ${file}`)).toMatchObject({ code: 0 });
    expect(await cloudemu('snapshot restore one')).toMatchObject({ code: 0 });
    expect((await cloudemu('container list')).stdout).toContain(' web ');
    writeFileSync(file, stdout.replace(/"image":"..../, '"image":"AAAA'));
    expect(await cloudemu(`snapshot import ${file}`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^image is not a complete snapshot/),
    });
  });
});

describe('worlds', () => {
  it('are named by --world, by the URL, or by CLOUDEMU_URL', async () => {
    const { stdout } = await cloudemu('world create --id blue --seed 7 --clock 2030-01-01T00:00:00Z --frozen --json');
    const { baseUrl, apiKey } = JSON.parse(stdout) as { baseUrl: string; apiKey: string };
    expect(baseUrl).toBe(`${emulator.url}/w/blue`);
    const inBlue = '{"now":"2030-01-01T00:00:00.000Z","speed":0,"frozen":true,"skewMs":0}\n';
    expect((await cloudemu('clock --json --world blue')).stdout).toBe(inBlue);
    expect((await runHere(['clock', '--json', '--url', baseUrl])).stdout).toBe(inBlue);
    expect((await runHere(['clock', '--json', '--url', `${baseUrl}/`])).stdout).toBe(inBlue);
    const blue = { env: { CLOUDEMU_URL: baseUrl } };
    expect((await runHere(['clock', '--json'], blue)).stdout).toBe(inBlue);
    expect((await runHere(['clock', '--json', '--world', 'default'], blue)).stdout).toContain('2026-01-01');
    expect(JSON.parse((await runHere(['env', '--json'], blue)).stdout)).toEqual({
      CLOUD_BASE_URL: baseUrl,
      CLOUD_API_KEY: apiKey,
    });
    expect((await runHere(['status', '--json'], blue)).stdout).toContain('"now":"2030-01-01');
    expect(JSON.parse((await cloudemu('env --world blue --json')).stdout)).toEqual({
      CLOUD_BASE_URL: baseUrl,
      CLOUD_API_KEY: apiKey,
    });
    expect((await cloudemu('world drop blue')).code).toBe(0);
    expect(await cloudemu('clock --world blue')).toEqual({
      code: 1,
      stdout: '',
      stderr: `There is no world "blue" at ${emulator.url}. \`cloudemu world list\` shows them.\n`,
    });
  });

  it('are apart', async () => {
    await cloudemu('world create --id red');
    await cloudemu('faults add --status 503 --world red');
    expect(emulator.controls.faults.list()).toEqual([]);
    expect((await cloudemu('faults --world red')).stdout).toContain('status=503');
    expect((await cloudemu('reset --world red')).code).toBe(0);
    expect((await cloudemu('faults --world red')).stdout).toBe('None.\n');
  });
});

describe('the control token', () => {
  itFromOutside('is sent, never shown, and asked for', async () => {
    const { port } = await startEmulator({
      host: '0.0.0.0',
      publicUrl: `http://${outerAddress}`,
      controlToken: 'let-me-in',
    });
    const line = ['config', 'show', '--url', `http://${outerAddress}:${port}`];
    const show = (...args: string[]) => runHere([...line, ...args]);
    expect(await show()).toMatchObject({
      code: 1,
      stderr:
        'The control plane needs its token here: Authorization: Bearer <control token>. Name it with --token or CLOUDEMU_CONTROL_TOKEN.\n',
    });
    expect(await show('--token', 'let-me-out')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^The control plane needs its token here, and the token that came is another one: /,
      ),
    });
    const { code, stdout, stderr } = await show('--token', 'let-me-in');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('"controlToken": "********"');
    expect(stdout).not.toContain('let-me-in');
    expect(await runHere(line, { env: { CLOUDEMU_CONTROL_TOKEN: 'let-me-in' } })).toMatchObject({ code: 0 });
    expect(await show('--token', 'ärger')).toMatchObject({
      code: 2,
      stderr: '--token must be one word of ASCII characters\n',
    });
  });
});
