// The request log: one line a request on stderr.

import { expect, test } from 'vitest';
import { startCommand } from '../support/command.js';

const it = test.concurrent;

it('the request log is JSON, one line a request while the emulator runs, where stderr is no terminal; a key is never in it', async () => {
  const emulator = await startCommand(['--ephemeral']);
  await fetch(`${emulator.url}/api/v1/containers`);
  await fetch(`${emulator.url}/nowhere`, { headers: { authorization: `Bearer ${emulator.apiKey}` } });
  expect(await emulator.said(/.*nowhere.*\n/)).toContain('GET /nowhere 404');
  const { stderr } = await emulator.end();
  expect(stderr).not.toContain(emulator.apiKey);
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([
    {
      method: 'GET',
      path: '/api/v1/containers',
      status: 401,
      error: 'UNAUTHORIZED',
      requestId: expect.stringMatching(/^req_/),
    },
    { method: 'GET', path: '/nowhere', status: 404 },
  ]);
});

it('the request log is pretty on demand, still one line a request', async () => {
  const emulator = await startCommand(['--ephemeral'], { env: { CLOUDEMU_LOG_FORMAT: 'pretty', NO_COLOR: '1' } });
  await fetch(`${emulator.url}/api/v1/containers`);
  const { stderr } = await emulator.end();
  expect(stderr).toMatch(
    /^\d\d:\d\d:\d\d {2}401 {2}GET \/api\/v1\/containers {2}\d+ms {2}UNAUTHORIZED {2}containers\.list\n$/,
  );
});

it('the request log is left out by --quiet', async () => {
  const emulator = await startCommand(['--ephemeral', '--quiet']);
  await fetch(`${emulator.url}/nowhere`);
  expect((await emulator.end()).stderr).toBe('');
});
