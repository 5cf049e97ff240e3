// Edited settings, scenarios and fixtures: a running emulator takes them and says so.

import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type RunningCommand, startCommand, tempDir } from '../support/command.js';

const it = test.concurrent;
const root = fileURLToPath(new URL('../..', import.meta.url));

const config = async ({ control }: RunningCommand): Promise<any> => (await fetch(`${control}/config`)).json();

/** A project with settings in which an emulator runs. */
async function running(settings: object | undefined, args: readonly string[] = []) {
  const cwd = tempDir();
  const file = join(cwd, 'emulator.config.json');
  const write = (content: object): void => writeFileSync(file, JSON.stringify(content));
  if (settings !== undefined) write(settings);
  const emulator = await startCommand(['--ephemeral', '--quiet', ...args], { cwd });
  return { cwd, file, write, emulator };
}

describe('settings', () => {
  it('are taken by every world, with a line that names them', async () => {
    const { emulator, write } = await running({ containers: { timing: 'fast' } });
    const made = await fetch(`${emulator.control}/worlds`, { method: 'POST', body: '{"id": "a"}' });
    expect(made.status).toBe(200);
    write({
      $schema: './schema.json',
      containers: { timing: 'instant', upstreams: { 'my.app': 3_000 } },
      prices: { deploy: 2 },
    });
    const line = await emulator.said(/^reloaded .*\n/m);
    expect(line).toBe('reloaded emulator.config.json: prices.deploy, containers.timing, containers.upstreams.my.app\n');
    for (const where of ['', '/w/a']) {
      const settings = await (await fetch(`${emulator.url}${where}/_emulator/config`)).json();
      expect(settings).toMatchObject({ containers: { timing: 'instant' }, prices: { deploy: 2 } });
    }
    const later: any = await (await fetch(`${emulator.control}/worlds`, { method: 'POST' })).json();
    expect(await (await fetch(`${later.baseUrl}/_emulator/config`)).json()).toMatchObject({ prices: { deploy: 2 } });
  });

  it('stay as they were when the file is wrong, and are taken when it is right again', async () => {
    const { emulator, file, write } = await running({ prices: { deploy: 1 } });
    writeFileSync(file, '{"prices": {"deploy": "much"}, "contaners": {}}');
    await emulator.said(/emulator.config.json was edited, but the settings stay as they were:\n/);
    await emulator.said(/ {2}\S+: prices.deploy must be a number, got "much"\n/);
    await emulator.said(/contaners is unknown; did you mean "containers"\?\n/);
    expect((await config(emulator)).prices.deploy).toBe(1);
    write({ prices: { deploy: 3 } });
    await emulator.said(/reloaded emulator.config.json: prices.deploy\n/);
    expect((await config(emulator)).prices.deploy).toBe(3);
  });

  it.concurrent('of the process take a new start', async () => {
    const { emulator, write } = await running({ prices: { deploy: 1 } });
    write({ prices: { deploy: 4 }, server: { publicUrl: 'https://x.test' }, seed: 'other' });
    await emulator.said(/emulator.config.json: to change server.publicUrl, seed takes a new start\n/);
    expect(await config(emulator)).toMatchObject({ prices: { deploy: 4 }, server: { publicUrl: null }, seed: null });
  });

  it.concurrent('are found when the file appears, is replaced or goes', async () => {
    const { emulator, cwd, file } = await running(undefined);
    writeFileSync(join(cwd, 'new.json'), '{"prices": {"deploy": 7}}');
    renameSync(join(cwd, 'new.json'), file);
    await emulator.said(/reloaded emulator.config.json: prices.deploy\n/);
    expect((await config(emulator)).prices.deploy).toBe(7);
    rmSync(file);
    await emulator.said(/(reloaded emulator.config.json: prices.deploy\n(.|\n)*){2}/);
    expect((await config(emulator)).prices.deploy).toBe(0.5);
  });

  it.concurrent('of a flag override the file', async () => {
    const { emulator, write } = await running({ prices: { deploy: 1 } }, ['--timing', 'realistic']);
    write({ prices: { deploy: 2 }, containers: { timing: 'instant' } });
    expect(await emulator.said(/reloaded .*\n/)).toBe('reloaded emulator.config.json: prices.deploy\n');
    expect((await config(emulator)).containers.timing).toBe('realistic');
  });

  it.concurrent('are taken on a machine that watches no more folders', async () => {
    const cwd = tempDir();
    const preload = join(tempDir(), 'full.cjs');
    writeFileSync(
      preload,
      `require('node:fs').watch = () => { throw Object.assign(new Error('too many'), { code: 'EMFILE' }); };`,
    );
    const env = { NODE_OPTIONS: `--require ${preload}` };
    const emulator = await startCommand(['--ephemeral', '--quiet'], { cwd, env });
    writeFileSync(join(cwd, 'emulator.config.json'), '{"prices": {"deploy": 7}}');
    await emulator.said(/reloaded emulator.config.json: prices.deploy\n/);
    expect((await config(emulator)).prices.deploy).toBe(7);
  });
});

it('own scenarios that are edited are reported, the wrong ones with what is wrong', async () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, 'scenarios'));
  const emulator = await startCommand(['--ephemeral', '--quiet'], { cwd });
  writeFileSync(join(cwd, 'scenarios/mine.json'), '{"title": "Mine"}');
  await emulator.said(/reloaded scenarios\/mine.json: it counts from its next use on\n/);
  writeFileSync(join(cwd, 'scenarios/other.json'), '{"containers": [{"mode": "crash-lop"}]}');
  await emulator.said(/scenarios\/other.json was edited, but it cannot be used:\n/);
  await emulator.said(/ {2}containers\[0\].mode must be a failure mode.*did you mean "crash-loop"\?\n/);
  const applied = await fetch(`${emulator.control}/scenarios/mine`, { method: 'POST' });
  expect(await applied.json()).toMatchObject({ title: 'Mine' });
});

it.concurrent('own replies that are edited are reported, the wrong ones with what is wrong', async () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, 'replies'));
  const emulator = await startCommand(['--ephemeral', '--quiet'], { cwd });
  writeFileSync(join(cwd, 'replies/mine.json'), '{"replies": [{"reply": "Mine"}]}');
  await emulator.said(/reloaded replies\/mine.json: it counts from its next use on\n/);
  writeFileSync(join(cwd, 'replies/other.json'), '{"replies": [{"match": {"modle": "x"}, "reply": "Other"}]}');
  await emulator.said(/replies\/other.json was edited, but it cannot be used:\n/);
  await emulator.said(/ {2}replies\[0\].match.modle is unknown; did you mean "model"\?\n/);
  const answer = await fetch(`${emulator.url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.apiKey}` },
    body: '{"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}]}',
  });
  expect(((await answer.json()) as any).choices[0].message.content).toBe('Mine');
});

it.concurrent('fixtures that are edited count from their next use on', async () => {
  const home = tempDir();
  for (const part of ['dist', 'fixtures', 'package.json'])
    cpSync(join(root, part), join(home, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  const cwd = tempDir();
  const emulator = await startCommand(['--ephemeral', '--quiet', '--timing', 'instant'], {
    cli: join(home, 'dist/cli.cjs'),
    cwd,
  });
  const file = join(home, 'fixtures/failures/exec-format.json');
  const text = readFileSync(file, 'utf8');
  const headers = { authorization: `Bearer ${emulator.apiKey}` };
  async function fail(mode = 'exec-format'): Promise<{ status: number; body: any }> {
    const answer = await fetch(`${emulator.url}/api/v1/containers`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: mode, project_name: mode, ecr_image_uri: `r/a:fail-${mode}` }),
    });
    return { status: answer.status, body: await answer.json() };
  }
  async function errorOf(answer: { body: any }): Promise<string> {
    const container = await fetch(`${emulator.url}/api/v1/containers/${answer.body.data.id}`, { headers });
    return ((await container.json()) as any).data.error_message;
  }
  writeFileSync(file, text.replaceAll('exec format error', 'no such machine'));
  await emulator.said(/reloaded .*exec-format.json: it counts from its next use on\n/);
  expect(await errorOf(await fail())).toContain('no such machine');
  // One that is added acts in the very next request.
  writeFileSync(join(home, 'fixtures/failures/mine.json'), text.replaceAll('exec format error', 'a failure of mine'));
  expect(await errorOf(await fail('mine'))).toContain('a failure of mine');
  writeFileSync(file, '{"title": 5}');
  await emulator.said(/exec-format.json was edited, but it cannot be used:\n.*title must be a string/);
  const refused = await fail();
  expect([refused.status, refused.body.error.message]).toEqual([
    500,
    expect.stringContaining('exec-format.json cannot be used: title'),
  ]);
  const models = join(home, 'fixtures/models.json');
  const ids = async (): Promise<string[]> => {
    const answer = await fetch(`${emulator.url}/api/v1/models`);
    return ((await answer.json()) as any).data.map(({ id }: { id: string }) => id);
  };
  expect(await ids()).not.toContain('just-added');
  writeFileSync(models, readFileSync(models, 'utf8').replace('"models": {', '"models": { "just-added": {},'));
  expect(await ids()).toContain('just-added');
  const profile = join(home, 'fixtures/profiles/spec.json');
  writeFileSync(profile, '{"prices": {"deploy": 9}}');
  await emulator.said(/reloaded .*spec.json: prices.deploy\n/);
  // The one that was added can be named in settings, whose names were listed before.
  writeFileSync(join(cwd, 'emulator.config.json'), '{"containers": {"failure": "mine"}}');
  await emulator.said(/reloaded emulator.config.json: containers.failure\n/);
});
