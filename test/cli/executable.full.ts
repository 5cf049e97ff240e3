// The executable, alone in a directory: what the command does with Node and the package, it does without.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { type RunOptions, run, startCommand, tempDir } from '../support/command.js';
import { smoke } from '../support/smoke.js';

const program = join(tempDir(), 'cloudemu');
beforeAll(() => {
  copyFileSync(new URL('../../dist/cloudemu', import.meta.url), program);
});

/** An empty directory, with no other program in reach. */
function emptyPlace(): RunOptions & { cwd: string } {
  const cwd = tempDir();
  const tmp = join(cwd, 'tmp');
  mkdirSync(tmp);
  return { cwd, program: [program], env: { PATH: dirname(program), TMPDIR: tmp } };
}

it('the executable passes the smoke test', () => {
  const here = emptyPlace();
  return smoke(here, join(here.cwd, 'data'));
});

it.each([
  ['--help'],
  ['snapshot', '--help'],
  ['--version'],
  ['failures', '--json'],
  ['scenario', 'list'],
  ['completion', 'bash'],
  ['completion', 'fish'],
  ['--complete', 'start', '--pro'],
  ['config', 'schema'],
  ['openapi'],
  ['start', '--porrt', '1'],
  ['start', '--profile', 'elizacloud-v1!'],
])('the executable prints the same as the command: %s %s', async (...args) => {
  expect(await run(args, emptyPlace())).toEqual(await run(args));
});

it('the executable prints commands that begin with its name where the shell finds it, else with its path', async () => {
  const here = emptyPlace();
  const printed = async (env: Record<string, string>, at = program): Promise<string> => {
    rmSync(join(here.cwd, 'emulator.config.json'), { force: true });
    return (await run(['init'], { ...here, program: [at], env: { ...here.env, ...env } })).stdout;
  };
  expect(await printed({})).toContain('`cloudemu config check` checks it');
  const elsewhere = { PATH: join(here.cwd, 'tmp') };
  expect(await printed(elsewhere)).toContain(`\`${program} config check\` checks it`);
  const own = join(here.cwd, 'emu');
  copyFileSync(program, own);
  expect(await printed(elsewhere, own)).toContain('`./emu config check` checks it');
});

it('the executable leaves no file behind, and no library that another could replace', async () => {
  const here = emptyPlace();
  const emulator = await startCommand(['--ephemeral', '--quiet'], here);
  expect(readdirSync(join(here.cwd, 'tmp'))).toEqual([]);
  const maps = readFileSync(`/proc/${emulator.pid}/maps`, 'utf8');
  expect(maps).not.toContain('.node');
  expect(maps).toMatch(/r-xp .* \(deleted\)$/m);
  await emulator.end();
  expect(readdirSync(here.cwd)).toEqual(['tmp']);
});

it('the executable is not changed by what the environment tells other Nodes', async () => {
  const here = emptyPlace();
  const env = { ...here.env, NODE_OPTIONS: '--require ./nothing.cjs' };
  expect(await run(['--version'], { ...here, env })).toMatchObject({ code: 0, stderr: '' });
});

it('the executable knows the shipped scenarios, and applies one', async () => {
  const here = emptyPlace();
  const emulator = await startCommand(['--ephemeral', '--quiet', '--scenario', 'crowded-account'], here);
  const command = async (...args: string[]): Promise<any> => {
    const { code, stdout, stderr } = await run([...args, '--json', '--url', emulator.url], here);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  const { scenarios } = await command('scenario', 'list');
  const shipped = readdirSync(new URL('../../fixtures/scenarios', import.meta.url));
  expect(scenarios.map(({ name }: { name: string }) => `${name}.json`)).toEqual(shipped.sort());
  expect(scenarios.flatMap(({ problems }: { problems: string[] }) => problems)).toEqual([]);
  expect((await command('container', 'list')).containers.length).toBeGreaterThan(3);
  await command('scenario', 'apply', 'happy-path');
  expect((await command('container', 'list')).containers).toEqual([]);
  await emulator.end();
});

it('the executable reports its metrics', async () => {
  const emulator = await startCommand(['--ephemeral', '--quiet'], emptyPlace());
  expect(await (await fetch(`${emulator.url}/_emulator/metrics`)).text()).toContain('cloudemu_worlds{state="open"} 1');
  await emulator.end();
});

it('the executable shows the dashboard', async () => {
  const emulator = await startCommand(['--ephemeral', '--quiet'], emptyPlace());
  const page = await (await fetch(`${emulator.url}/_emulator/`)).text();
  for (const [, asset = ''] of page.matchAll(/(?:href|src)="(assets\/[^"]+)"/g))
    expect((await fetch(`${emulator.url}/_emulator/${asset}`)).status).toBe(200);
  expect(page).toContain('assets/app-');
  expect((await fetch(`${emulator.url}/_emulator/reference`)).status).toBe(200);
  await emulator.end();
});

it('the executable runs a command against a scenario and judges it', async () => {
  const client = fileURLToPath(new URL('../clients/well-behaved.mjs', import.meta.url));
  const { code, stdout, stderr } = await run(['run', 'rough-day', '--', process.execPath, client], emptyPlace());
  expect([code, stderr], stdout).toEqual([0, '']);
  expect(stdout).toContain('All came as expected');
});

it('the executable writes settings that it reads, with their schema beside them', async () => {
  const here = emptyPlace();
  expect(await run(['init'], here)).toMatchObject({ code: 0, stderr: '' });
  const settings = JSON.parse(readFileSync(join(here.cwd, 'emulator.config.json'), 'utf8'));
  const schema = readFileSync(join(here.cwd, settings.$schema));
  expect(schema.equals(readFileSync(new URL('../../fixtures/config.schema.json', import.meta.url)))).toBe(true);
  expect(await run(['config', 'check'], here)).toMatchObject({ code: 0, stderr: '' });
});

it('the executable reads a snapshot from elsewhere, and takes expressions of people', async () => {
  const here = emptyPlace();
  const there = await startCommand(['--ephemeral', '--quiet'], emptyPlace());
  const emulator = await startCommand(['--ephemeral', '--quiet'], here);
  const command = async ({ url }: { url: string }, ...args: string[]): Promise<void> => {
    const { code, stderr } = await run([...args, '--url', url], here);
    expect([code, stderr], args.join(' ')).toEqual([0, '']);
  };
  await command(there, 'snapshot', 'take', 'before');
  const exported = await fetch(`${there.control}/snapshots/before/export`);
  writeFileSync(join(here.cwd, 'there.json'), await exported.text());
  await there.end();
  await command(emulator, 'snapshot', 'import', 'there.json');
  await command(emulator, 'snapshot', 'restore', 'before');
  await command(emulator, 'faults', 'add', '--headers', '{"user-agent": "/^cur(l+)/"}', '--status', '503');
  await emulator.end();
});

it('the executable goes on in the background, and ends when it is told to', async () => {
  const here = emptyPlace();
  expect(await run(['start', '--detach', '--port', '0'], here)).toMatchObject({ code: 0 });
  expect((await run(['status'], here)).stdout).toContain('cloudemu is ready.');
  expect(await run(['stop'], here)).toMatchObject({ code: 0 });
  expect((await run(['status', '--wait', '--timeout', '1ms', '--data-dir', '.cloudemu'], here)).code).toBe(1);
});

it('the executable shows the pages on which people sign in', async () => {
  const emulator = await startCommand(['--ephemeral', '--quiet'], emptyPlace());
  const page = await fetch(`${emulator.url}/auth/login`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await page.text()).toContain('<form');
  await emulator.end();
});
