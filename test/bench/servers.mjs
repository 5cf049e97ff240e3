// Owns the servers whose requests are measured: the emulator, bare Koa with SQLite in a file, bare node:http, and
// the peer `emulate`. All run on one core, the bench on another, where the machine has two.

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { askOnce, firstAnswer, requestText } from './client.mjs';
import { cpuOf, freePort, memoryOf, root, startBare, startCloudemu, startNode, temporaryFolder } from './processes.mjs';

const path = '/api/v1/containers';
const preload = join(root, 'test', 'bench', 'loop-delay.cjs');

/** Limits that would end the load. */
export const unlimited = {
  CLOUDEMU_RATE_LIMITS_ENABLED: 'false',
  CLOUDEMU_QUOTAS_ENABLED: 'false',
  CLOUDEMU_CREDITS_SEEDED: '100000000',
};

let created = 0;

/**
 * A request that creates a container of a new name. Names of clients are long, and differ at their end: what the emulator
 * makes of them is cut before it.
 */
export function createRequest(key) {
  const name = `a-container-of-the-benchmark-${String(++created).padStart(12, '0')}`;
  return requestText('POST', path, { key, body: { name, project_name: name, ecr_image_uri: '127.0.0.1/acme/web:v1' } });
}

/** Requests by operation, with the status that answers them. */
export const operations = {
  list: { status: 200, request: ({ key }) => requestText('GET', path, { key }) },
  get: { status: 200, request: ({ key, id }) => requestText('GET', `${path}/${id}`, { key }) },
  create: { status: 202, changes: true, request: ({ key }) => createRequest(key) },
  chat: {
    status: 200,
    request: ({ key }) =>
      requestText('POST', '/api/v1/chat/completions', {
        key,
        body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] },
      }),
  },
  speech: {
    status: 200,
    request: ({ key }) =>
      requestText('POST', '/api/v1/voice/tts', { key, body: { text: 'hello', voiceId: 'EXAVITQu4vr4xnSDxMaL' } }),
  },
};

const customers = '/v1/customers';
let asked = 0;
// It lets a key ask 5,000 times an hour.
const emulateKey = () => `sk_test_${Math.floor(asked++ / 4_000)}`;

/** The same operations on the peer, whose things are the customers of its Stripe; each request is made anew, for its key. */
export const emulateOperations = {
  list: {
    status: 200,
    changes: true,
    request: () => requestText('GET', `${customers}?limit=20`, { key: emulateKey() }),
  },
  get: {
    status: 200,
    changes: true,
    request: ({ id }) => requestText('GET', `${customers}/${id}`, { key: emulateKey() }),
  },
  create: {
    status: 200,
    changes: true,
    request: () =>
      requestText('POST', customers, {
        key: emulateKey(),
        body: 'name=Item+number+1&email=a%40b.c&metadata[k]=v',
      }),
  },
};

let taskset;
/** Whether servers have a core of their own; the bench itself leaves it to them from then on. */
export function pinBench() {
  try {
    if (cpus().length > 1) execFileSync('taskset', ['-pc', '1', String(process.pid)], { stdio: 'ignore' });
    taskset = cpus().length > 1;
  } catch {
    taskset = false;
  }
  return taskset;
}

function pinned(child) {
  if (taskset) execFileSync('taskset', ['-apc', '0', String(child.pid)], { stdio: 'ignore' });
  return child;
}

/** Starts the emulator with so many containers, that come to run during the measurement. */
export async function openEmulator(containers = 20, settings = {}) {
  const folder = temporaryFolder();
  const port = await freePort();
  const delayFile = join(folder, 'delay.json');
  const command = [process.execPath, '--require', preload, join(root, 'dist', 'cli.cjs')];
  const env = { ...unlimited, ...settings, BENCH_LOOP_DELAY: delayFile };
  const child = pinned(startCloudemu({ folder, port, env, command }));
  const { apiKey: key } = await child.announced();
  const server = measured(child, { name: 'cloudemu', port, key, delayFile });
  for (let i = 0; i < containers; i++) {
    const answer = await askOnce(port, createRequest(key), 202);
    server.id = JSON.parse(answer).data.id;
    server.bytes = { create: answer.length };
  }
  return server;
}

/** How long the emulator's answers are, once its containers run. */
export async function sizesOf({ port, key, id, bytes }) {
  await askOnce(port, requestText('POST', '/_emulator/clock/advance', { body: { by: '1h' } }), 200);
  const list = await askOnce(port, operations.list.request({ key }), 200);
  const page = await askOnce(port, operations.get.request({ key, id }), 200);
  if (JSON.parse(page).data.status !== 'running') throw new Error('the container of the bench does not run');
  return { ...bytes, get: page.length, entry: Math.round(list.length / JSON.parse(list).data.length) };
}

/** Starts bare Koa with so many rows, whose answers have these lengths. */
export async function openKoa(bytes, rows = 20) {
  const folder = temporaryFolder();
  const port = await freePort();
  const delayFile = join(folder, 'delay.json');
  const args = ['bare-koa', [join(folder, 'bare.db'), port, JSON.stringify(bytes)]];
  const child = pinned(startBare(...args, { preload, env: { BENCH_LOOP_DELAY: delayFile } }));
  await child.announced();
  const server = measured(child, { name: 'bare Koa', port, delayFile });
  for (let i = 0; i < rows; i++) server.id = JSON.parse(await askOnce(port, createRequest(), 202)).data.id;
  return server;
}

/** Starts bare node:http, whose answers have these lengths. */
export async function openNode(bytes) {
  const folder = temporaryFolder();
  const port = await freePort();
  const delayFile = join(folder, 'delay.json');
  const child = pinned(
    startBare('bare-node', [port, JSON.stringify(bytes)], { preload, env: { BENCH_LOOP_DELAY: delayFile } }),
  );
  await child.announced();
  return measured(child, { name: 'bare node:http', port, id: 'any', delayFile });
}

/** Starts the peer's process, which prints more than anybody reads. */
export function startEmulate({ script }, port, options) {
  return startNode([script, 'start', '-s', 'stripe', '-p', String(port)], { quiet: true, ...options });
}

/** Starts the peer with twenty customers and more. */
export async function openEmulate(emulate) {
  const folder = temporaryFolder();
  const port = await freePort();
  const delayFile = join(folder, 'delay.json');
  const child = pinned(startEmulate(emulate, port, { cwd: folder, preload, env: { BENCH_LOOP_DELAY: delayFile } }));
  const { list, create } = emulateOperations;
  await firstAnswer(child, port, list.request());
  const server = measured(child, { name: 'emulate', port, operations: emulateOperations, delayFile });
  for (let i = 0; i < 20; i++) server.id = JSON.parse(await askOnce(port, create.request(), create.status)).id;
  return server;
}

function measured(child, { delayFile, ...server }) {
  return {
    ...server,
    stop: child.stop,
    cpu: () => cpuOf(child.pid),
    memory: () => memoryOf(child.pid),
    /** Milliseconds by which its event loop was late since this was last asked: p99 and max. */
    async loopDelay() {
      rmSync(delayFile, { force: true });
      process.kill(child.pid, 'SIGUSR2');
      for (let i = 0; i < 200; i++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        try {
          return JSON.parse(readFileSync(delayFile, 'utf8'));
        } catch {
          // The file is not there, or not whole yet.
        }
      }
      throw new Error(`${server.name} does not tell its event loop's delay`);
    },
  };
}
