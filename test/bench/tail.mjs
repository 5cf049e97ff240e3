// Owns the measurement of log tails: what the last 100 lines cost after a minute, ten minutes and seven days.

import { askOnce, Connection, insist, requestText } from './client.mjs';
import { freePort, removeFolder, startCloudemu, temporaryFolder } from './processes.mjs';
import { median } from './report.mjs';
import { createRequest, unlimited } from './servers.mjs';

const deployTime = '30s';

/** Asks for the three tails in turn, `samples` times each. */
export async function measureTail({ samples, tell }) {
  const folder = temporaryFolder();
  const port = await freePort();
  const child = startCloudemu({ folder, port, env: unlimited });
  const { apiKey: key } = await child.announced();
  const advance = (by) => askOnce(port, requestText('POST', '/_emulator/clock/advance', { body: { by } }), 200);
  const deploy = async () => {
    const { id } = JSON.parse(await askOnce(port, createRequest(key), 202)).data;
    await advance(deployTime);
    return id;
  };

  const containers = { sevenDays: await deploy() };
  await advance('7d');
  containers.tenMinutes = await deploy();
  await advance('10m');
  containers.minute = await deploy();
  await advance('1m');
  // Time stands still, so that all samples of a container are the same answer.
  await askOnce(port, requestText('POST', '/_emulator/clock/freeze', { body: {} }), 200);

  const connection = await Connection.open(port);
  const result = { samples };
  for (const name of ['minute', 'tenMinutes', 'sevenDays']) {
    const request = requestText('GET', `/api/v1/containers/${containers[name]}/logs?tail=100`, { key });
    result[name] = { request, times: [] };
  }
  const warmUp = Math.ceil(samples / 4);
  for (let i = 0; i < samples + warmUp; i++) {
    for (const name of ['minute', 'tenMinutes', 'sevenDays']) {
      const { request, times } = result[name];
      const startedAt = performance.now();
      const { status, body } = await connection.ask(request);
      const ms = performance.now() - startedAt;
      insist(200, status, body, request);
      if (i === 0) result[name].lines = JSON.parse(body).logs.length;
      if (i >= warmUp) times.push(ms);
    }
  }
  connection.close();
  tell('tail: measured');
  for (const name of ['minute', 'tenMinutes', 'sevenDays']) {
    const { lines, times } = result[name];
    result[name] = { lines, median: median(times), p95: times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] };
  }
  await child.stop();
  removeFolder(folder);
  return {
    ...result,
    ratio: result.sevenDays.median / result.minute.median,
    ratioSameLength: result.sevenDays.median / result.tenMinutes.median,
  };
}
