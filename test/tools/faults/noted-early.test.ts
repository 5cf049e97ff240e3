// A response that takes time to be sent is in the journal and in the history from its first byte on: a test that never reads
// the body may end its world by then.

import { expect, it } from 'vitest';
import { startEmulator, startWorld } from '../../support/emulator.js';
import { eventually } from '../../support/eventually.js';

const headersOf = ({ apiKey }: { apiKey: string }) => ({ authorization: `Bearer ${apiKey}` });

const kinds = [
  ['truncate', 'after', 'lost'],
  ['reset', 'partial', 'lost'],
  ['close', 'partial', 'lost'],
  ['hang', 'partial', 'lost'],
  ['malformed', 'after', 'lost'],
  ['drip', 'after', 'answered'],
] as const;

it.each(kinds)('%s: a request is noted before its client has read anything', async (network, phase, outcome) => {
  const world = await startWorld();
  world.controls.faults.add({ phase, effect: { network } });
  const leave = new AbortController();
  const response = await fetch(`${world.url}/api/v1/containers`, {
    method: 'POST',
    headers: { ...headersOf(world), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'app', project_name: 'app', ecr_image_uri: 'registry.local/app:v1' }),
    signal: leave.signal,
  });
  const requests = () => world.controls.requests.list().requests;
  expect([response.status, requests().length]).toEqual([202, 1]);
  const [noted] = requests();
  expect(noted).toMatchObject({ method: 'POST', status: 202, outcome, fault: 'fault_1' });
  const points = () => world.controls.history.list({ kind: 'request' }).points;
  expect(points()).toHaveLength(1);
  expect(noted?.responseBody).toContain(outcome === 'lost' ? 'no JSON: ' : '"success":true');

  leave.abort();
  await response.text().catch(() => '');
  if (network !== 'malformed') await eventually(() => (requests()[0]?.durationMs ?? 0) > (noted?.durationMs ?? 0));
  if (network === 'drip') expect(requests()[0]?.outcome).toBe('aborted');
  expect([requests().length, points().length]).toEqual([1, 1]);
});

it('the metrics have such a request once, when it has ended', async () => {
  const emulator = await startEmulator();
  emulator.controls.faults.add({ effect: { network: 'truncate' } });
  await fetch(`${emulator.url}/api/v1/containers`, { headers: headersOf(emulator) }).then((response) =>
    response.text().catch(() => ''),
  );
  const metrics = async () => (await fetch(`${emulator.url}/_emulator/metrics`)).text();
  const counts = async () =>
    /requests_total\{operation="containers.list",status="200"\} (\d+)/.exec(await metrics())?.[1];
  await eventually(async () => (await counts()) !== undefined);
  expect(await counts()).toBe('1');
});
