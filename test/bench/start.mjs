// Owns the measurement of start-up: from spawn to the first 200, the built command against a bare node:http server and
// the peer, and the executable, where it was made, against the same on the Node that is in it.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findNodes, host } from '../../src/build/node-binary.mjs';
import { firstAnswer, requestText } from './client.mjs';
import { freePort, memoryOf, removeFolder, root, startBare, startCloudemu, temporaryFolder } from './processes.mjs';
import { median } from './report.mjs';
import { emulateOperations, startEmulate } from './servers.mjs';

/** Starts all in turn, `rounds` times after a warm-up. */
export async function measureStart({ rounds, emulate, tell }) {
  const folder = temporaryFolder();
  const port = await freePort();
  const barePort = await freePort();

  const executable = join(root, 'dist', 'cloudemu');
  // The first start makes the world and tells its key; the timed ones find both.
  const first = startCloudemu({ folder, port });
  const { apiKey } = await first.announced();
  await first.stop();

  const contenders = {
    cloudemu: {
      port,
      request: requestText('GET', '/api/v1/containers', { key: apiKey }),
      start: () => startCloudemu({ folder, port, quiet: true }),
    },
    bare: {
      port: barePort,
      request: requestText('GET', '/'),
      start: () => startBare('bare-http', [barePort], { quiet: true }),
    },
  };
  if (emulate !== undefined) {
    const peerPort = await freePort();
    contenders.emulate = {
      port: peerPort,
      request: emulateOperations.list.request(),
      start: () => startEmulate(emulate, peerPort),
    };
  }
  if (existsSync(executable)) {
    const { node } = findNodes(host, folder);
    const { cloudemu, bare } = contenders;
    contenders.executable = {
      ...cloudemu,
      start: () => startCloudemu({ folder, port, quiet: true, command: [executable] }),
    };
    contenders.bareInside = { ...bare, start: () => startBare('bare-http', [barePort], { quiet: true, node }) };
  }
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  const memory = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, contender] of Object.entries(contenders)) {
      const { ms, rss } = await timeOne(contender);
      if (round === 0) continue;
      times[name].push(ms);
      if (rss !== undefined) memory[name].push(rss);
    }
    tell(`start: round ${round} of ${rounds}`);
  }
  removeFolder(folder);
  const results = Object.keys(contenders).map((name) => [name, summary(times[name], memory[name])]);
  return { rounds, ...Object.fromEntries(results) };
}

async function timeOne({ port, request, start }) {
  const child = start();
  try {
    await firstAnswer(child, port, request);
    const ms = performance.now() - child.startedAt;
    return { ms, rss: memoryOf(child.pid)?.now };
  } finally {
    await child.stop();
  }
}

function summary(times, memory) {
  return {
    min: Math.min(...times),
    median: median(times),
    max: Math.max(...times),
    rss: memory.length === 0 ? undefined : median(memory),
  };
}
