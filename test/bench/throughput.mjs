// Owns the measurement of warm requests: list of 20, GET one and create, over 1, 10 and 50 connections.

import { load } from './client.mjs';
import { median } from './report.mjs';
import { openEmulate, openEmulator, openKoa, openNode, operations, pinBench, sizesOf } from './servers.mjs';

const sliceMs = 1_000;
const warmUpMs = 2_000;
const connectionCounts = [1, 10, 50];

/** Loads the servers in turn, `rounds` slices for each operation and number of connections: 30 s each and more. */
export async function measureThroughput({ rounds, emulate, tell }) {
  const isPinned = pinBench();
  const model = await openEmulator();
  const bytes = await sizesOf(model);
  await model.stop();
  const servers = [await openEmulator(), await openKoa(bytes), await openNode(bytes)];
  if (emulate !== undefined) servers.push(await openEmulate(emulate));
  const operationOf = (server, name) => (server.operations ?? operations)[name];
  const result = { rounds, isPinned, bytes, loads: [] };
  for (const name of ['list', 'get', 'create']) {
    for (const server of servers) await loadOne(server, operationOf(server, name), 10, warmUpMs);
    for (const connections of connectionCounts) {
      const samples = servers.map(() => []);
      for (const server of servers) await server.loopDelay();
      for (let round = 1; round <= rounds; round++) {
        for (const [index, server] of servers.entries())
          samples[index].push(await loadOne(server, operationOf(server, name), connections, sliceMs));
        tell(`throughput: ${name} over ${connections}, round ${round} of ${rounds}`);
      }
      const sides = [];
      for (const [index, server] of servers.entries())
        sides.push({ name: server.name, ...summary(samples[index]), loopDelay: await server.loopDelay() });
      result.loads.push({ name, connections, sides });
    }
  }
  result.memory = servers.map((server, index) => ({
    name: server.name,
    loaded: highest(result.loads.map(({ sides }) => sides[index].rss)),
    peak: server.memory()?.peak,
  }));
  for (const server of servers) await server.stop();
  return result;
}

async function loadOne(server, { request, status, changes }, connections, ms) {
  const fixed = changes ? undefined : request(server);
  const cpuBefore = server.cpu();
  const { latencies, perSecond } = await load({
    port: server.port,
    connections,
    ms,
    status,
    request: fixed === undefined ? () => request(server) : () => fixed,
  });
  return {
    latencies,
    perSecond,
    cpuMs: cpuBefore === undefined ? undefined : server.cpu() - cpuBefore,
    rss: server.memory()?.now,
  };
}

function highest(values) {
  return values.includes(undefined) ? undefined : Math.max(...values);
}

function summary(samples) {
  const latencies = samples.flatMap((sample) => sample.latencies).sort((a, b) => a - b);
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))];
  const cpu = samples.reduce((sum, { cpuMs }) => (cpuMs === undefined ? undefined : sum + cpuMs), 0);
  return {
    perSecond: median(samples.map((sample) => sample.perSecond)),
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
    rss: highest(samples.map(({ rss }) => rss)),
    cpuMicros: cpu === undefined ? undefined : (cpu * 1_000) / latencies.length,
  };
}
