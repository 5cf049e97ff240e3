// Worlds on disk whose process is killed right after an answer, under 8 writers, and whose list then loses its log or is an
// older one: what was answered is there.

import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type RunningCommand, startCommand, tempDir } from '../../support/command.js';
import { ledgerProblems, nothingYet, unlimited, useUntilItDies } from '../../support/crash.js';

const kills = 8;
const writers = 8;
const world = 'blue';

async function ask(
  at: Pick<RunningCommand, 'url' | 'apiKey'>,
  method: string,
  path: string,
  body?: object,
): Promise<any> {
  const headers = { authorization: `Bearer ${at.apiKey}` };
  const answer = await fetch(at.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, ...((await answer.json()) as object) };
}

/** What happens to the list of worlds between two processes. */
const losses = [
  () => {},
  (worlds: string) => {
    for (const ending of ['-wal', '-shm']) rmSync(join(worlds, `index.db${ending}`), { force: true });
  },
  (worlds: string, older: string) => {
    for (const ending of ['-wal', '-shm']) rmSync(join(worlds, `index.db${ending}`), { force: true });
    cpSync(join(older, 'index.db'), join(worlds, 'index.db'));
  },
];

it(`holds over ${kills} kills right after clock, skew, limits and balances were answered`, async () => {
  const cwd = tempDir();
  const [worlds, older] = [join(cwd, '.cloudemu/worlds'), tempDir()];
  const env = { ...unlimited, CLOUDEMU_WORLDS_PERSIST: 'true' };
  const start = () => startCommand(['--quiet', '--frozen'], { cwd, env });
  let emulator = await start();
  await emulator.end('SIGTERM');
  cpSync(worlds, older, { recursive: true });
  emulator = await start();
  const { apiKey } = await ask(emulator, 'PUT', `/w/${world}/_emulator/world`, {});
  const known = nothingYet();
  const snapshots = new Set<string>();
  for (let kill = 0; kill < kills; kill++) {
    const at = { url: `${emulator.url}/w/${world}`, apiKey };
    const load = Array.from({ length: writers }, (_, writer) =>
      useUntilItDies(at, `k${kill}w${writer}`, known, () => {}),
    );
    const { name } = await ask(at, 'POST', '/_emulator/snapshots', { name: `s${kill}` });
    snapshots.add(name);
    const address = `0x${String(kill + 1).padStart(40, '0')}`;
    await ask(at, 'POST', '/_emulator/limits', { limit: 1_000 + kill, operation: 'agents.create' });
    const balance = await ask(at, 'POST', '/_emulator/payments/balances', { address, usdc: kill });
    const skew = await ask(at, 'POST', '/_emulator/clock/skew', { to: null });
    void ask(at, 'DELETE', '/api/v1/containers/00000000-0000-4000-8000-000000000000').catch(() => {});
    const { now } = await ask(at, 'POST', '/_emulator/clock/advance', { by: '10m' });
    await emulator.end('SIGKILL');
    await Promise.all(load);
    expect([balance.status, skew.status, known.strange]).toEqual([200, 200, []]);

    const dir = readdirSync(worlds).find((entry) => entry.startsWith(`${world}.`)) ?? 'none';
    expect(ledgerProblems(join(worlds, dir, 'world.db'))).toEqual([]);
    losses[kill % losses.length]?.(worlds, older);
    emulator = await start();
    const again = { url: `${emulator.url}/w/${world}`, apiKey };
    expect((await ask(again, 'GET', '/_emulator/clock')).now).toBe(now);
    const there = new Set((await ask(again, 'GET', '/api/v1/containers')).data.map(({ id }: { id: string }) => id));
    expect([...known.containers].filter((id) => !there.has(id))).toEqual([]);
    const kept = (await ask(again, 'GET', '/_emulator/snapshots')).snapshots.map((one: { name: string }) => one.name);
    expect(kept).toEqual(expect.arrayContaining([...snapshots]));
    const { balances } = await ask(again, 'GET', '/_emulator/payments/balances');
    expect(balances).toContainEqual({ address, usdc: kill });
    const limits = await ask(again, 'GET', '/_emulator/limits');
    expect(JSON.stringify(limits)).toContain(String(1_000 + kill));
  }
  expect(known.containers.size).toBeGreaterThan(kills * 5);
  await emulator.end('SIGKILL');
});
