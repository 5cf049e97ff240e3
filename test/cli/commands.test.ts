// The commands beside `start`, against emulators that run and against none.

import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { itFull } from '../support/campaign.js';
import { closedUrl } from '../support/closed-port.js';
import { cli, type RunningCommand, spawnCommand, startCommand, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { eventually } from '../support/eventually.js';
import { itFromOutside, outerAddress } from '../support/outer-address.js';
import { startServed } from '../support/served.js';

const it = test.concurrent;

const sh = promisify(execFile);

const itOnLinux = process.platform === 'linux' ? it : it.skip;

let shared: Promise<RunningCommand> | undefined;

/** An emulator that the tests of this file share and leave as it is. */
function anEmulator(): Promise<RunningCommand> {
  shared ??= startCommand();
  return shared;
}

describe('env', () => {
  it('prints exports and nothing else', async () => {
    const { dir, url, apiKey } = await anEmulator();
    const { code, stdout, stderr } = await runHere(['env'], { cwd: dir });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`export CLOUD_BASE_URL='${url}'\nexport CLOUD_API_KEY='${apiKey}'\n`);
  });

  it('prints what a shell can take over', async () => {
    const { dir, url, apiKey } = await anEmulator();
    const script = `eval "$('${process.execPath}' '${cli}' env)" && echo "$CLOUD_BASE_URL $CLOUD_API_KEY"`;
    const { stdout } = await sh('sh', ['-c', script], { cwd: dir, env: { PATH: process.env.PATH } });
    expect(stdout).toBe(`${url} ${apiKey}\n`);
  });

  itFull.concurrent('takes the names of the profile', async () => {
    const { dir, url, apiKey } = await startCommand(['--ephemeral', '--profile', 'elizacloud-v1']);
    const { stdout } = await runHere(['env', '--json'], { cwd: dir });
    expect(JSON.parse(stdout)).toEqual({
      CLOUD_BASE_URL: url,
      CLOUD_API_KEY: apiKey,
      ELIZAOS_CLOUD_BASE_URL: url,
      ELIZA_CLOUD_BASE_URL: url,
      ELIZAOS_CLOUD_API_KEY: apiKey,
      ELIZAOS_API_KEY: apiKey,
      ELIZA_API_KEY: apiKey,
    });
  });

  itFull.concurrent('prints the public URL, and reaches the emulator at the local one', async () => {
    const { dir } = await startCommand(['--ephemeral', '--public-url', 'https://cloud.example.test']);
    const { stdout } = await runHere(['env', '--json'], { cwd: dir });
    expect(JSON.parse(stdout)).toMatchObject({ CLOUD_BASE_URL: 'https://cloud.example.test' });
  });
});

describe('open', () => {
  it('prints the address of the dashboard, of the world that is meant, where there is no browser', async () => {
    const { url } = await anEmulator();
    await fetch(`${url}/_emulator/worlds`, { method: 'POST', body: '{"id": "opened"}' });
    const env = { DISPLAY: '', BROWSER: '' };
    expect((await runHere(['open', '--print', '--url', url], { env })).stdout).toBe(`${url}/_emulator/\n`);
    const { stdout } = await runHere(['open', '--json', '--url', url, '--world', 'opened'], { env });
    expect(JSON.parse(stdout)).toEqual({ url: `${url}/w/opened/_emulator/` });
    expect((await fetch(JSON.parse(stdout).url)).status).toBe(200);
  });
});

describe('status', () => {
  itFull.concurrent('shows what runs', async () => {
    const { dir, url, pid } = await startCommand(['--ephemeral', '--clock', '2030-01-01T00:00:00Z', '--frozen']);
    const { code, stdout } = await runHere(['status'], { cwd: dir });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^cloudemu is ready\\.\\n {2}URL +${url}\\n`));
    expect(stdout).toMatch(/Clock +2030-01-01T00:00:00\.000Z \(frozen\)\n/);
    expect(stdout).toMatch(new RegExp(`Process +${pid}\\n +Data +in memory\\n$`));
  });

  it('answers a script with one line', async () => {
    const { dir, url, pid, version } = await anEmulator();
    const { stdout } = await runHere(['status', '--json'], { cwd: dir });
    expect(stdout).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(stdout)).toMatchObject({ url, pid, version, status: 'ready', dataDir: `${dir}/.cloudemu` });
  });

  it('reports a server that is not cloudemu', async () => {
    const { url } = await anEmulator();
    const { code, stderr } = await runHere(['status', '--url', `${url}/v2`]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The server at .* \(--url\) is not cloudemu: .*\/_emulator\/health returned 404\.\n$/);
  });
});

describe('stop', () => {
  itFull.concurrent('ends the emulator of the directory', async () => {
    const { dir, url, pid, child } = await startCommand();
    const { code, stdout } = await runHere(['stop'], { cwd: dir });
    expect([code, stdout]).toEqual([0, `Stopped the emulator at ${url} (pid ${pid}).\n`]);
    await eventually(() => child.exitCode === 0);
  });

  itOnLinux('knows that one has ended whose parent never asks for it', async () => {
    const cwd = tempDir();
    // The shell becomes a program that has no idea of its child.
    const shell = `'${process.execPath}' '${cli}' start --port 0 & exec sleep 60`;
    const parent = spawn('sh', ['-c', shell], { cwd, stdio: 'ignore' });
    await runHere(['status', '--wait', '--data-dir', '.cloudemu'], { cwd });
    const { code, stdout } = await runHere(['stop'], { cwd });
    parent.kill('SIGKILL');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Stopped the emulator at /);
  });

  itFull.concurrent('finds it by --data-dir from anywhere', async () => {
    const { dir, pid, url } = await startCommand();
    const { stdout } = await runHere(['stop', '--data-dir', join(dir, '.cloudemu'), '--json']);
    expect(JSON.parse(stdout)).toEqual({ stopped: true, pid, url });
  });

  itFull.concurrent('finds it by --url, under any name of this machine', async () => {
    const { dir, port } = await startCommand(['--ephemeral']);
    expect(await runHere(['stop', '--url', `http://localhost:${port}/`], { cwd: dir })).toMatchObject({ code: 0 });
  });

  itFull.concurrent('finds one with a public URL', async () => {
    const { dir } = await startCommand(['--ephemeral', '--public-url', 'https://cloud.example.test']);
    expect(await runHere(['stop'], { cwd: dir })).toMatchObject({ code: 0 });
  });
});

itFromOutside('a refusal of the control plane is told as it is', async () => {
  const { port } = await startCommand(['--ephemeral', '--host', '0.0.0.0']);
  const { code, stdout, stderr } = await runHere(['status', '--url', `http://${outerAddress}:${port}`]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^The control plane refused this request: [^\n]+\n$/);
});

describe('status --wait', () => {
  it('is done at once when the emulator is ready', async () => {
    const { dir, url } = await anEmulator();
    expect(await runHere(['status', '--wait'], { cwd: dir })).toEqual({
      code: 0,
      stdout: expect.stringContaining(url),
      stderr: '',
    });
  });

  it('waits for one that is still to come', async () => {
    const cwd = tempDir();
    const waiting = runHere(['status', '--wait', '--data-dir', '.cloudemu', '--json'], { cwd });
    const { url } = await startCommand([], { cwd });
    const { code, stdout } = await waiting;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ url, status: 'ready' });
  });

  it('gives up in time', async () => {
    const { code, stdout, stderr } = await runHere(['status', '--wait', '--data-dir', 'none', '--timeout', '100ms']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Not ready within 100ms: No emulator runs on /);
  });
});

describe.each(['env', 'status', 'stop'])('%s without an emulator', (command) => {
  it('fails with code 1 and one line', async () => {
    const url = await closedUrl();
    const { code, stdout, stderr } = await runHere([command], { env: { CLOUDEMU_URL: url } });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^[^\n]*No emulator answers at [^\n]+\n$/);
    expect(stderr).toContain(`No emulator answers at ${url} (CLOUDEMU_URL). \`cloudemu start\` runs one.\n`);
  });
});

it('a data directory that is named is not replaced by another emulator', async () => {
  const { url } = await anEmulator();
  const { code, stdout, stderr } = await runHere(['env', '--data-dir', 'elsewhere'], { env: { CLOUDEMU_URL: url } });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^No emulator runs on .*elsewhere\. `cloudemu start --data-dir elsewhere` runs one\.\n$/);
});

describe('which emulator is meant', () => {
  it('--url overrides CLOUDEMU_URL over the run file', async () => {
    const [one, two, three] = await Promise.all([anEmulator(), startServed(), startServed()]);
    const meant = async (args: string[], env: Record<string, string>): Promise<unknown> =>
      (JSON.parse((await runHere(['status', '--json', ...args], { cwd: one.dir, env })).stdout) as { url: string }).url;
    expect(await meant([], {})).toBe(one.url);
    expect(await meant([], { CLOUDEMU_URL: two.url })).toBe(two.url);
    expect(await meant(['--url', three.url], { CLOUDEMU_URL: two.url })).toBe(three.url);
  });

  itFull.concurrent('follows the data directory of the settings', async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'emulator.config.json'), '{"data": {"dir": "world"}}');
    const { url } = await startCommand([], { cwd });
    expect((await runHere(['status'], { cwd })).stdout).toContain(url);
  });

  itFull.concurrent('is found though the settings are broken by now', async () => {
    const { dir } = await startCommand();
    writeFileSync(join(dir, 'emulator.config.json'), '{');
    expect(await runHere(['stop'], { cwd: dir })).toMatchObject({ code: 0 });
  });
});

describe('openapi', () => {
  it('prints the platform’s document without an emulator', async () => {
    const { code, stdout } = await runHere(['openapi', '--base-url', 'https://x.test/']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: 'https://x.test' }],
      paths: { '/api/v1/containers': {} },
    });
  });

  it('prints the control plane’s on one line', async () => {
    const { stdout } = await runHere(['openapi', '--control', '--json']);
    expect(stdout).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(stdout)).toMatchObject({ paths: { '/_emulator/health': {} } });
  });

  itFull.concurrent('does not mind a reader that has seen enough', async () => {
    const { child, ended } = spawnCommand(['openapi']);
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  test.skipIf(process.platform !== 'linux')('says when the disk is full', async () => {
    const script = `'${process.execPath}' '${cli}' openapi > /dev/full`;
    await expect(sh('sh', ['-c', script], { cwd: tempDir() })).rejects.toMatchObject({
      code: 1,
      stderr: 'The output could not be written (ENOSPC).\n',
    });
  });
});

it('a command reads what is piped in where a document is `-`', async () => {
  const { dir } = await anEmulator();
  const line = `echo '{"match":{"operation":"keys.list"},"effect":{"status":503}}' | '${process.execPath}' '${cli}' faults add - --dry-run`;
  const { stdout } = await sh('sh', ['-c', line], { cwd: dir, env: { PATH: process.env.PATH } });
  expect(stdout).toContain('operation=keys.list');
});
