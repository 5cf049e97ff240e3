// How an emulator ends: with exit code 0, and without waiting for what is open.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isFull, itFull } from '../support/campaign.js';
import {
  neverListens,
  notWaitedMs,
  type RunningCommand,
  spawnCommand,
  startCommand,
  tempDir,
} from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { openStream } from '../support/sse.js';

async function logStream({ url, apiKey }: RunningCommand) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const body = JSON.stringify({ name: 'Web', project_name: 'web', ecr_image_uri: 'registry/web:v1' });
  const created = await fetch(`${url}/api/v1/containers`, { method: 'POST', headers, body });
  const { data } = (await created.json()) as { data: { id: string } };
  return openStream(`${url}/api/v1/containers/${data.id}/logs/stream`, headers);
}

/** A connection that is kept alive. */
async function keptAlive({ health }: RunningCommand): Promise<Agent> {
  const agent = new Agent({ keepAlive: true });
  const [response] = (await once(get(health, { agent }), 'response')) as [NodeJS.ReadableStream];
  await once(response.resume(), 'end');
  return agent;
}

/** A request that never ends. */
async function unfinished(emulator: RunningCommand): Promise<void> {
  const socket = connect(emulator.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST /api/v1/containers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${emulator.apiKey}\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n{`,
  );
  // "100 Continue" says that the request is being read.
  await once(socket, 'data');
  socket.on('error', () => {});
}

it.each(isFull ? (['SIGINT', 'SIGTERM', 'SIGHUP'] as const) : (['SIGINT'] as const))(
  '%s ends it with code 0, without waiting for what is open, and leaves no run file',
  async (signal) => {
    const emulator = await startCommand(['--quiet']);
    const stream = await logStream(emulator);
    await stream.until(1);
    stream.ended.catch(() => {});
    const agent = await keptAlive(emulator);
    await unfinished(emulator);
    expect(existsSync(join(emulator.dir, '.cloudemu/run.json'))).toBe(true);
    const { code, stderr, ms } = await emulator.end(signal);
    agent.destroy();
    expect([code, stderr]).toEqual([0, '']);
    expect(ms).toBeLessThan(notWaitedMs);
    expect(existsSync(join(emulator.dir, '.cloudemu/run.json'))).toBe(false);
  },
);

itFull('a start can be told to end before it is ready', async () => {
  const cwd = tempDir();
  const { child, ended } = spawnCommand(['start', '--port', '0', '--json'], { cwd, env: neverListens });
  await eventually(() => existsSync(join(cwd, '.cloudemu/world.db')));
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(existsSync(join(cwd, '.cloudemu/run.json'))).toBe(false);
});

it('the emulator goes on when the reader of its output leaves', async () => {
  const emulator = await startCommand(['--ephemeral']);
  emulator.child.stdout?.destroy();
  emulator.child.stderr?.destroy();
  for (let i = 0; i < 3; i++) await fetch(`${emulator.url}/api/v1/containers`);
  expect((await fetch(emulator.health)).status).toBe(200);
  expect(await emulator.end()).toMatchObject({ code: 0 });
});
