// Killing the process in the middle of a deployment changes nothing: what is derived from time needs no process.

import { expect, it } from 'vitest';
import { type RunningCommand, startCommand, tempDir } from '../support/command.js';

const flags = ['--seed', 'restart', '--clock', '2026-01-01T00:00:00Z', '--frozen', '--timing', 'realistic', '--quiet'];

async function ask(emulator: RunningCommand, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await fetch(emulator.url + path, {
    method,
    headers: { authorization: `Bearer ${emulator.apiKey}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return answer.json();
}

const images = ['r/a:v1', 'r/a:fail-exec-format', 'r/a:fail-oom-later'];

const rounds = 8;

/** The containers of each image as clients see them, and the ledger in the end. */
async function observe(interrupted: boolean): Promise<Record<string, string>> {
  const dir = tempDir();
  const start = () => startCommand([...flags, '--data-dir', dir]);
  let emulator = await start();
  const ids: [image: string, id: string][] = [];
  for (const image of images) {
    const name = image.replace(/\W/g, '-');
    const fields = { name, project_name: name, ecr_image_uri: image };
    ids.push([image, (await ask(emulator, 'POST', '/api/v1/containers', fields)).data.id]);
  }
  const seen: Record<string, string> = {};
  for (let i = 0; i < rounds; i++) {
    await ask(emulator, 'POST', '/_emulator/clock/advance', { by: '4m' });
    if (interrupted) {
      await emulator.end('SIGKILL');
      emulator = await start();
    }
    for (const [image, id] of ids)
      for (const view of ['', '/logs?tail=1000', '/metrics', '/health', '/deployments']) {
        const body = await ask(emulator, 'GET', `/api/v1/containers/${id}${view}`);
        seen[`${image}${view}, after ${4 * (i + 1)} minutes`] = JSON.stringify(body).replace(
          /http:\/\/127\.0\.0\.1:\d+/g,
          'URL',
        );
      }
  }
  const { ledger } = await ask(emulator, 'GET', '/_emulator/ledger');
  seen.ledger = JSON.stringify(ledger.map(({ type, amount, at }: Record<string, unknown>) => ({ type, amount, at })));
  await emulator.end();
  return seen;
}

it('a deployment is the same with kill -9 and restart in between', async () => {
  const [undisturbed, interrupted] = await Promise.all([observe(false), observe(true)]);
  expect(Object.keys(undisturbed)).toHaveLength(rounds * images.length * 5 + 1);
  expect(interrupted).toEqual(undisturbed);
});

it('the address of a running container answers again after a restart', async () => {
  const dir = tempDir();
  const first = await startCommand(['--timing', 'instant', '--data-dir', dir, '--quiet']);
  const { data } = await ask(first, 'POST', '/api/v1/containers', {
    name: 'a',
    project_name: 'a',
    ecr_image_uri: 'r/a:1',
  });
  const { url } = (await ask(first, 'GET', `/api/v1/containers/${data.id}`)).data;
  await first.end('SIGKILL');
  const second = await startCommand(['--data-dir', dir, '--quiet']);
  expect(second.apiKey).toBe(first.apiKey);
  expect((await fetch(`${url}/health`)).status).toBe(200);
});
