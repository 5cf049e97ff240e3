// Requests of the command for its own sake leave no trace in what is told of clients.

import { expect, it } from 'vitest';
import { runHere } from '../support/command-here.js';
import { startServed } from '../support/served.js';

it('signing helpers count in no window, and are not in journal, coverage or verdicts', async () => {
  const emulator = await startServed();
  const control = async (path: string, init?: RequestInit): Promise<any> =>
    (await fetch(`${emulator.url}/_emulator/${path}`, init)).json();
  await control('faults', {
    method: 'POST',
    body: JSON.stringify({ effect: { error: 'SERVICE_UNAVAILABLE' } }),
  });
  for (const what of [['siwe'], ['payment', '--amount', '1']])
    expect(await runHere(['wallet', 'sign', ...what, '--url', emulator.url])).toMatchObject({ code: 0, stderr: '' });
  expect((await control('requests')).total).toBe(0);
  expect((await control('verdicts')).requests).toBe(0);
  expect((await control('coverage')).totals.operations.met).toBe(0);
  expect((await control('limits')).callers ?? []).toEqual([]);
  expect((await control('faults')).faults).toMatchObject([{ hits: 0, seen: 0 }]);
});

it('only those who may reach the control plane are believed', async () => {
  const emulator = await startServed();
  const headers = { 'x-emulator-aside': '1', origin: 'https://elsewhere.test' };
  expect((await fetch(`${emulator.url}/api/auth/siwe/nonce`, { headers })).status).toBe(403);
});
