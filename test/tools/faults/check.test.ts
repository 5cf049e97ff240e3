// A fault rule is checked when it is written: each mistake is named, with what would be right.

import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/index.js';
import { itFull } from '../../support/campaign.js';
import { expectCases, problemText } from '../../support/cases.js';
import { call, startWorld } from '../../support/emulator.js';

const path = '/_emulator/faults';
const status = { status: 503 };

it('the check of a fault rule names each mistake of check.txt', async () => {
  const world = await startWorld();
  await expectCases('tools/faults/check.txt', async ([rule = '']) => {
    const { status: refused, body } = await call(world, 'POST', path, rule);
    expect([refused, body.error?.code], rule).toEqual([400, 'VALIDATION_ERROR']);
    expect(() => world.controls.faults.add(JSON.parse(rule))).toThrow(ApiError);
    return body.error.details.map(problemText);
  });
  expect(world.controls.faults.list()).toEqual([]);
});

it('the check of a fault rule wants a body, and one of at most 64 KB in a response', async () => {
  const world = await startWorld();
  const refusedFor = async (rule: unknown) => (await call(world, 'POST', path, rule)).body.error.details;
  expect(await refusedFor(undefined)).toMatchObject([{ path: 'body', message: expect.stringMatching(/is required/) }]);
  expect(await refusedFor({ effect: { status: 500, body: 'x'.repeat(70_000) } })).toMatchObject([
    { path: 'effect.body', message: expect.stringMatching(/64 KB/) },
  ]);
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
