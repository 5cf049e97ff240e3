// A fault rule is checked when it is written: each mistake is named, with what would be right.

import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/index.js';
import { itFull } from '../../support/campaign.js';
import { call, startWorld } from '../../support/emulator.js';

const path = '/_emulator/faults';
const status = { status: 503 };

it.each<[string, unknown, string, RegExp, string?]>([
  ['no body', undefined, 'body', /is required/],
  ['a list', [], 'body', /must be an object/],
  ['no effect', { match: {} }, 'effect', /is required/],
  ['an empty effect', { effect: {} }, 'effect', /must say what happens/],
  ['an unknown field', { effect: status, matches: {} }, 'matches', /unknown/, 'match'],
  ['an unknown selector', { effect: status, match: { operations: 'x' } }, 'match.operations', /unknown/, 'operation'],
  ['an unknown condition', { effect: status, when: { time: 1 } }, 'when.time', /unknown/, 'times'],
  ['an unknown effect', { effect: { statsu: 503 } }, 'effect.statsu', /unknown/, 'status'],
  ['an unknown phase', { effect: status, phase: 'befor' }, 'phase', /one of before, after, partial/, 'before'],
  ['a capital too many', { effect: status, phase: 'After' }, 'phase', /one of/, 'after'],
  [
    'an unknown operation',
    { match: { operation: 'container.create' }, effect: status },
    'match.operation',
    /id of an operation/,
    'containers.create',
  ],
  [
    'a pattern that fits none',
    { match: { operation: 'contaners.*' }, effect: status },
    'match.operation',
    /must fit the id/,
    'containers.*',
  ],
  ['a method in small letters', { match: { method: 'post' }, effect: status }, 'match.method', /one of GET/, 'POST'],
  [
    'a method that an operation has not',
    { match: { operation: 'containers.create', method: 'GET' }, effect: status },
    'match.method',
    /method of containers.create: POST/,
  ],
  [
    'a path that is none',
    { match: { path: '/api/v1/container' }, effect: status },
    'match.path',
    /not a path of the platform; nearest: GET \/api\/v1\/containers/,
    '/api/v1/containers',
  ],
  [
    'a path without its slash',
    { match: { path: 'api/v1/containers' }, effect: status },
    'match.path',
    /begin with a slash/,
  ],
  [
    'a path of the control plane',
    { match: { path: '/_emulator/clock' }, effect: status },
    'match.path',
    /control plane/,
  ],
  ['a path with a world', { match: { path: '/w/a/api/v1/containers' }, effect: status }, 'match.path', /without \/w/],
  ['a path with a query', { match: { path: '/api/v1/containers?x=1' }, effect: status }, 'match.path', /query/],
  [
    'a path of another operation',
    { match: { operation: 'agents.*', path: '/api/v1/containers' }, effect: status },
    'match.path',
    /leads to containers/,
  ],
  [
    'an unknown key',
    { match: { key: `ek_test_${'0'.repeat(64)}` }, effect: status },
    'match.key',
    /id, the test value or the shown beginning/,
  ],
  [
    'an unknown organization',
    { match: { organization: 'nobody' }, effect: status },
    'match.organization',
    /id of an organization/,
  ],
  [
    'a header name that is none',
    { match: { headers: { 'a b': 'x' } }, effect: status },
    'match.headers.a b',
    /no header can have/,
  ],
  [
    'a secret header',
    { match: { headers: { Authorization: 'Bearer x' } }, effect: status },
    'match.headers.authorization',
    /use match.key/,
  ],
  [
    'a header that is a number',
    { match: { headers: { 'x-a': 1 } }, effect: status },
    'match.headers.x-a',
    /must be a string/,
  ],
  [
    'a broken expression',
    { match: { headers: { 'x-a': '/(/' } }, effect: status },
    'match.headers.x-a',
    /not a regular expression/,
  ],
  [
    'flags that mean nothing here',
    { match: { headers: { 'x-a': '/a/g' } }, effect: status },
    'match.headers.x-a',
    /flags/,
  ],
  [
    'a very long expression',
    { match: { headers: { 'x-a': `/${'a'.repeat(300)}/` } }, effect: status },
    'match.headers.x-a',
    /200 characters/,
  ],
  ['times 0', { when: { times: 0 }, effect: status }, 'when.times', /at least 1/],
  ['a half time', { when: { nth: 1.5 }, effect: status }, 'when.nth', /whole number/],
  ['a probability in percent', { when: { probability: 50 }, effect: status }, 'when.probability', /at most 1/],
  ['nth and every', { when: { nth: 2, every: 2 }, effect: status }, 'when.every', /beside `nth`/],
  ['nth and times', { when: { nth: 2, times: 2 }, effect: status }, 'when.times', /beside `nth`/],
  ['no duration', { when: { expiresIn: 'soon' }, effect: status }, 'when.expiresIn', /must be a duration/],
  ['an expiry at once', { when: { expiresIn: 0 }, effect: status }, 'when.expiresIn', /must be a duration/],
  ['an unknown error', { effect: { error: 'RATE_LIMIT' } }, 'effect.error', /one of/, 'RATE_LIMITED'],
  ['an error in small letters', { effect: { error: 'not_found' } }, 'effect.error', /one of/, 'NOT_FOUND'],
  ['no status', { effect: { status: 99 } }, 'effect.status', /at least 200/],
  ['a status beyond', { effect: { status: 600 } }, 'effect.status', /at most 599/],
  ['a status in a string', { effect: { status: '503' } }, 'effect.status', /must be a number/],
  [
    'error and status that differ',
    { effect: { error: 'CONFLICT', status: 503 } },
    'effect.status',
    /as CONFLICT is/,
    '409',
  ],
  ['a success without a body', { effect: { status: 200 } }, 'effect.body', /is required/],
  ['a body where there is none', { effect: { status: 204, body: 'x' } }, 'effect.body', /must be left out/],
  ['a huge body', { effect: { status: 500, body: 'x'.repeat(70_000) } }, 'effect.body', /64 KB/],
  ['retryAfter on a 404', { effect: { status: 404, retryAfter: 1 } }, 'effect.retryAfter', /belongs to 429/],
  ['a negative retryAfter', { effect: { retryAfter: -1 } }, 'effect.retryAfter', /at least 0/],
  ['a day and a second', { effect: { retryAfter: 86_401 } }, 'effect.retryAfter', /at most 86400/],
  ['an hour of delay', { effect: { delay: '1h' } }, 'effect.delay', /at most 10 minutes/],
  ['a delay that is none', { effect: { delay: 'long' } }, 'effect.delay', /duration/],
  ['half a range', { effect: { delay: { min: 1 } } }, 'effect.delay.max', /is required/],
  ['a range upside down', { effect: { delay: { min: '2s', max: '1s' } } }, 'effect.delay.min', /not be more than max/],
  ['an unknown network fault', { effect: { network: 'rest' } }, 'effect.network', /one of reset/, 'reset'],
  ['a reset with a status', { effect: { network: 'reset', status: 503 } }, 'effect.network', /leaves no response/],
  ['malformed nothing', { effect: { status: 204, network: 'malformed' } }, 'effect.network', /needs a body/],
  [
    'malformed before',
    { phase: 'before', effect: { network: 'malformed' } },
    'phase',
    /must be after for malformed/,
    'after',
  ],
  [
    'partial without a network fault',
    { phase: 'partial', effect: { delay: 5 } },
    'effect.network',
    /required in phase partial/,
  ],
  ['times beside when', { effect: { status: 503 }, times: 1 }, 'times', /is unknown/, 'when.times'],
  ['partial with a status', { phase: 'partial', effect: { status: 503 } }, 'phase', /must be after/, 'after'],
])('the check of a fault rule refuses %s', async (_, rule, field, message, suggestion) => {
  const world = await startWorld();
  const answer = await call(world, 'POST', path, rule);
  expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  const problem = answer.body.error.details.find((one: { path: string }) => one.path === field);
  expect(problem?.message, JSON.stringify(answer.body.error.details)).toMatch(message);
  if (suggestion !== undefined) expect(problem.suggestion).toBe(suggestion);
  expect(world.controls.faults.list()).toEqual([]);
  if (rule !== undefined) expect(() => world.controls.faults.add(rule as any)).toThrow(ApiError);
});

it('the check of a fault rule reports all mistakes at once', async () => {
  const world = await startWorld();
  const rule = {
    match: { operation: 'x.y', organization: 'z' },
    when: { nth: 1, every: 2 },
    effect: { network: 'hang', status: 503 },
  };
  const { body } = await call(world, 'POST', path, rule);
  expect(body.error.details.map((one: { path: string }) => one.path)).toEqual([
    'match.operation',
    'match.organization',
    'when.every',
    'effect.network',
  ]);
});

it('the check of a fault rule never repeats a key’s value, known or not', async () => {
  const world = await startWorld();
  for (const key of [`ek_live_${'1'.repeat(64)}`, `ek_test_${'1'.repeat(64)}`, 'x'.repeat(301)]) {
    const { text } = await call(world, 'POST', path, { match: { key }, effect: status });
    expect(text).not.toContain(key.slice(8));
  }
  const { text } = await call(world, 'POST', path, { match: { key: world.apiKey }, effect: status });
  expect(text).not.toContain(world.apiKey);
});

describe('expressions that would take for ever elsewhere', () => {
  const evil = ['/^(a+)+$/', '/^(a|a)*$/', '/^(\\w+\\s?)*$/', '/^(x+x+)+$/', '/^(?:(?:qz)+)+$/'];

  // Each of them would take as long as a limit of time allows.
  itFull('hold no request up, though there be a thousand', async () => {
    const world = await startWorld();
    const effect = { status: 418 };
    for (let i = 0; i < 1_000; i++) {
      const regex = evil[i % evil.length] ?? '';
      world.controls.faults.add({ match: { operation: 'keys.list', headers: { 'x-a': regex } }, effect });
    }
    const { apiKey } = world.controls.organizations.create();
    const ask = async (value: string) =>
      (await call(world, 'GET', '/api/v1/api-keys', undefined, { authorization: `Bearer ${apiKey}`, 'x-a': value }))
        .status;
    for (const part of ['a', 'qz', 'x']) expect(await ask(`${part.repeat(500)}?;`)).toBe(200);
    expect(await ask('aaaaaa')).toBe(418);
  });

  it.each(['/(?=a)b/', '/(a)\\1/', '/(?<!a)b/', '/(?:a{1,30}){1,900}/'])(
    '%s is refused: no engine is quick at it',
    async (regex) => {
      const { controls } = await startWorld();
      expect(() => controls.faults.add({ match: { headers: { 'x-a': regex } }, effect: status })).toThrow(
        /match\.headers\.x-a (cannot be used|is too large)/,
      );
    },
  );
});

it('the check of a fault rule takes bodies that only a program can give for mistakes', async () => {
  const { controls } = await startWorld();
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  for (const body of [circle, 10n, () => 1]) {
    expect(() => controls.faults.add({ effect: { status: 500, body } })).toThrow(/effect.body must be JSON/);
  }
});
