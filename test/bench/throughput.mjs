// Owns the measurement of throughput: GET one container and POST a new one, against a bare Koa server.

import { join } from 'node:path';
import { askOnce, load, requestText } from './client.mjs';
import { cpuOf, freePort, memoryOf, removeFolder, startBare, startCloudemu, temporaryFolder } from './processes.mjs';
import { median } from './report.mjs';

const connections = 20;
const roundMs = 3_000;
const warmUpMs = 1_500;
const path = '/api/v1/containers';

/** Limits that would end the load. */
export const unlimited = {
  CLOUDEMU_RATE_LIMITS_ENABLED: 'false',
  CLOUDEMU_QUOTAS_ENABLED: 'false',
  CLOUDEMU_CREDITS_SEEDED: '100000000',
};

let created = 0;

/** A request that creates a container of a new name; always of the same length. */
export function createRequest(key) {
  const name = `bench-${String(++created).padStart(9, '0')}`;
  return requestText('POST', path, { key, body: { name, project_name: name, ecr_image_uri: '127.0.0.1/acme/web:v1' } });
}

/** Loads both servers in turn, `rounds` times after a warm-up. */
export async function measureThroughput({ rounds, tell }) {
  const folder = temporaryFolder();
  const emulator = await openEmulator(folder);
  const bare = await openBare(folder, emulator.bytes);
  const operations = {
    get: { request: ({ id, key }) => requestText('GET', `${path}/${id}`, { key }), status: 200 },
    create: { request: ({ key }) => createRequest(key), status: 202 },
  };
  const result = { rounds, connections, bytes: emulator.bytes };
  for (const [name, operation] of Object.entries(operations)) {
    const samples = { cloudemu: [], bare: [] };
    for (let round = 0; round <= rounds; round++) {
      for (const [who, server] of [
        ['cloudemu', emulator],
        ['bare', bare],
      ]) {
        const sample = await loadOne(server, operation, round === 0 ? warmUpMs : roundMs);
        if (round > 0) samples[who].push(sample);
      }
      tell(`throughput: ${name}, round ${round} of ${rounds}`);
    }
    const cloudemu = summary(samples.cloudemu);
    const yardstick = summary(samples.bare);
    result[name] = { cloudemu, bare: yardstick, ratio: cloudemu.perSecond / yardstick.perSecond };
  }
  result.memory = { cloudemu: memoryOf(emulator.pid), bare: memoryOf(bare.pid) };
  await emulator.stop();
  await bare.stop();
  removeFolder(folder);
  return result;
}

async function openEmulator(folder) {
  const port = await freePort();
  const child = startCloudemu({ folder, port, env: unlimited });
  const { apiKey: key } = await child.announced();
  const answer = await askOnce(port, createRequest(key), 202);
  const { id } = JSON.parse(answer).data;
  // A container that runs: its page no longer changes from one GET to the next.
  await askOnce(port, requestText('POST', '/_emulator/clock/advance', { body: { by: '1h' } }), 200);
  const page = await askOnce(port, requestText('GET', `${path}/${id}`, { key }), 200);
  if (JSON.parse(page).data.status !== 'running') throw new Error('the container of the bench does not run');
  return { pid: child.pid, stop: child.stop, port, key, id, bytes: { get: page.length, create: answer.length } };
}

async function openBare(folder, bytes) {
  const port = await freePort();
  const child = startBare('bare-koa', [join(folder, 'bare.db'), port, bytes.get, bytes.create]);
  const { id } = await child.announced();
  const page = await askOnce(port, requestText('GET', `${path}/${id}`), 200);
  const answer = await askOnce(port, createRequest(), 202);
  if (page.length !== bytes.get || answer.length !== bytes.create) {
    throw new Error(
      `the bare server's answers have ${page.length} and ${answer.length} bytes instead of ${bytes.get} and ${bytes.create}`,
    );
  }
  return { pid: child.pid, stop: child.stop, port, id };
}

async function loadOne(server, { request, status }, ms) {
  const fixed = status === 200 ? request(server) : undefined;
  const cpuBefore = cpuOf(server.pid);
  const { answered, perSecond } = await load({
    port: server.port,
    connections,
    ms,
    status,
    request: fixed === undefined ? () => request(server) : () => fixed,
  });
  const cpuAfter = cpuOf(server.pid);
  return { perSecond, cpuMicros: cpuAfter === undefined ? undefined : ((cpuAfter - cpuBefore) * 1_000) / answered };
}

function summary(samples) {
  const rates = samples.map((sample) => sample.perSecond);
  const micros = samples.map((sample) => sample.cpuMicros).filter((value) => value !== undefined);
  return {
    min: Math.min(...rates),
    perSecond: median(rates),
    max: Math.max(...rates),
    cpuMicros: micros.length === 0 ? undefined : median(micros),
  };
}
