// Owns the measurement of cold requests: the first 1, 10, 100 and 1,000 of a fresh process on one connection, as tests
// and CI have them, beside bare Koa's.

import { Connection, insist } from './client.mjs';
import { median } from './report.mjs';
import { openEmulator, openKoa, operations, pinBench, sizesOf } from './servers.mjs';

const marks = [1, 10, 100, 1_000];

/** Starts a fresh process of each server for each operation, `rounds` times. */
export async function measureCold({ rounds, tell }) {
  const isPinned = pinBench();
  const model = await openEmulator(1);
  const bytes = await sizesOf(model);
  await model.stop();
  const result = { rounds, isPinned, operations: [] };
  for (const [name, operation] of Object.entries(operations)) {
    // The thing that a GET shows must be there; everything else begins with the process.
    const rows = name === 'get' || name === 'list' ? 1 : 0;
    const samples = { cloudemu: [], bare: [] };
    for (let round = 1; round <= rounds; round++) {
      samples.cloudemu.push(await timeOne(await openEmulator(rows), operation, operation.status));
      samples.bare.push(
        await timeOne(await openKoa(bytes, rows), operation, operation.status === 200 && rows === 1 ? 200 : 202),
      );
      tell(`cold: ${name}, round ${round} of ${rounds}`);
    }
    const medians = (side) => marks.map((_, index) => median(samples[side].map((times) => times[index])));
    result.operations.push({ name, cloudemu: medians('cloudemu'), bare: medians('bare') });
  }
  return result;
}

async function timeOne(server, { request }, status) {
  const connection = await Connection.open(server.port);
  const times = [];
  const startedAt = performance.now();
  for (let n = 1; n <= marks.at(-1); n++) {
    const text = request(server);
    const answer = await connection.ask(text);
    insist(status, answer.status, answer.body, text);
    if (marks.includes(n)) times.push(performance.now() - startedAt);
  }
  connection.close();
  await server.stop();
  return times;
}
