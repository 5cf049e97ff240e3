// Owns the measurement of worlds: what a thousand of them cost, and how long a restore and a reset take.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createEmulator } from '../../dist/index.js';
import { median } from './report.mjs';

const count = 1_000;
const rounds = 50;
const image = 'registry/app:v1';

/** Runs the measurement in a process of its own, whose memory holds nothing else. */
export async function measureWorlds({ tell }) {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: ['--expose-gc'] });
  const [report] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the measurement of worlds ended early'))),
  ]);
  tell('worlds: measured');
  return report;
}

async function measure() {
  const emulator = await createEmulator({ seed: 'bench', frozen: true });
  for (let n = 0; n < 50; n++) await emulator.createWorld();
  const rss = () => {
    global.gc();
    return process.memoryUsage().rss / 1_024;
  };
  const before = rss();
  const times = [];
  const worlds = [];
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now();
    worlds.push(await emulator.createWorld());
    times.push(performance.now() - startedAt);
  }
  const idle = (rss() - before) / count;
  for (const world of worlds) await useOnce(world);
  const used = (rss() - before) / count;
  for (const world of worlds) world.close();
  const full = await emulator.createWorld();
  await fill(full);
  full.controls.snapshots.take({ name: 'full' });
  const restore = await timed(() => full.controls.snapshots.restore('full'));
  const reset = await timed(() => full.controls.reset());
  await emulator.close();
  return { count, createMs: median(times), idleKb: idle, usedKb: used, restoreMs: restore, resetMs: reset };
}

async function ask(world, method, path, body) {
  const answer = await world.fetch(path, {
    method,
    headers: { authorization: `Bearer ${world.apiKey}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function useOnce(world) {
  const fields = { name: 'app', project_name: 'app', ecr_image_uri: image };
  const { data } = await ask(world, 'POST', '/api/v1/containers', fields);
  await ask(world, 'GET', '/api/v1/containers');
  await ask(world, 'GET', `/api/v1/containers/${data.id}`);
}

// About 500 rows: agents and API keys, which leave one each.
async function fill(world) {
  world.controls.limits.set({ feature: 'agents', limit: 10_000 });
  for (let n = 0; n < 250; n++) await ask(world, 'POST', '/api/v1/api-keys', { name: `key ${n}` });
  for (let n = 0; n < 250; n++) await ask(world, 'POST', '/api/v1/app/agents', { name: `agent ${n}`, bio: 'A bio' });
}

async function timed(act) {
  const times = [];
  for (let n = 0; n < rounds; n++) {
    const startedAt = performance.now();
    await act();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.send(await measure(), () => process.exit());
}
