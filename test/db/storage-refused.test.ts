// Rows that cannot be stored are refused with the reason, and are not there afterwards; reads and other requests go on.

import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../src/db/sqlite.js';
import { isFull } from '../support/campaign.js';
import { cli, startCommand, tempDir } from '../support/command.js';
import { call, deploy, image, startEmulator } from '../support/emulator.js';

const body = (name: string) => ({ name, project_name: name, ecr_image_uri: image });

it('an emulator whose data directory has gone says so, and closes all the same', async () => {
  const dataDir = tempDir();
  const emulator = await startEmulator({ dataDir });
  await deploy(emulator);
  rmSync(dataDir, { recursive: true });
  for (const [method, path, content] of [
    ['POST', '/api/v1/containers', body('late')],
    ['POST', '/_emulator/snapshots', { name: 'late' }],
    ['POST', '/_emulator/clock/advance', { by: '1m' }],
    ['POST', '/_emulator/reset', undefined],
    ['POST', '/_emulator/keys', {}],
    ['POST', '/_emulator/limits/exhaust', {}],
  ] as const) {
    const refused = await call(emulator, method, path, content);
    expect([path, refused.status, refused.body.error.code]).toEqual([path, 503, 'SERVICE_UNAVAILABLE']);
    expect(refused.body.error.message).toContain(
      `the data directory ${dataDir} is no longer there: start cloudemu again`,
    );
  }
  expect(emulator.controls.clock.get().now).toBe('2026-01-01T00:00:00.000Z');
  const { status, body: list } = await call(emulator, 'GET', '/api/v1/containers');
  expect([status, list.data.length]).toEqual([200, 1]);
  await emulator.close();
});

it('an emulator refuses to write into another file that has taken the place of its own', async () => {
  const dataDir = tempDir();
  const emulator = await startEmulator({ dataDir });
  renameSync(join(dataDir, 'world.db'), join(dataDir, 'world.old'));
  openSqlite(join(dataDir, 'world.db')).exec('CREATE TABLE other (x)');
  expect((await call(emulator, 'POST', '/api/v1/containers', body('late'))).status).toBe(503);
});

// The files of a process may grow so far and no further; that needs no rights, unlike a disk that is full.
it.skipIf(process.platform === 'win32')(
  'an emulator refuses what does not fit on its disk, keeps what was answered, and goes on',
  async () => {
    const cwd = tempDir();
    const env = { CLOUDEMU_RATE_LIMITS_ENABLED: 'false', CLOUDEMU_QUOTAS_ENABLED: 'false' };
    const limit = `trap '' XFSZ; ulimit -f 1400; exec "$@"`;
    const program = ['/bin/sh', '-c', limit, 'sh', process.execPath, cli];
    const emulator = await startCommand(['--quiet'], { cwd, env, program });
    const ask = async (method: string, path: string, content?: unknown) => {
      const headers = { authorization: `Bearer ${emulator.apiKey}` };
      const answer = await fetch(emulator.url + path, {
        method,
        headers,
        ...(content !== undefined && { body: JSON.stringify(content) }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const created: string[] = [];
    const refused: string[] = [];
    for (let n = 0; n < 400 && refused.length < 20; n++) {
      const environment_vars = { FILLER: 'x'.repeat(8_000) };
      const answer = await ask('POST', '/api/v1/containers', { ...body(`c${n}`), environment_vars });
      if (answer.status === 202) created.push(`c${n}`);
      else refused.push(`${answer.status} ${answer.text}`);
    }
    expect(created.length).toBeGreaterThan(5);
    expect(refused).toHaveLength(20);
    for (const text of refused) expect(text).toMatch(/^503 .*Nothing was stored: the data directory .*\.cloudemu /);
    const names = (text: string): string[] => JSON.parse(text).data.map(({ name }: { name: string }) => name);
    expect(names((await ask('GET', '/api/v1/containers')).text).sort()).toEqual([...created].sort());
    expect((await emulator.end()).stderr).not.toMatch(/report|stack| {4}at /);
    const again = await startCommand(['--quiet'], { cwd, env });
    const list = await fetch(`${again.url}/api/v1/containers`, {
      headers: { authorization: `Bearer ${again.apiKey}` },
    });
    expect(names(await list.text()).sort()).toEqual([...created].sort());
  },
);

it.runIf(isFull && process.platform !== 'win32')(
  'an emulator refuses uploads and scenarios that do not fit on its disk, too, and leaves nothing behind',
  async () => {
    const cwd = tempDir();
    const env = { CLOUDEMU_DATA_SCENARIOS: 'own', TMPDIR: cwd };
    const program = ['/bin/sh', '-c', `trap '' XFSZ; ulimit -f 16; exec "$@"`, 'sh', process.execPath, cli];
    const emulator = await startCommand(['--ephemeral', '--quiet'], { cwd, env, program });
    const form = new FormData();
    form.set('audio', new Blob([Buffer.alloc(100_000)]), 'a.wav');
    const headers = { authorization: `Bearer ${emulator.apiKey}` };
    const ask = async (path: string, content: FormData | string, more = {}) => {
      const answer = await fetch(emulator.url + path, { method: 'POST', headers: more, body: content });
      return `${answer.status} ${((await answer.json()) as any).error?.message}`;
    };
    const full = (what: string, name: string) => `503 Nothing was stored: the ${what} ${name} has no space left`;
    expect(await ask('/api/v1/voice/stt', form, headers)).toContain(full('temporary directory', cwd));
    for (let n = 0; n < 4; n++)
      await ask('/api/v1/app/agents', JSON.stringify({ name: `a${n}`, bio: 'x'.repeat(8_000) }), headers);
    const saved = await ask('/_emulator/scenarios/big/save', '{}');
    expect(saved).toContain(full('scenario directory', join(cwd, 'own')));
    expect(readdirSync(join(cwd, 'own'))).toEqual([]);
    await emulator.end();
  },
);

it('an emulator whose numbers have come to their end says so', async () => {
  const dataDir = tempDir();
  const first = await startEmulator({ dataDir });
  await deploy(first);
  await first.close();
  const db = openSqlite(join(dataDir, 'world.db'));
  db.exec(`UPDATE counters SET value = ${2 ** 32 - 1}`);
  db.close();
  const again = await startEmulator({ dataDir });
  const refused = await call(again, 'POST', '/api/v1/containers', body('next'));
  expect(refused.status).toBe(503);
  expect(refused.body.error.message).toMatch(/^The numbers of \w+ in this world have come to their end/);
  expect((await call(again, 'GET', '/api/v1/containers')).body.data).toHaveLength(1);
});
