// The older paths of voices: the same operations, for people with a session only.

import { expect, it } from 'vitest';
import { signHeaders } from '../../../src/testing.js';
import { call, startWorld } from '../../support/emulator.js';
import { nobody, wallet } from '../../support/payments.js';
import { callAs } from '../../support/sessions.js';
import { formOf, sample, sarah } from '../../support/voice.js';

const legacy = '/api/elevenlabs';

it('the older path of voices answers a session as the newer paths do', async () => {
  const world = await startWorld({ voice: { cloning: { timing: 'instant' } } });
  const { token } = world.controls.sessions.create();
  const as = (method: string, path: string, body?: unknown) => callAs(world, token, method, legacy + path, body);
  const spoken = await as('POST', '/tts', { text: 'Hello', voiceId: sarah });
  expect([spoken.status, spoken.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
  const heard = await as('POST', '/stt', formOf({ audio: sample() }));
  expect(heard.body.duration_ms).toBe(2_500);
  const cloned = await as('POST', '/voices/clone', formOf({ name: 'Ada', cloneType: 'instant', file0: sample() }));
  expect(cloned.status).toBe(201);
  const { id } = cloned.body;
  expect((await as('GET', '/voices/user?limit=5')).body).toMatchObject({ total: 1, limit: 5, voices: [{ id }] });
  expect((await as('GET', '/voices/jobs?all=true')).body.jobs).toMatchObject([{ voiceId: id }]);
  expect((await as('GET', `/voices/${id}`)).body.voice.name).toBe('Ada');
  expect((await as('DELETE', `/voices/${id}`)).body).toMatchObject({ success: true });
  const operations = world.controls.requests.list().requests.map(({ operation }) => operation);
  expect(new Set(operations)).toEqual(
    new Set(['voice.tts', 'voice.stt', 'voice.clone', 'voice.list', 'voice.jobs', 'voice.get', 'voice.delete']),
  );
});

it('the older path of voices refuses keys, wallets and payments, and says what it wants', async () => {
  const world = await startWorld();
  const path = `${legacy}/tts`;
  const body = { text: 'Hello', voiceId: sarah };
  const key = await call(world, 'POST', path, body);
  expect([key.status, key.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
  expect(key.body.error.message).toMatch(/voice\.tts requires a session/);
  const signed = await signHeaders({ wallet, method: 'POST', path });
  expect((await call(world, 'POST', path, body, { ...nobody, ...signed })).status).toBe(401);
  const paying = await call(world, 'POST', path, body, { ...nobody, 'x-payment': 'e30=' });
  expect([paying.status, paying.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
  expect(world.controls.ledger()).toHaveLength(1);
});

it('the older path of voices has the provider’s name of the settings, and no other', async () => {
  const world = await startWorld({ service: { legacyVoiceProvider: 'acmevoice' } });
  const { token } = world.controls.sessions.create();
  expect((await callAs(world, token, 'GET', '/api/acmevoice/voices/user')).status).toBe(200);
  for (const [method, path] of [
    ['GET', '/voices/user'],
    ['GET', '/voices'],
    ['PATCH', `/voices/${sarah}`],
  ] as const) {
    const gone = await callAs(world, token, method, legacy + path);
    expect([gone.status, gone.body.error.code]).toEqual([404, 'ROUTE_NOT_FOUND']);
  }
  const document = (await call(world, 'GET', '/openapi.json')).body;
  expect(document.paths['/api/acmevoice/voices/{id}'].get).toMatchObject({
    operationId: 'voice.get.legacy',
    security: [{ session: [] }, { sessionToken: [] }],
  });
});

it('the older path of voices takes keys too where the settings say so', async () => {
  const world = await startWorld({ profile: 'elizacloud-v1' });
  const answer = await call(world, 'POST', `${legacy}/tts`, { text: 'Hello' });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
  expect(world.controls.ledger().at(-1)?.amount).toBe(-0.06);
  const wrong = await call(world, 'POST', `${legacy}/tts`, { text: 'Hello', voiceId: 'nobody' });
  expect(wrong.body).toMatchObject({ success: false, error: 'Invalid voice ID. Please select a different voice.' });
});
