// Generated from the registry: what every endpoint must do, so that the next one is covered when it is declared.

import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/http/endpoint.js';
import { errorsOf } from '../../src/http/openapi.js';
import { type Answer, call, type Platform, startEmulator, startWorld } from '../support/emulator.js';
import { goodRequest, isStream, pathOf } from '../support/good-requests.js';
import { feeHeaders } from '../support/payments.js';
import { credentialsFor } from '../support/sessions.js';
import { surface } from '../support/surface.js';

const standardHeaders = [
  'x-request-id',
  'x-emulator-now',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-policy',
];

function expectError(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  expect(answer.body).toMatchObject({
    success: false,
    error: { message: expect.any(String), requestId: answer.headers.get('x-request-id') },
  });
  expect(answer.headers.get('x-emulator-assumption')).toContain('errors.envelope');
}

async function send(
  emulator: Platform,
  endpoint: Endpoint,
  path: string,
  body: unknown = endpoint.example,
  headers = {},
): Promise<Answer> {
  const all = { ...credentialsFor(emulator, endpoint), ...headers, ...(await feeHeaders(emulator, endpoint)) };
  const answer = await call(emulator, endpoint.method, path, endpoint.body === undefined ? undefined : body, all);
  for (const name of standardHeaders) expect(answer.headers.get(name), name).not.toBeNull();
  return answer;
}

describe.each(surface.map((endpoint) => [`${endpoint.id} (${endpoint.method} ${endpoint.path})`, endpoint] as const))(
  '%s',
  (_, endpoint) => {
    if (!isStream(endpoint))
      it('answers its example as declared', async () => {
        const emulator = await startWorld();
        const { body, headers } = await goodRequest(emulator, endpoint);
        const answer = await send(emulator, endpoint, await pathOf(emulator, endpoint), body, headers);
        expect(Object.keys(endpoint.responses).map(Number)).toContain(answer.status);
        const schema = endpoint.responses[answer.status]?.schema;
        expect(schema?.safeParse(answer.body).error?.issues ?? []).toEqual([]);
        for (const id of endpoint.assumptions ?? []) expect(answer.headers.get('x-emulator-assumption')).toContain(id);
      });

    if (endpoint.auth !== 'public')
      it('is 401 without a key, with an unknown one, and with a live one', async () => {
        const emulator = await startWorld();
        const path = await pathOf(emulator, endpoint);
        expectError(await send(emulator, endpoint, path, undefined, { authorization: '' }), 401, 'UNAUTHORIZED');
        expectError(
          await send(emulator, endpoint, path, undefined, { authorization: `Bearer ek_test_${'0'.repeat(64)}` }),
          401,
          'UNAUTHORIZED',
        );
        const live = await send(emulator, endpoint, path, undefined, {
          authorization: `Bearer ek_live_${'0'.repeat(64)}`,
        });
        expectError(live, 401, 'UNAUTHORIZED');
        expect(live.body.error.message).toContain('live key');
        expect(live.text).not.toContain('00000000');
      });

    it('is 429 beyond the key’s limit, with the seconds to wait', async () => {
      const emulator = await startWorld({ rateLimits: { perKey: 1 } });
      await send(emulator, endpoint, await pathOf(emulator, endpoint, { id: 'none' }), '[]');
      const answer = await send(emulator, endpoint, await pathOf(emulator, endpoint, { id: 'none' }), '[]');
      expectError(answer, 429, 'RATE_LIMITED');
      expect(answer.body.error.retryAfter).toBe(60);
      expect(answer.headers.get('retry-after')).toBe('60');
      await emulator.controls.clock.advance('60s');
      expect((await send(emulator, endpoint, await pathOf(emulator, endpoint, { id: 'none' }), '[]')).status).not.toBe(
        429,
      );
    });

    if (endpoint.fee !== undefined)
      it('is 402 without a payment, and with one that is no good', async () => {
        const emulator = await startWorld();
        const path = await pathOf(emulator, endpoint);
        expectError(await call(emulator, endpoint.method, path, endpoint.example), 402, 'PAYMENT_REQUIRED');
        const bad = await call(emulator, endpoint.method, path, endpoint.example, { 'x-payment': 'nothing' });
        expectError(bad, 402, 'PAYMENT_REQUIRED');
        expect(bad.body.accepts).toHaveLength(1);
      });

    if (endpoint.path.includes('{'))
      it('is 404 for what is not there', async () => {
        const emulator = await startWorld();
        const name = /\{(\w+)\}/.exec(endpoint.path)?.[1] ?? '';
        for (const id of ['00000000-0000-4000-8000-000000000000', 'nothing', '%00', '..%2F', '%E0%A4%A']) {
          const answer = await send(emulator, endpoint, await pathOf(emulator, endpoint, { id }));
          // Some take any text for an id, some tell what is none.
          const isId = id.startsWith('0') || endpoint.params?.safeParse({ [name]: id }).success === true;
          if (isId) expectError(answer, 404, 'NOT_FOUND');
          else expectError(answer, 400, 'VALIDATION_ERROR');
        }
      });

    if (endpoint.upload !== undefined)
      it('is 415 for a body that is no form, and 400 for a form that is none', async () => {
        const emulator = await startWorld();
        const path = await pathOf(emulator, endpoint);
        const type = (value: string) => ({ 'content-type': value });
        expectError(await send(emulator, endpoint, path, '{}'), 415, 'UNSUPPORTED_MEDIA_TYPE');
        const [whole, encoded] = [type('multipart/form-data; boundary=x'), { 'content-encoding': 'gzip' }];
        expectError(
          await send(emulator, endpoint, path, '--x--', { ...whole, ...encoded }),
          415,
          'UNSUPPORTED_MEDIA_TYPE',
        );
        expectError(await send(emulator, endpoint, path, 'x', type('multipart/form-data')), 400, 'VALIDATION_ERROR');
        expectError(await send(emulator, endpoint, path, '--x\r\n', whole), 400, 'VALIDATION_ERROR');
        expectError(await send(emulator, endpoint, path, '--x--\r\n', whole), 400, 'VALIDATION_ERROR');
      });

    if (endpoint.body !== undefined && endpoint.upload === undefined)
      it('is 400 for a body that is none', async () => {
        const emulator = await startWorld();
        const path = await pathOf(emulator, endpoint);
        expectError(await send(emulator, endpoint, path, '{"a":'), 400, 'INVALID_JSON');
        expectError(await send(emulator, endpoint, path, '[]'), 400, 'VALIDATION_ERROR');
        expectError(await send(emulator, endpoint, path, '"text"'), 400, 'VALIDATION_ERROR');
      });

    if (endpoint.body !== undefined && endpoint.upload === undefined)
      it('is 413 for a body beyond the limit and 415 for an unknown encoding', async () => {
        const emulator = await startEmulator({ server: { maxBody: 1_024 } });
        const path = await pathOf(emulator, endpoint);
        expectError(await send(emulator, endpoint, path, ' '.repeat(2_000)), 413, 'PAYLOAD_TOO_LARGE');
        expectError(
          await send(emulator, endpoint, path, '{}', { 'content-encoding': 'nonsense' }),
          415,
          'UNSUPPORTED_MEDIA_TYPE',
        );
      });

    if (!isStream(endpoint))
      it('tells a query parameter that it does not know', async () => {
        const emulator = await startWorld();
        const path = await pathOf(emulator, endpoint);
        const { body, headers } = await goodRequest(emulator, endpoint);
        const answer = await send(emulator, endpoint, `${path}?zzz=1`, body, headers);
        expect(answer.headers.get('x-emulator-warning')).toContain('zzz');
      });

    it('declares the errors that its gates imply', () => {
      const codes = errorsOf(endpoint);
      expect(codes).toContain('RATE_LIMITED');
      if (endpoint.path.includes('{')) expect(codes).toContain('NOT_FOUND');
    });
  },
);
