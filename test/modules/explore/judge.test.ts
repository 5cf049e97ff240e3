// A client's acts under a fault, judged against those without one.

import { describe, expect, it } from 'vitest';
import { ruleOfTry, type Try, triesAt } from '../../../src/modules/explore/fault-kinds.js';
import { baselineOf, judge } from '../../../src/modules/explore/judge.js';
import type { SeenWorld } from '../../../src/modules/explore/seen.js';
import { fired, found, pointsIn, type Sent, seen } from '../../support/seen-worlds.js';

const create = { operation: 'containers.create', status: 202 };
const plain = seen('deploys', [create], { spent: 0.5 });
const [point] = pointsIn(plain);
const tries = triesAt(point as never, ['oom']);
const end = {
  exitCode: 0,
  isTimeout: false,
  output: '',
  open: new Set<string>(),
  labels: ['deploys', 'lists'],
  isAlone: true,
};

const grades = (
  id: string,
  sent: Sent[],
  facts: Partial<SeenWorld> = {},
  ended: Partial<typeof end> = {},
): string[] => {
  const tried = found(tries, id) as Try;
  const world = seen('deploys', sent, { spent: 0.5, rules: fired(ruleOfTry(tried)), ...facts });
  const { met, consequences } = judge(tried, baselineOf([plain, plain]), world, { ...end, ...ended });
  return met ? consequences.map(({ grade, kind }) => `${grade} ${kind}`) : ['not met'];
};
const lost = { ...create, status: 0, happened: true, fault: 'fault_1' };

describe('a fault', () => {
  it('that never fired is not met', () => {
    expect(grades('lost', [create], { rules: [] })).toEqual(['not met']);
    expect(grades('oom', [{ ...create, status: 503, happened: false }])).toEqual(['not met']);
  });

  it('that nothing came of is no find', () => {
    expect(grades('lost', [lost, { operation: 'containers.list' }])).toEqual([]);
  });
});

it('the requests show whether a test passed, where the output of the runner names none', () => {
  const failureOf = (id: string, sent: Sent[]): string => {
    const tried = found(tries, id) as Try;
    const world = seen('deploys', sent, { rules: fired(ruleOfTry(tried)) });
    const some = { ...end, exitCode: 1, output: 'some test is wrong', isAlone: false };
    return judge(tried, baselineOf([plain, plain]), world, some).failure;
  };
  const refused = { ...create, status: 503, happened: false, fault: 'fault_1' };
  expect(failureOf('503', [refused, create])).toBe('none');
  expect(failureOf('503', [refused])).toBe('unknown');
  expect(failureOf('lost', [lost, { operation: 'containers.list' }])).toBe('unknown');
  expect(failureOf('oom', [create])).toBe('unknown');
});

describe('grade A', () => {
  it('is more money, and containers that go on running', () => {
    expect(grades('lost', [lost, create], { spent: 1 })).toEqual(['A spent']);
    expect(grades('503', [create], { running: ['web'] })).toEqual(['A running']);
    expect(grades('lost', [lost, create], { paid: 10 })).toEqual(['A paid']);
  });

  it('is what is created twice, unless a failed attempt made nothing', () => {
    const agent = { operation: 'agents.create', status: 201 };
    const world = seen('agents', [agent]);
    const [made] = pointsIn(world);
    const tried = found(triesAt(made as never, []), 'lost');
    const rules = fired(ruleOfTry(tried));
    const judged = (first: Sent) =>
      judge(tried, baselineOf([world]), seen('agents', [first, agent], { rules }), end).consequences;
    expect(judged({ ...agent, status: 0, happened: true })).toMatchObject([
      { grade: 'A', kind: 'created agents.create' },
    ]);
    expect(judged({ ...agent, status: 503 })).toEqual([]);
  });

  it('does not count buying a lost response again, where there is no other way to it', () => {
    const chat = { operation: 'chat.completions', method: 'POST' };
    const world = seen('chats', [chat], { spent: 0.01 });
    const tried: Try = {
      ...(found(tries, 'lost') as Try),
      point: { ...(point as never as Try['point']), operation: 'chat.completions', label: 'chats' },
    };
    const rules = fired(ruleOfTry(tried));
    const judged = (sent: Sent[], spent: number) =>
      judge(tried, baselineOf([world]), seen('chats', sent, { spent, rules }), end).consequences.map(
        ({ kind }) => kind,
      );
    expect(judged([chat, chat], 0.02)).toEqual(['bought again']);
    expect(judged([chat, chat, chat], 0.03)).toEqual(['spent']);
  });
});

describe('grades B to E', () => {
  it('B is a run whose time was over while the world was open, and a flood of requests', () => {
    const isOver = { isTimeout: true, exitCode: 137 };
    expect(grades('unheard', [lost], {}, { ...isOver, open: new Set(['deploys']) })).toEqual(['B hung']);
    expect(
      grades(
        '503',
        Array.from({ length: 7 }, () => create),
      ),
    ).toEqual(['B requests']);
  });

  it('C is a verdict that did not fail before', () => {
    const failed = [{ rule: 'backoff-grows', summary: 'It did not.', evidence: [] }];
    expect(grades('429', [create], { failed })).toEqual(['C verdict backoff-grows']);
  });

  it('tell the platform’s error from another one, by what the test printed', () => {
    const output = (text: string) => ({
      exitCode: 1,
      output: `\u001b[31m FAIL \u001b[0m a.test.ts > deploys\n${text}`,
    });
    expect(grades('503', [create], {}, output('Error: 503 SERVICE_UNAVAILABLE'))).toEqual(['E failed']);
    expect(grades('lost', [lost], {}, output('TypeError: fetch failed\n  cause: ECONNRESET'))).toEqual(['E failed']);
    expect(grades('503', [create], {}, output("TypeError: Cannot read properties of null (reading 'id')"))).toEqual([
      'D died',
    ]);
    expect(grades('503', [create], {}, output('expected [] to have a length of 3'))).toEqual(['D died']);
    expect(grades('503', [create], {}, output('expected 1 to be 2\n  12| if (status === 503) {}'))).toEqual(['D died']);
    expect(grades('unheard', [lost], {}, output('Error: Test timed out in 5000ms.'))).toEqual(['B hung']);
  });

  it('do not blame a test for what another one printed', () => {
    const output = ' FAIL  a.test.ts > lists\nError: 503\n FAIL  a.test.ts > deploys\nexpected 1 to be 2\n';
    expect(grades('503', [create], {}, { exitCode: 1, output })).toEqual(['D died']);
    expect(grades('503', [create], {}, { exitCode: 1, output: ' FAIL  lists\nError: 1', isAlone: false })).toEqual([]);
  });
});
