// The commands that are control operations: what a person is told when it goes wrong, documents, which world; stories.test.ts has
// what he is shown.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/index.js';
import { type Outcome, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { deploy, startEmulator } from '../support/emulator.js';
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

  it('of which image a container is made', async () => {
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

it(
  'a mistake is told in the words of the command line, with what is meant',
  () =>
    expectTranscript(join(import.meta.dirname, 'control-mistakes.txt'), async (words) =>
      printed(await cloudemu(words.join(' '))),
    ),
  300_000,
);

describe('documents', () => {
  it('come from a file, with flags over them', async () => {
    const file = join(dir, 'rule.json');
    writeFileSync(file, '{"match": {"operation": "keys.*"}, "effect": {"status": 503}}');
    const { stdout } = await cloudemu(`faults add ${file} --times 3 --status 500 --json`);
    expect(JSON.parse(stdout)).toMatchObject({
      match: { operation: 'keys.*' },
      when: { times: 3 },
      effect: { status: 500 },
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
