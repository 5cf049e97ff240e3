// Killing the process while it writes or restores a snapshot: the old one stays whole, the world is before or after.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type RunningCommand, startCommand, tempDir } from '../support/command.js';
import { ledgerProblems } from './support/crash.js';

const settings = {
  CLOUDEMU_RATE_LIMITS_ENABLED: 'false',
  CLOUDEMU_QUOTAS_ENABLED: 'false',
  CLOUDEMU_CREDITS_SEEDED: '1000000',
};
const containersAtFirst = 150;

async function ask({ url, apiKey }: RunningCommand, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${apiKey}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const parsed = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(parsed)}`);
  return parsed;
}

async function create(emulator: RunningCommand, name: string): Promise<void> {
  const fields = { name, project_name: name, ecr_image_uri: 'registry/app:v1' };
  await ask(emulator, 'POST', '/api/v1/containers', fields);
}

const count = async (emulator: RunningCommand): Promise<number> =>
  (await ask(emulator, 'GET', '/_emulator/containers')).total;

it('a kill leaves a whole snapshot and a whole world, 20 times', async () => {
  const dir = tempDir();
  const start = () => startCommand(['--frozen', '--quiet', '--json'], { cwd: dir, env: settings });
  let emulator = await start();
  for (let n = 0; n < containersAtFirst; n++) await create(emulator, `first-${n}`);
  await ask(emulator, 'POST', '/_emulator/snapshots', { name: 'kept' });
  for (let round = 0; round < 20; round++) {
    await create(emulator, `more-${round}`);
    const working = (async () => {
      for (;;) {
        await ask(emulator, 'POST', '/_emulator/snapshots', { name: 'kept' });
        await ask(emulator, 'POST', '/_emulator/snapshots/kept/restore');
      }
    })().catch(() => 'killed');
    await new Promise((resolve) => setTimeout(resolve, 20 + ((round * 37) % 160)));
    await emulator.end('SIGKILL');
    expect(await working).toBe('killed');
    expect(ledgerProblems(join(dir, '.cloudemu', 'world.db'))).toEqual([]);
    emulator = await start();
    const before = await count(emulator);
    expect(before).toBe(containersAtFirst + round + 1);
    await ask(emulator, 'POST', '/_emulator/snapshots/kept/restore');
    const restored = await count(emulator);
    expect([before, before - 1]).toContain(restored);
    if (restored < before) await create(emulator, `more-${round}`);
    // On a busy machine no snapshot may get done within a round: then the one of the round before must be this one.
    await ask(emulator, 'POST', '/_emulator/snapshots', { name: 'kept' });
  }
  const files = readdirSync(join(dir, '.cloudemu', 'snapshots')).filter((name) => name.endsWith('.snapshot.json'));
  expect(files).toEqual(['kept.snapshot.json']);
  await emulator.end();
});
