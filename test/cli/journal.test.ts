// The journal of the built command: after kill -9 no id is given twice, and the request log shows no secret.

import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openSqlite } from '../../src/db/sqlite.js';
import { isFull, itFull } from '../support/campaign.js';
import { startCommand, tempDir } from '../support/command.js';

const it = test.concurrent;

it('the journal gives no request id twice after kill -9', async () => {
  const dir = tempDir();
  const seen = new Set<string>();
  for (let run = 0; run < (isFull ? 3 : 2); run++) {
    const emulator = await startCommand(['--data-dir', dir, '--quiet', '--seed', 'ids']);
    for (let i = 0; i < 20; i++) {
      const { headers } = await fetch(`${emulator.url}/api/v1/containers`);
      const id = headers.get('x-request-id') ?? '';
      expect(seen.has(id), `${id} in run ${run}`).toBe(false);
      seen.add(id);
    }
    await emulator.end('SIGKILL');
  }
});

itFull.concurrent('the journal writes a request down unasked, and keeps it over kill -9', async () => {
  const dir = tempDir();
  const first = await startCommand(['--data-dir', dir, '--quiet']);
  await fetch(`${first.url}/api/v1/containers`);
  const written = openSqlite(join(dir, 'world.db'), { readonly: true });
  await vi.waitFor(() => expect(written.prepare('SELECT 1 FROM journal').all()).toHaveLength(1), 15_000);
  written.close();
  await first.end('SIGKILL');
  const second = await startCommand(['--data-dir', dir, '--quiet']);
  const { requests } = (await (await fetch(`${second.url}/_emulator/requests`)).json()) as any;
  expect(requests).toMatchObject([{ path: '/api/v1/containers', status: 401 }]);
});

it('the request log is JSON where stderr is no terminal, one line a request while the emulator runs, without any secret', async () => {
  const emulator = await startCommand(['--ephemeral']);
  const key = `ek_test_${'7'.repeat(64)}`;
  const live = `ek_live_${'8'.repeat(64)}`;
  await fetch(`${emulator.url}/api/v1/containers/${key}?${live}=1`, {
    headers: { authorization: `Bearer ${emulator.apiKey}` },
  });
  await fetch(`${emulator.url}/api/v1/containers?${live}=1`, {
    headers: { authorization: `Bearer ${emulator.apiKey}` },
  });
  await fetch(`${emulator.url}/api/v1/containers`);
  await fetch(`${emulator.url}/nowhere/${live}`);
  expect(await emulator.said(/.*nowhere.*\n/)).toContain('GET /nowhere/ek_live_******** 404');
  const { stderr } = await emulator.end();
  expect(
    stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { method: 'GET', status: 404 },
    { method: 'GET', path: '/api/v1/containers', status: 200 },
    { path: '/api/v1/containers', status: 401, error: 'UNAUTHORIZED', requestId: expect.stringMatching(/^req_/) },
    { method: 'GET', status: 404 },
  ]);
  expect(stderr).toContain('/api/v1/containers/ek_test_********');
  expect(stderr).toContain('unknown query parameter query.ek_live_********');
  for (const secret of ['7777', '8888', emulator.apiKey.slice(12)]) expect(stderr).not.toContain(secret);
});

it('the request log is pretty on demand, still one line a request', async () => {
  const emulator = await startCommand(['--ephemeral'], { env: { CLOUDEMU_LOG_FORMAT: 'pretty', NO_COLOR: '1' } });
  await fetch(`${emulator.url}/api/v1/containers`);
  const { stderr } = await emulator.end();
  expect(stderr).toMatch(
    /^\d\d:\d\d:\d\d {2}401 {2}GET \/api\/v1\/containers {2}\d+ms {2}UNAUTHORIZED {2}containers\.list\n$/,
  );
});
