// `cloudemu start`: what it prints, where it answers, what it obeys.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { itFull, sampleOf } from '../support/campaign.js';
import { type RunningCommand, spawnCommand, startCommand, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';

const it = test.concurrent;

const sh = promisify(execFile);
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
const json = async (url: string): Promise<Record<string, unknown>> =>
  (await fetch(url)).json() as Promise<Record<string, unknown>>;

let shared: Promise<RunningCommand> | undefined;

/** An emulator that the tests of this file share and leave as it is. */
function anEmulator(): Promise<RunningCommand> {
  shared ??= startCommand(['--ephemeral'], { env: { CLOUDEMU_PROT: '1' } });
  return shared;
}

/** The banner of a start in a directory, once it is whole. */
async function banner(args: string[] = [], options: Parameters<typeof spawnCommand>[1] = {}): Promise<string> {
  const { child, out } = spawnCommand(['start', '--port', '0', ...args], options);
  while (!out.stdout.includes('Press Ctrl-C to stop it.\n')) await once(child.stdout, 'data');
  return out.stdout;
}

describe('--json', () => {
  it('prints one line with everything a script needs, and nothing else on stdout', async () => {
    const emulator = await startCommand(['--ephemeral']);
    await fetch(`${emulator.url}/api/v1/containers`);
    const { stdout } = await emulator.end();
    expect(stdout.endsWith('\n')).toBe(true);
    expect(stdout.trimEnd()).not.toContain('\n');
    expect(JSON.parse(stdout)).toEqual({
      url: `http://127.0.0.1:${emulator.port}`,
      port: expect.any(Number),
      apiKey: expect.stringMatching(/^ek_test_/),
      organizationId: expect.any(String),
      userId: expect.any(String),
      health: `${emulator.url}/_emulator/health`,
      control: `${emulator.url}/_emulator`,
      dataDir: null,
      pid: emulator.child.pid,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  it('comes only when the emulator answers', async () => {
    const emulator = await anEmulator();
    expect(await json(emulator.health)).toMatchObject({ status: 'ready' });
  });

  it('gives a key that works', async () => {
    const { url, apiKey } = await anEmulator();
    const { status } = await fetch(`${url}/api/v1/containers`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(status).toBe(200);
  });
});

describe('the banner', () => {
  it('names URL, key, health, document, settings and data, and has one curl line that works when pasted', async () => {
    const text = await banner();
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
    expect(text).toMatch(/^cloudemu \d+\.\d+\.\d+ is ready\.\n/);
    expect(text).toContain(`URL        ${url}\n`);
    expect(text).toMatch(/Test key {3}ek_test_[0-9a-f]+\n/);
    expect(text).toContain(`Dashboard  ${url}/_emulator/\n`);
    expect(text).toContain(`Health     ${url}/_emulator/health\n`);
    expect(text).toContain(`OpenAPI    ${url}/openapi.json\n`);
    expect(text).toContain('Settings   defaults (`cloudemu init` writes a file), profile spec\n');
    expect(text).toContain('Data       ./.cloudemu\n');
    const [line = ''] = /^ {2}curl .*$/m.exec(text) ?? [];
    const { stdout } = await sh('sh', ['-c', line]);
    expect(JSON.parse(stdout)).toEqual({ success: true, data: [] });
  });

  itFull.concurrent('names the settings file and the profile in force', async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'emulator.config.json'), '{"profile": "elizacloud-v1"}');
    expect(await banner(['--ephemeral'], { cwd })).toContain(
      'Settings   ./emulator.config.json, profile elizacloud-v1\n',
    );
  });

  itFull.concurrent('shows the public URL, and tries the one that this machine reaches', async () => {
    const text = await banner(['--ephemeral', '--public-url', 'https://cloud.example.test']);
    expect(text).toContain('URL        https://cloud.example.test\n');
    expect(text).toMatch(/curl -s http:\/\/127\.0\.0\.1:\d+\/api/);
  });

  it.each(
    sampleOf<[string, string[], Record<string, string>]>(
      [
        ['--quiet', ['--quiet'], {}],
        ['CLOUDEMU_QUIET', [], { CLOUDEMU_QUIET: '1' }],
      ],
      2,
    ),
  )('is left out by %s, as is the request log', async (_, args, env) => {
    const { child, out, cwd } = spawnCommand(['start', '--port', '0', ...args], { env });
    const { code, stdout } = await runHere(['status', '--wait', '--json', '--data-dir', '.cloudemu'], { cwd });
    await fetch(`${JSON.parse(stdout).url}/nowhere`);
    child.kill('SIGTERM');
    await once(child, 'close');
    expect([code, out.stdout, out.stderr]).toEqual([0, '', '']);
  });
});

describe('addresses', () => {
  it.each(['127.0.0.1', 'localhost', '[::1]'])('%s answers', async (host) => {
    if (host === '[::1]' && !hasIpv6) return;
    const { port } = await anEmulator();
    expect(await json(`http://${host}:${port}/_emulator/health`)).toMatchObject({ status: 'ready' });
  });
});

describe('flags', () => {
  itFull.concurrent('gives the same key for the same seed', async () => {
    const [one, two] = await Promise.all([
      startCommand(['--ephemeral', '--seed', '7']),
      startCommand(['--ephemeral', '--seed=7']),
    ]);
    expect(one.apiKey).toBe(two.apiKey);
  });

  itFull.concurrent('reads the same seed from a flag and from the environment', async () => {
    const seed = '12345678901234567890';
    const [one, two] = await Promise.all([
      startCommand(['--ephemeral', '--seed', seed]),
      startCommand(['--ephemeral'], { env: { CLOUDEMU_SEED: seed } }),
    ]);
    expect(one.apiKey).toBe(two.apiKey);
  });

  itFull.concurrent('--no-ephemeral overrides the environment', async () => {
    const { dataDir } = await startCommand(['--no-ephemeral'], { env: { CLOUDEMU_EPHEMERAL: '1' } });
    expect(dataDir).toMatch(/\.cloudemu$/);
  });

  itFull.concurrent('lets the last of repeated flags count', async () => {
    const [one, two] = await Promise.all([
      startCommand(['--ephemeral', '--seed', 'a', '--seed', 'b']),
      startCommand(['--ephemeral', '--seed', 'b']),
    ]);
    expect(one.apiKey).toBe(two.apiKey);
  });

  it('warns of a misspelt variable, and starts', async () => {
    const emulator = await anEmulator();
    expect(emulator.stderr()).toMatch(/^warning: CLOUDEMU_PROT is not a setting; did you mean CLOUDEMU_PORT\?\n/);
  });
});

describe('a data directory', () => {
  itFull.concurrent('says that --clock and --frozen come too late for a world that is there', async () => {
    const cwd = tempDir();
    await (await startCommand([], { cwd })).end();
    const again = await startCommand(['--frozen', '--clock', '2030-01-01T00:00:00Z'], { cwd });
    expect(again.stderr()).toMatch(
      /^note: the world in .*\.cloudemu keeps its own clock \(\S+\); --clock and --frozen are for a new one\n$/,
    );
  });

  it('keeps key and clock over a restart, and says that the key is refused, where that was revoked earlier', async () => {
    const cwd = tempDir();
    const first = await startCommand(['--clock', '2030-01-01T00:00:00Z', '--frozen'], { cwd });
    expect(first.stderr()).toBe('');
    const clock = { now: '2030-01-01T00:00:00.000Z', frozen: true };
    expect(await json(first.health)).toMatchObject({ clock });
    const { stdout } = await runHere(['key', 'list', '--json'], { cwd });
    const [{ id }] = JSON.parse(stdout).keys;
    expect((await runHere(['key', 'revoke', id], { cwd })).code).toBe(0);
    await first.end();
    const second = await startCommand([], { cwd });
    expect(second.apiKey).toBe(first.apiKey);
    expect(await json(second.health)).toMatchObject({ clock });
    await second.said(
      /^note: the test key is refused, as it was deleted or changed; `cloudemu key create` prints another\n$/,
    );
    const { status } = await fetch(`${second.url}/api/v1/containers`, {
      headers: { authorization: `Bearer ${second.apiKey}` },
    });
    expect(status).toBe(401);
  });
});
