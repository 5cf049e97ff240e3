// Moving a world to another process: the former one takes no new worlds, and nothing that was acknowledged is lost.

import { expect, it } from 'vitest';
import { connect } from '../../../src/client.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';

type Remote = ReturnType<typeof connect>['controls'];

it('takes no new worlds while it drains; those that are there go on', async () => {
  const emulator = await startEmulator();
  const { url } = await emulator.createWorld({ id: 'kept' });
  expect(emulator.controls.drain()).toEqual({ draining: true, worlds: 1 });
  await expect(emulator.createWorld({ id: 'new' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const refused = await call(emulator, 'PUT', '/w/new/_emulator/world');
  expect([refused.status, refused.body.error.message]).toEqual([503, 'This emulator takes no new worlds: it drains']);
  expect((await call(emulator, 'PUT', '/w/kept/_emulator/world')).status).toBe(200);
  expect((await fetch(`${url}/_emulator/health`)).status).toBe(200);
  emulator.controls.drain({ end: true });
  await emulator.createWorld({ id: 'new' });
});

it('moves with its data, keys and clock, while writes are refused', async () => {
  const former = await startEmulator({ seed: 'former' });
  const next = await startEmulator({ seed: 'next' });
  const made = await former.createWorld({ id: 'moving', clock: { frozen: true } });
  await deploy(made);
  const asClient = (emulator: typeof former, method: string, body?: unknown) =>
    fetch(`${emulator.url}/w/moving/api/v1/containers`, {
      method,
      headers: { authorization: `Bearer ${made.apiKey}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  former.controls.drain();
  const [from, to] = [former, next].map(({ url }) => connect({ url: `${url}/w/moving` }).controls) as [Remote, Remote];
  await from.faults.add({ effect: { status: 503, retryAfter: 1 } });
  await from.snapshots.take({ name: 'move' });
  const { now } = await from.clock.get();
  const late = await asClient(former, 'POST', { name: 'late', project_name: 'late', ecr_image_uri: 'r.local/late:v1' });
  expect(late.status).toBe(503);
  await next.createWorld({ id: 'moving' });
  await to.snapshots.import(await from.snapshots.export('move'));
  await to.snapshots.restore('move');
  await to.faults.clear();
  former.controls.worlds.drop('moving');

  const { data } = await (await asClient(next, 'GET')).json();
  expect(data).toMatchObject([{ name: 'web', status: 'pending' }]);
  expect((await to.clock.get()).now).toBe(now);
  expect((await asClient(former, 'GET')).status).toBe(404);
});
