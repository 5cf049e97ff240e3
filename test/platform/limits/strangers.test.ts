// Callers that are nobody: they count by address, whatever key they send.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { mint } from '../../support/keys.js';

it('callers with unknown, expired and inactive keys count with those who send none', async () => {
  const emulator = await startWorld();
  const { clock, limits } = emulator.controls;
  limits.set({ operation: 'auth.siweNonce', limit: 4 });
  const nonce = (key?: string) =>
    call(emulator, 'GET', '/api/auth/siwe/nonce', undefined, {
      authorization: key === undefined ? '' : `Bearer ${key}`,
    });
  const inactive = await mint(emulator);
  await call(emulator, 'PATCH', `/api/v1/api-keys/${inactive.id}`, { is_active: false });
  const expired = await mint(emulator, { expires_at: new Date(Date.parse(clock.get().now) + 1_000).toISOString() });
  await clock.advance('2s');
  const senders = [undefined, `ek_test_${'1'.repeat(64)}`, `ek_test_${'2'.repeat(64)}`, expired.value];
  for (const key of senders) expect((await nonce(key)).status).toBe(200);
  for (const key of [inactive.value, `ek_test_${'3'.repeat(64)}`, undefined])
    expect((await nonce(key)).status).toBe(429);
  expect((await nonce(emulator.apiKey)).status).toBe(200);
});
