// A client's acts under a fault, judged against those without one.

import { describe, expect, it } from 'vitest';
import { baselineOf } from '../../../src/tools/explore/baseline.js';
import { ruleOfTry, type Try, triesAt } from '../../../src/tools/explore/fault-kinds.js';
import { judge } from '../../../src/tools/explore/judge.js';
import type { SeenWorld } from '../../../src/tools/explore/seen.js';
import { fired, found, passedRun, pointsIn, type Sent, seen, things } from '../../support/seen-worlds.js';

const create = { operation: 'containers.create', status: 202 };
const plain = seen('deploys', [create], { charged: 0.5 });
const [point] = pointsIn(plain);
const tries = triesAt(point as never, ['oom']);
const end = passedRun('deploys', 'lists');

const grades = (
  id: string,
  sent: Sent[],
  facts: Partial<SeenWorld> = {},
  ended: Partial<typeof end> = {},
): string[] => {
  const tried = found(tries, id) as Try;
  const world = seen('deploys', sent, { charged: 0.5, rules: fired(ruleOfTry(tried)), ...facts });
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
    expect(grades('lost', [lost, create], { charged: 1 })).toEqual(['A spent']);
    expect(grades('503', [create], { holdings: things('container', 'web') })).toEqual(['A left container']);
    expect(grades('lost', [lost, create], { paid: 10 })).toEqual(['A paid']);
  });

  it('is not a container that has failed, nor a second deployment after one that failed and was returned', () => {
    expect(grades('oom', [create], { holdings: things('container', 'web!') })).toEqual([]);
    expect(grades('oom', [create, create], { charged: 1, returned: 0.5 })).toEqual([]);
    expect(grades('oom', [create, create], { charged: 1 })).toEqual(['A spent']);
  });

  it('is what is created twice, unless a failed attempt made nothing', () => {
    const agent = { operation: 'agents.create', status: 201 };
    const world = seen('agents', [agent]);
    const [made] = pointsIn(world);
    const tried = found(triesAt(made as never, []), 'lost');
    const rules = fired(ruleOfTry(tried));
    const one = things('agent', 'Ada');
    const base = baselineOf([{ ...world, holdings: one }]);
    const judged = (first: Sent, holdings: SeenWorld['holdings']) =>
      judge(tried, base, seen('agents', [first, agent], { rules, holdings }), end).consequences;
    expect(judged({ ...agent, status: 0, happened: true }, [...one, ...one])).toMatchObject([
      { grade: 'A', kind: 'twice agent', things: [{ kind: 'agent', name: 'Ada' }] },
    ]);
    expect(judged({ ...agent, status: 503 }, one)).toEqual([]);
    // It deleted the one that it knows nothing of.
    expect(judged({ ...agent, status: 0, happened: true }, one)).toEqual([]);
  });

  it('does not count buying a lost response again, where there is no other way to it', () => {
    const chat = { operation: 'chat.completions', method: 'POST' };
    const world = seen('chats', [chat], { charged: 0.01 });
    const tried: Try = {
      ...(found(tries, 'lost') as Try),
      point: { ...(point as never as Try['point']), operation: 'chat.completions', label: 'chats' },
    };
    const rules = fired(ruleOfTry(tried));
    const judged = (sent: Sent[], charged: number) =>
      judge(tried, baselineOf([world]), seen('chats', sent, { charged, rules }), end).consequences.map(
        ({ kind }) => kind,
      );
    expect(judged([chat, chat], 0.02)).toEqual(['bought again']);
    expect(judged([chat, chat, chat], 0.03)).toEqual(['spent']);
  });
});

describe('grades B to E', () => {
  it('B is a run whose time was over while the world was open, and a flood of requests', () => {
    const isOver = { isTimeout: true, exitCode: 137, open: new Set(['deploys']) };
    expect(grades('unheard', [lost], {}, isOver)).toEqual(['B hung']);
    // What it would still have deleted is no matter.
    expect(grades('unheard', [lost], { holdings: things('container', 'web') }, isOver)).toEqual(['B hung']);
    const times = (length: number): Sent[] => Array.from({ length }, () => create);
    expect(grades('503', times(22))).toEqual(['B requests']);
    // Four attempts with a check each are none.
    expect(grades('503', times(8))).toEqual([]);
  });

  it('B is not a world that was open because another one used up the time', () => {
    const some = { isTimeout: true, exitCode: 137, open: new Set(['deploys']), isAlone: false };
    expect(grades('503', [create], {}, some)).toEqual(['not met']);
    expect(grades('503', [create], {}, { ...some, stuck: new Set(['deploys']) })).toEqual(['B hung']);
  });

  it('C is a verdict that did not fail before', () => {
    const failed = [{ rule: 'backoff-grows', summary: 'It did not.', evidence: [] }];
    expect(grades('429', [create], { failed })).toEqual(['C verdict backoff-grows']);
  });

  it('C is no rule about the series of requests that several tests of one world make', () => {
    const list = { operation: 'containers.list' };
    const shared = seen('default', [list, list]);
    const all = triesAt(pointsIn(shared)[0] as never, []);
    const failed = [{ rule: 'backoff-grows', summary: 'It did not.', evidence: [] }];
    const judged = (label: string, id: string, times: number): string[] => {
      const tried = found(all, id);
      const refused = Array.from({ length: times }, () => ({
        ...list,
        status: 503,
        happened: false,
        fault: 'fault_1',
      }));
      const world = seen(label, refused, { failed, rules: fired(ruleOfTry(tried)) });
      return judge(tried, baselineOf([shared]), world, end).consequences.map(({ kind }) => kind);
    };
    expect(judged('default', 'outage', 6)).toEqual([]);
    expect(judged('default', '503', 2)).toEqual([]);
    expect(judged('default', '503', 4)).toEqual(['verdict backoff-grows']);
    expect(judged('lists', 'outage', 6)).toEqual(['verdict backoff-grows']);
  });

  it('tell the platform’s later errors from another one, unless the client asked for something wrong', () => {
    const output = (text: string) => ({ exitCode: 1, output: ` FAIL  a.test.ts > deploys\n${text}` });
    const gone = { operation: 'containers.get', status: 404, errorCode: 'NOT_FOUND', happened: false };
    const told = output('Error: 404 NOT_FOUND');
    expect(grades('502', [lost, gone], {}, told)).toEqual(['E failed']);
    expect(grades('502', [lost, { ...gone, path: '/api/v1/containers/undefined' }], {}, told)).toEqual(['D died']);
    expect(grades('502', [lost], {}, told)).toEqual(['D died']);
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

/** A client that creates an agent beside others. */
describe('things that are there without a fault', () => {
  const agent = { operation: 'agents.create', status: 201 };
  const remove = { operation: 'agents.delete', method: 'DELETE', path: '/api/my-agents/characters/id-of-Bell' };
  const holdings = things('agent', 'Bell', 'Ada');
  const world = seen('agents', [{ operation: 'agents.list' }, agent], { holdings });
  const judged = (
    id: string,
    sent: Sent[],
    left: SeenWorld['holdings'],
    { at = 'agents.create', ended = {} }: { at?: string; ended?: Partial<typeof end> } = {},
  ): string[] => {
    const point = pointsIn(world).find(({ operation }) => operation === at);
    const tried = found(triesAt(point as never, []), id);
    const there = seen('agents', sent, { holdings: left, rules: fired(ruleOfTry(tried)) });
    const { consequences } = judge(tried, baselineOf([world, world]), there, { ...end, ...ended });
    return consequences.map(({ grade, kind }) => `${grade} ${kind}`);
  };
  const refused = { ...agent, status: 503, happened: false, fault: 'fault_1' };
  const reported = { exitCode: 1, output: ' FAIL  a.test.ts > agents\nError: 503 SERVICE_UNAVAILABLE' };

  it('A: are deleted by a client that takes an error for an empty list, or the newest one for its own', () => {
    const cut = { operation: 'agents.list', fault: 'fault_1' };
    expect(judged('cut', [cut, remove, agent], things('agent', 'Ada'), { at: 'agents.list' })).toEqual([
      'A destroyed agent',
    ]);
    expect(judged('503', [refused, remove], [], { ended: reported })).toEqual(['A destroyed agent', 'E failed']);
    // Who fails may take back what it has made.
    const [bell, ada] = holdings;
    expect(judged('503', [agent, refused, remove], [ada as never], { ended: reported })).toEqual(['E failed']);
    expect(judged('503', [agent, refused, remove], [bell as never])).toEqual(['C unnoticed']);
  });

  it('C: are missing, and the test passed: nobody noticed', () => {
    const left = things('agent', 'Bell');
    expect(judged('503', [refused], left)).toEqual(['C unnoticed']);
    expect(judged('503', [refused], left, { ended: reported })).toEqual(['E failed']);
    expect(judged('503', [refused, agent], holdings)).toEqual([]);
    expect(judged('lost', [{ ...refused, status: 0, happened: true }], holdings)).toEqual([]);
  });

  it('may have other names in each run', () => {
    const other = seen('agents', [agent], { holdings: things('agent', 'Bell', 'Ada-2') });
    const base = baselineOf([world, other]);
    expect([...base.nameless]).toEqual(['agent']);
    const point = pointsIn(world).at(-1);
    const tried = found(triesAt(point as never, []), '503');
    const rules = fired(ruleOfTry(tried));
    const judgedWith = (left: SeenWorld['holdings'], ...sent: Sent[]): string[] =>
      judge(tried, base, seen('agents', [refused, ...sent], { holdings: left, rules }), end).consequences.map(
        ({ kind }) => kind,
      );
    expect(judgedWith(things('agent', 'Bell', 'Ada-3'), agent)).toEqual([]);
    expect(judgedWith(things('agent', 'Bell', 'Ada-3', 'Ada-4'), agent)).toEqual(['left agent']);
    expect(judgedWith(things('agent', 'Bell'))).toEqual(['unnoticed']);
  });
});

it('grade C is a stream that broke off, was not asked for again, and whose test passed', () => {
  const chat = { operation: 'chat.completions', method: 'POST', isStream: true, events: 6 };
  const world = seen('chats', [chat]);
  const tried = found(triesAt({ ...(pointsIn(world)[0] as never as Try['point']), isPaid: true }, []), 'broken');
  const rules = fired(ruleOfTry(tried));
  const judged = (sent: Sent[], ended: Partial<typeof end> = {}): string[] =>
    judge(tried, baselineOf([world]), seen('chats', sent, { rules }), { ...end, ...ended }).consequences.map(
      ({ grade, kind }) => `${grade} ${kind}`,
    );
  const broken = { ...chat, fault: 'fault_1' };
  expect(judged([broken])).toEqual(['C cut off']);
  expect(judged([broken, chat])).toEqual([]);
  expect(judged([broken], { exitCode: 1, output: ' FAIL  a.test.ts > chats\nError: terminated' })).toEqual([
    'E failed',
  ]);
});

it('grade C is a change that failed, and whose test passed', () => {
  const change = { operation: 'agents.publish', method: 'POST' };
  const world = seen('publishes', [change]);
  const tried = found(triesAt(pointsIn(world)[0] as never, []), '503');
  const rules = fired(ruleOfTry(tried));
  const judged = (sent: Sent[]): string[] =>
    judge(tried, baselineOf([world]), seen('publishes', sent, { rules }), end).consequences.map(
      ({ grade, kind }) => `${grade} ${kind}`,
    );
  const refused = { ...change, status: 503, fault: 'fault_1' };
  expect(judged([refused])).toEqual(['C unnoticed']);
  expect(judged([refused, change])).toEqual([]);
});

it('a response that broke off and tells nothing but that it is done needs no reader', () => {
  const change = { operation: 'agents.publish', method: 'POST' };
  const world = seen('publishes', [change]);
  const tried = found(triesAt(pointsIn(world)[0] as never, []), 'cut');
  const cut = seen('publishes', [{ ...change, fault: 'fault_1' }], { rules: fired(ruleOfTry(tried)) });
  expect(judge(tried, baselineOf([world]), cut, end).consequences).toEqual([]);
});

it('one new key after 401 is what a client has to get', () => {
  const key = { operation: 'keys.create', status: 201 };
  const world = seen('keys', [{ operation: 'containers.list' }], {
    holdings: things('key', 'first'),
    neverMet: { 'containers.list': ['UNAUTHORIZED'] },
  });
  const tried = found(triesAt(pointsIn(world)[0] as never, []), 'UNAUTHORIZED');
  const rules = fired(ruleOfTry(tried));
  const judged = (...names: string[]): string[] =>
    judge(
      tried,
      baselineOf([world]),
      seen('keys', [key], { rules, holdings: things('key', 'first', ...names) }),
      end,
    ).consequences.map(({ kind }) => kind);
  expect(judged('renewed')).toEqual([]);
  expect(judged('renewed', 'renewed')).toEqual(['twice key']);
});

describe('a response that says other things', () => {
  const read = { operation: 'containers.get', shown: { status: '/data/status', url: '/data/url' } };
  const usual = seen('deploys', [create, read], { charged: 0.5, holdings: things('container', 'web') });
  const tried = found(triesAt(pointsIn(usual)[1] as never, []), 'unusual');
  const judged = (facts: Partial<SeenWorld>, output = '', sent: Sent[] = []) => {
    const requests = [create, { ...read, fault: 'fault_1' }, ...sent];
    const own = { charged: 0.5, holdings: usual.holdings, rules: fired(ruleOfTry(tried)), ...facts };
    const ended = { ...end, exitCode: output === '' ? 0 : 1, output };
    const { consequences } = judge(tried, baselineOf([usual, usual]), seen('deploys', requests, own), ended);
    return consequences.map(({ grade, kind }) => `${grade} ${kind}`);
  };
  const failing = (text: string): string => ` FAIL  a.test.ts > deploys\n${text}`;

  it('is no find where the client goes on, or the test says that it is not as expected', () => {
    expect(judged({})).toEqual([]);
    expect(judged({}, failing('AssertionError: expected [] to have a length of 1 but got +0'))).toEqual(['E failed']);
    expect(judged({ holdings: [] })).toEqual([]);
  });

  it('is one where the client cannot bear it, pays again or deletes what it keeps', () => {
    expect(judged({}, failing("TypeError: Cannot read properties of null (reading 'host')"))).toEqual(['D died']);
    expect(judged({ charged: 1 })).toEqual(['A spent']);
    const remove = { operation: 'containers.delete', method: 'DELETE', path: '/api/v1/containers/id-of-web' };
    expect(judged({ holdings: [] }, '', [remove])).toEqual(['A destroyed container']);
  });
});
