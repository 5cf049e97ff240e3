// Owns the measurement of worlds: what a thousand of them cost, and how long a restore and a reset take.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createEmulator } from '../../dist/index.js';
import { removeFolder, temporaryFolder } from './processes.mjs';
import { median } from './report.mjs';

const count = 1_000;
// So many have a database connection, by default.
const mostAwake = 200;
const rounds = 50;
const image = 'registry/app:v1';

/** Runs the measurements in processes of their own, whose memory holds nothing else. */
export async function measureWorlds({ tell }) {
  const report = {
    ...(await inProcess('worlds')),
    container: await inProcess('container'),
    entry: await inProcess('entry'),
  };
  tell('worlds: measured');
  return report;
}

async function inProcess(what) {
  const child = fork(fileURLToPath(import.meta.url), [what], { execArgv: ['--expose-gc'] });
  const [report] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the measurement of worlds ended early'))),
  ]);
  return report;
}

const measure = {
  worlds: measureMany,
  container: () =>
    costOf(5_000, { journal: 10 }, (world, n) =>
      ask(world, 'POST', '/api/v1/containers', { name: `app ${n}`, project_name: `app ${n}`, ecr_image_uri: image }),
    ),
  entry: () => costOf(10_000, { journal: 10_000 }, (world) => ask(world, 'GET', '/api/v1/containers')),
};

async function measureMany() {
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
  const awakeBefore = rss();
  for (const world of worlds.slice(0, mostAwake)) await useOnce(world);
  const awake = idle + (rss() - awakeBefore) / mostAwake;
  for (const world of worlds.slice(mostAwake)) await useOnce(world);
  const used = (rss() - before) / count;
  for (const world of worlds) world.close();
  const full = await emulator.createWorld();
  await fill(full);
  full.controls.snapshots.take({ name: 'full' });
  const restore = await timed(() => full.controls.snapshots.restore('full'));
  const reset = await timed(() => full.controls.reset());
  await emulator.close();
  const each = { idleKb: idle, awakeKb: awake, usedKb: used };
  return { count, createMs: median(times), ...each, restoreMs: restore, resetMs: reset };
}

// Entries are written a second after their requests, in turns.
const journalWritten = () => wait(3_000);

// The size of each of so many things, made one after the other, in KB: objects in memory, and rows in the world's file. In a
// world without a file the rows are in memory, too. The whole process's memory says less: the collector keeps what it freed.
async function costOf(things, data, make) {
  const dir = temporaryFolder();
  const settings = { seed: 'bench', frozen: true, quotas: { enabled: false }, credits: { seeded: 100_000_000 } };
  const emulator = await createEmulator({
    ...settings,
    rateLimits: { enabled: false },
    data: { ...data, dir, ephemeral: false },
  });
  const objects = async () => {
    await journalWritten();
    global.gc();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1_024;
  };
  // Compiled code and caches grow once.
  for (let n = 0; n < 1_000; n++) await make(emulator, `first ${n}`);
  const before = await objects();
  for (let n = 0; n < things; n++) await make(emulator, n);
  const objectsKb = ((await objects()) - before) / things;
  await emulator.close();
  const bytes = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .reduce((sum, file) => sum + statSync(join(file.parentPath ?? file.path, file.name)).size, 0);
  removeFolder(dir);
  return { objectsKb, rowsKb: bytes / 1_024 / (things + (data.journal > 10 ? 0 : 1_000)) };
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
  process.send(await measure[process.argv[2]](), () => process.exit());
}
