// The first of mistakes that come by the thousand are told, and a count: nobody reads more, and a web page may send them.

import { afterEach, expect, it } from 'vitest';
import { call, closeEmulators, startWorld } from '../support/emulator.js';
import { nobody } from '../support/sessions.js';

afterEach(closeEmulators);

const many = (count: number, field: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => field(i)).join(',');
const warningsOf = (headers: Headers): string[] => (headers.get('x-emulator-warning') ?? '').split('; ');

it('a request without credentials that has 40,000 unknown fields gets a response', async () => {
  const world = await startWorld();
  const body = `{"sessionId":"a-session-of-mine",${many(40_000, (i) => `"k${i}":1`)}}`;
  const answer = await call(world, 'POST', '/api/auth/cli-session', body, {
    ...nobody,
    'content-type': 'text/plain',
  });
  expect(answer.status).toBe(201);
  const [entry] = world.controls.requests.list({ operation: 'auth.cliSessionStart' }).requests;
  expect(entry?.warnings).toHaveLength(21);
  expect(entry?.warnings[0]).toBe('unknown field k0');
  expect(entry?.warnings.at(-1)).toBe('and 39980 more unknown fields');
  expect(warningsOf(answer.headers).length).toBeGreaterThan(10);
});

it('a refusal lists twenty unknown fields, and counts the others', async () => {
  const world = await startWorld({ strict: { inputs: true } });
  const answer = await call(world, 'POST', '/api/v1/app/agents', `{"name":"a",${many(1_000, (i) => `"k${i}":1`)}}`);
  expect(answer.status).toBe(400);
  expect(answer.body.error.details).toHaveLength(20);
  expect(answer.body.error.message).toBe('Invalid request data: k0 is unknown (980 more are not listed)');
});

it('a warning lists twenty unknown query parameters, and counts the others', async () => {
  const world = await startWorld();
  const query = many(1_000, (i) => `k${i}`).replaceAll(',', '&');
  await call(world, 'GET', `/api/v1/containers?${query}`);
  await call(world, 'GET', `/api/v1/credits/balance?${query}`);
  for (const { warnings } of world.controls.requests.list().requests) {
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toBe('and 980 more unknown query parameters');
  }
});

it('a refusal lists the first errors in a list, and reports only that there is one in a very long list', async () => {
  const world = await startWorld();
  const send = (count: number) =>
    call(world, 'POST', '/api/v1/chat/completions', `{"model":"gpt-4o","messages":[${many(count, () => '1')}]}`);
  const { error } = (await send(100)).body;
  expect(error.details).toHaveLength(20);
  expect(error.message).toMatch(/ \(80 more are not listed\)$/);
  const long = (await send(15_000)).body;
  expect(long.error.details).toHaveLength(20);
  expect(long.error.message).toMatch(/ \(the rest of so long an input was not looked at\)$/);
});

it.each([
  ['values', '/api/v1/containers', `{"environment_vars":{${many(4_999, (i) => `"K${i}":[]`)},"L":[1,2]}}`],
  ['items with two mistakes', '/api/v1/responses', `{"model":"m","input":[${many(20_000, () => '{"nmae":1}')}]}`],
  [
    'lists in lists',
    '/api/v1/chat/completions',
    `{"messages":[${many(400, () => `{"role":"user","content":[${many(400, () => '1')}]}`)}]}`,
  ],
])(
  'the check of a request looks at no more than the first of a record’s and a list’s wrong %s',
  async (_, path, body) => {
    const world = await startWorld();
    const {
      status,
      body: { error },
    } = await call(world, 'POST', path, body);
    expect(status).toBe(400);
    expect(error.details).toHaveLength(20);
    expect(error.message).toMatch(/not looked at\)$/);
  },
);

it.each([
  ['a list of', '/api/v1/chat/completions', `{"messages":[${many(20_001, () => '1')}]}`, 'messages', '20000 entries'],
  [
    'an object of',
    '/api/v1/containers',
    `{"environment_vars":{${many(5_001, (i) => `"K${i}":"v"`)}}}`,
    'environment_vars',
    '5000 entries',
  ],
  [
    'a text with',
    '/api/v1/api-keys',
    `{"name":"x","expires_at":"${'1'.repeat(200_001)}"}`,
    'expires_at',
    '100 characters',
  ],
])('the check of a request refuses %s more than it looks at', async (_, path, body, field, most) => {
  const world = await startWorld();
  const { error } = (await call(world, 'POST', path, body)).body;
  expect(error.details).toEqual([expect.objectContaining({ path: field, message: `must have at most ${most}` })]);
});

it('a long valid input is accepted', async () => {
  const world = await startWorld();
  const input = Array.from({ length: 2_000 }, () => [1, 2, 3, 4]);
  const { status, body } = await call(world, 'POST', '/api/v1/embeddings', {
    model: 'text-embedding-3-small',
    input,
    dimensions: 8,
  });
  expect([status, body.data?.length]).toEqual([200, 2_000]);
});

it('a long text that needs no form is accepted', async () => {
  const world = await startWorld();
  const { status } = await call(world, 'POST', '/api/v1/knowledge', { content: 'lorem ipsum '.repeat(100_000) });
  expect(status).toBe(201);
});

it('names of a megabyte are truncated in a refusal', async () => {
  const world = await startWorld({ strict: { inputs: true } });
  const answer = await call(world, 'POST', '/api/v1/app/agents', { name: 'a', ['x'.repeat(1_000_000)]: 1 });
  expect(answer.status).toBe(400);
  expect(answer.text.length).toBeLessThan(2_000);
});

it('repeated keys are counted in a warning', async () => {
  const world = await startWorld();
  const { headers } = await call(
    world,
    'POST',
    '/api/v1/app/agents',
    `{"name":"a",${many(40_000, () => '"bio":"b"')}}`,
  );
  expect(warningsOf(headers)).toEqual([
    'repeated keys in the body (the last one counts): bio (39999 repetitions in all)',
  ]);
});
