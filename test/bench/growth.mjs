// Owns the measurement of growth: what requests cost, and how much memory is used, with ever more containers.

import { get } from 'node:http';
import { Connection, insist, load, requestText } from './client.mjs';
import { median } from './report.mjs';
import { createRequest, openEmulator, operations, pinBench } from './servers.mjs';

const samples = 200;

/** Fills one emulator to each size in turn, and asks it the same things there. */
export async function measureGrowth({ sizes, tell }) {
  pinBench();
  const server = await openEmulator(1);
  const steps = [];
  let containers = 1;
  for (const size of sizes) {
    tell(`growth: to ${size} containers`);
    while (containers < size) {
      const { latencies } = await load({
        port: server.port,
        connections: 20,
        ms: 500,
        status: 202,
        request: () => createRequest(server.key),
      });
      containers += latencies.length;
    }
    const advance = requestText('POST', '/_emulator/clock/advance', { body: { by: '10m' } });
    const ask = (path) => () => requestText('GET', path, { key: server.key });
    const requests = {
      jump: { status: 200, request: () => advance, times: 5 },
      get: operations.get,
      quota: { status: 200, request: ask('/api/v1/containers/quota') },
      balance: { status: 200, request: ask('/api/v1/credits/balance') },
      create: operations.create,
    };
    const step = { containers, rss: server.memory()?.now };
    for (const [name, operation] of Object.entries(requests)) step[name] = await timeOne(server, operation);
    containers += samples;
    const list = await timeList(server);
    steps.push({ ...step, firstLines: list.first, list: list.whole });
  }
  await server.stop();
  return { samples, steps };
}

async function timeOne(server, { request, status, times = samples }) {
  const connection = await Connection.open(server.port);
  const taken = [];
  for (let n = 0; n < times; n++) {
    const text = request(server);
    const askedAt = performance.now();
    const answer = await connection.ask(text);
    taken.push(performance.now() - askedAt);
    insist(status, answer.status, answer.body, text);
  }
  connection.close();
  return median(taken);
}

// A second list opens no ports: the first containers have theirs.
async function timeList(server) {
  await listOnce(server);
  return listOnce(server);
}

function listOnce({ port, key }) {
  return new Promise((resolve, reject) => {
    const askedAt = performance.now();
    const since = () => performance.now() - askedAt;
    get({ port, path: '/api/v1/containers', headers: { authorization: `Bearer ${key}` }, agent: false }, (response) => {
      let first;
      response.on('data', () => {
        first ??= since();
      });
      response.on('end', () => resolve({ first, whole: since() }));
    }).on('error', reject);
  });
}
