// The platform's own SDK signs in by the login of a command line and manages keys, in both contracts.

import { ElizaCloudClient } from '@elizaos/cloud-sdk';
import { expect, it } from 'vitest';
import { type Platform, startEmulator } from '../support/emulator.js';

const clientOf = ({ url }: Platform, credentials: object = {}) =>
  new ElizaCloudClient({ baseUrl: url, apiBaseUrl: `${url}/api/v1`, ...credentials });
const failure = (of: Promise<unknown>): Promise<unknown> =>
  of.then(
    () => 'done',
    ({ statusCode, status = statusCode, errorBody }) => [status, errorBody?.code],
  );

async function complete(emulator: Platform, sessionId: string): Promise<void> {
  const { token } = emulator.controls.sessions.create();
  const headers = { authorization: `Bearer ${token}` };
  const path = `/api/auth/cli-session/${sessionId}/complete`;
  expect((await emulator.fetch(path, { method: 'POST', headers })).status).toBe(200);
}

it('with today’s server it uses the id that it is given, and only a session manages keys', async () => {
  const emulator = await startEmulator({ profile: 'elizacloud' });
  const nobody = clientOf(emulator);
  // Its own helper polls the id that it has sent, which this contract does not take.
  const helped = await nobody.startCliLogin();
  expect(await failure(nobody.pollCliLogin(helped.sessionId))).toEqual([404, 'resource_not_found']);
  const { sessionId } = await nobody.request<{ sessionId: string }>('POST', '/api/auth/cli-session', {
    skipAuth: true,
  });
  expect((await nobody.pollCliLogin(sessionId)).status).toBe('pending');
  await complete(emulator, sessionId);
  const { apiKey } = await nobody.waitForCliLogin(sessionId);
  expect((await nobody.pollCliLogin(sessionId)).apiKey).toBeUndefined();

  const byKey = clientOf(emulator, { apiKey });
  expect((await byKey.getCreditsBalance()).balance).toBe(1_000);
  expect(await failure(byKey.listApiKeys())).toEqual([403, 'session_auth_required']);
  const { token } = emulator.controls.sessions.create();
  const person = clientOf(emulator, { bearerToken: token });
  const made = await person.createApiKey({ name: 'Worker', rate_limit: 50 });
  expect((await person.listApiKeys()).keys.map(({ name, rate_limit }) => [name, rate_limit])[0]).toEqual([
    'Worker',
    50,
  ]);
  await person.updateApiKey(made.apiKey.id, { name: 'Night' });
  const renewed = await person.regenerateApiKey(made.apiKey.id);
  expect((await clientOf(emulator, { apiKey: renewed.plainKey }).getCreditsBalance()).balance).toBe(1_000);
  await person.deleteApiKey(made.apiKey.id);
  for (let i = 0; i < 2; i++) await byKey.request('DELETE', '/api/v1/api-keys/current');
  expect(await failure(byKey.getCreditsBalance())).toEqual([403, 'access_denied']);
});

it('in the older contract its own login works, and its key manages keys', async () => {
  const emulator = await startEmulator({ profile: 'elizacloud-v1' });
  const nobody = clientOf(emulator);
  const { sessionId } = await nobody.startCliLogin();
  await complete(emulator, sessionId);
  const { apiKey } = await nobody.waitForCliLogin(sessionId);
  const byKey = clientOf(emulator, { apiKey });
  expect((await byKey.createApiKey({ name: 'Worker' })).plainKey).toMatch(/^eliza_/);
  expect((await byKey.listApiKeys()).keys).toHaveLength(3);
});

it('a purchase that it repeats with its key of idempotency is begun once', async () => {
  const emulator = await startEmulator({ profile: 'elizacloud-v1' });
  const client = clientOf(emulator, { apiKey: emulator.apiKey });
  const json = { credits: 5, success_url: 'http://localhost/paid', cancel_url: 'http://localhost/' };
  const buy = () =>
    client.request<{ sessionId: string }>('POST', '/api/v1/credits/checkout', {
      json,
      headers: { 'Idempotency-Key': 'order-1' },
    });
  expect((await buy()).sessionId).toBe((await buy()).sessionId);
});
