// Generated from the registry: what every endpoint must do, so that the next one is covered when it is declared.
// `npm test` draws for each rule one of eight endpoints, and for that of the examples one of four; the full run takes all.

import { expect, it } from 'vitest';
import type { Endpoint } from '../../src/http/endpoint.js';
import { errorsOf } from '../../src/http/openapi.js';
import { isTried } from '../support/campaign.js';
import { call } from '../support/contract-call.js';
import { type Answer, type Platform, startWorld, type WorldOptions } from '../support/emulator.js';
import { goodRequest, isStream, pathOf } from '../support/good-requests.js';
import { expectAll } from '../support/matrix.js';
import { feeHeaders } from '../support/payments.js';
import { credentialsFor } from '../support/sessions.js';
import { isTodays, newer, settingsOf, surface } from '../support/surface.js';

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

const cellsOf = (applies: (endpoint: Endpoint) => boolean): (readonly [string, Endpoint])[] =>
  [...surface, ...newer]
    .filter(applies)
    .map((one) => [`${one.id} (${one.method} ${one.path}${isTodays(one) ? ', today' : ''})`, one]);

let rules = 0;

/** Checks the endpoints of a kind, each in a world of its own. */
function matrix(
  name: string,
  applies: (endpoint: Endpoint) => boolean,
  check: (endpoint: Endpoint, world: Platform) => Promise<void>,
  settings: WorldOptions = {},
): void {
  const rule = rules++;
  const all = cellsOf(applies);
  const drawn = all.filter((_, index) => isTried(rule, index, rule === 0 ? 4 : 8));
  // Of a few none may be drawn.
  const cells = drawn.length > 0 ? drawn : all.slice(0, 1);
  it(name, () =>
    expectAll(cells, async (endpoint) => check(endpoint, await startWorld({ ...settings, ...settingsOf(endpoint) }))),
  );
}

const isAny = (): boolean => true;
const isNoStream = (endpoint: Endpoint): boolean => !isStream(endpoint);
const takesJson = ({ body, upload }: Endpoint): boolean => body !== undefined && upload === undefined;

matrix('answers its example as declared', isNoStream, async (endpoint, emulator) => {
  const path = await pathOf(emulator, endpoint);
  const { body, headers } = await goodRequest(emulator, endpoint, path);
  const answer = await send(emulator, endpoint, path, body, headers);
  expect(Object.keys(endpoint.responses).map(Number)).toContain(answer.status);
  const schema = endpoint.responses[answer.status]?.schema;
  expect(schema?.safeParse(answer.body).error?.issues ?? []).toEqual([]);
  for (const id of endpoint.assumptions ?? []) expect(answer.headers.get('x-emulator-assumption')).toContain(id);
});

matrix(
  'is 401 without a key, with an unknown one, and with a live one',
  ({ auth }) => auth !== 'public',
  async (endpoint, emulator) => {
    const path = await pathOf(emulator, endpoint);
    const withKey = (authorization: string) => send(emulator, endpoint, path, undefined, { authorization });
    expectError(await withKey(''), 401, 'UNAUTHORIZED');
    expectError(await withKey(`Bearer ek_test_${'0'.repeat(64)}`), 401, 'UNAUTHORIZED');
    const live = await withKey(`Bearer ek_live_${'0'.repeat(64)}`);
    expectError(live, 401, 'UNAUTHORIZED');
    expect(live.body.error.message).toContain('live key');
    expect(live.text).not.toContain('00000000');
  },
);

matrix(
  'is 429 beyond the key’s limit, with the seconds to wait',
  // It revokes the key by which its requests are counted.
  ({ id }) => id !== 'keys.deleteCurrent',
  async (endpoint, emulator) => {
    const path = await pathOf(emulator, endpoint, { id: 'none' });
    await send(emulator, endpoint, path, '[]');
    const answer = await send(emulator, endpoint, path, '[]');
    expectError(answer, 429, 'RATE_LIMITED');
    expect(answer.body.error.retryAfter).toBe(60);
    expect(answer.headers.get('retry-after')).toBe('60');
    await emulator.controls.clock.advance('60s');
    expect((await send(emulator, endpoint, path, '[]')).status).not.toBe(429);
  },
  { rateLimits: { perKey: 1 } },
);

matrix(
  'is 402 without a payment, and with one that is no good',
  ({ fee }) => fee !== undefined,
  async (endpoint, emulator) => {
    const path = await pathOf(emulator, endpoint);
    expectError(await call(emulator, endpoint.method, path, endpoint.example), 402, 'PAYMENT_REQUIRED');
    const bad = await call(emulator, endpoint.method, path, endpoint.example, { 'x-payment': 'nothing' });
    expectError(bad, 402, 'PAYMENT_REQUIRED');
    expect(bad.body.accepts).toHaveLength(1);
  },
);

/** Whether it says of what its path names that it is not there: to end a session that is not there is no error. */
const missesThings = ({ id, path }: Endpoint): boolean => path.includes('{') && id !== 'relay.close';

matrix('is 404 for what is not there', missesThings, async (endpoint, emulator) => {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  for (const id of ['00000000-0000-4000-8000-000000000000', 'nothing', '%00', '..%2F', '%E0%A4%A']) {
    const answer = await send(emulator, endpoint, await pathOf(emulator, endpoint, { id }));
    const filled = Object.fromEntries(names.map((name) => [name, id]));
    // Some take any text for an id, others reject what cannot be one.
    const isId = id.startsWith('0') || endpoint.params?.safeParse(filled).success === true;
    if (isId) expectError(answer, 404, 'NOT_FOUND');
    else expectError(answer, 400, 'VALIDATION_ERROR');
  }
});

matrix(
  'is 415 for a body that is no form, and 400 for a form that is none',
  ({ upload }) => upload !== undefined,
  async (endpoint, emulator) => {
    const path = await pathOf(emulator, endpoint);
    const sendAs = (type: string, body: string, headers = {}) =>
      send(emulator, endpoint, path, body, { ...(type && { 'content-type': type }), ...headers });
    const whole = 'multipart/form-data; boundary=x';
    expectError(await sendAs('', '{}'), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expectError(await sendAs(whole, '--x--', { 'content-encoding': 'gzip' }), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expectError(await sendAs('multipart/form-data', 'x'), 400, 'VALIDATION_ERROR');
    expectError(await sendAs(whole, '--x\r\n'), 400, 'VALIDATION_ERROR');
    expectError(await sendAs(whole, '--x--\r\n'), 400, 'VALIDATION_ERROR');
  },
);

matrix(
  'is 413 for a body beyond the limit and 415 for an unknown encoding',
  takesJson,
  async (endpoint, emulator) => {
    const path = await pathOf(emulator, endpoint);
    expectError(await send(emulator, endpoint, path, ' '.repeat(2_000)), 413, 'PAYLOAD_TOO_LARGE');
    const encoded = await send(emulator, endpoint, path, '{}', { 'content-encoding': 'nonsense' });
    expectError(encoded, 415, 'UNSUPPORTED_MEDIA_TYPE');
  },
  { server: { maxBody: 1_024 } },
);

it('every endpoint declares the errors that its gates imply', () =>
  expectAll(cellsOf(isAny), (endpoint) => {
    const codes = errorsOf(endpoint);
    expect(codes).toContain('RATE_LIMITED');
    if (missesThings(endpoint)) expect(codes).toContain('NOT_FOUND');
  }));
