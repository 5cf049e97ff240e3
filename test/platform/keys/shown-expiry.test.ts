// A key's expiry is shown as it was sent while the key ends then, and mapped as other instants are once the clock has moved it.

import { expect, it } from 'vitest';
import { call, startEmulator } from '../../support/emulator.js';

const path = '/api/v1/api-keys';
const hour = 3_600_000;

async function withKey() {
  const emulator = await startEmulator({ frozen: false, clock: undefined });
  const sent = new Date(Date.now() + hour).toISOString();
  const { body } = await call(emulator, 'POST', path, { name: 'short', expires_at: sent });
  const shown = async (): Promise<number> =>
    Date.parse((await call(emulator, 'GET', `${path}/${body.apiKey.id}`)).body.apiKey.expires_at);
  const use = async (): Promise<number> =>
    (await call({ fetch: emulator.fetch, apiKey: body.plainKey }, 'GET', '/api/v1/containers')).status;
  return { emulator, sent: Date.parse(sent), shown, use };
}

it('a key’s shown expiry is what was sent while the clock goes on as it did', async () => {
  const { sent, shown, use } = await withKey();
  expect([await shown(), await use()]).toEqual([sent, 200]);
});

it('a key’s shown expiry lies in the past once a jump has ended the key', async () => {
  const { emulator, shown, use } = await withKey();
  await emulator.controls.clock.advance('2h');
  expect(await use()).toBe(401);
  expect(await shown()).toBeLessThanOrEqual(Date.now());
});

it('a key’s shown expiry is the instant at which the key ends after a jump and at another speed', async () => {
  const { emulator, sent, shown, use } = await withKey();
  await emulator.controls.clock.advance('30m');
  expect(Math.abs((await shown()) - (sent - hour / 2))).toBeLessThan(1_000);
  emulator.controls.clock.resume({ speed: 60 });
  const left = (await shown()) - Date.now();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(31_000);
  expect(await use()).toBe(200);
});

it('a key’s shown expiry is not ahead of a frozen clock that has ended the key', async () => {
  const { emulator, shown, use } = await withKey();
  emulator.controls.clock.freeze();
  await emulator.controls.clock.advance('2h');
  expect(await use()).toBe(401);
  expect(await shown()).toBeLessThanOrEqual(Date.parse(emulator.controls.clock.get().now));
});
