// Whom explore blames: a correct client that passes an error on is none, and what a careless one swallows is told.

import { describe, expect, it } from 'vitest';
import { baselineOf } from '../../../src/tools/explore/baseline.js';
import { ruleOfTry, type Try, triesAt } from '../../../src/tools/explore/fault-kinds.js';
import { findOf, groupsOf, type Tried } from '../../../src/tools/explore/finds.js';
import { judge, type RunEnd } from '../../../src/tools/explore/judge.js';
import { failureIn, signsOf } from '../../../src/tools/explore/output.js';
import { ruleText, type SeenWorld } from '../../../src/tools/explore/seen.js';
import { fired, found, passedRun, pointsIn, type Sent, seen, things } from '../../support/seen-worlds.js';

const reset = signsOf({ network: 'reset' });
const cut = signsOf({ network: 'truncate' });

/** What pytest prints with its usual traceback: the source of each frame names errors that never happened. */
const pytest = (...said: string[]): string =>
  [
    '___________________________ test_deploys ___________________________',
    '        # complains about UnboundLocalError.',
    '>       raise exception',
    'E       ConnectionResetError: [Errno 104] Connection reset by peer',
    '',
    '/lib/python3.11/socket.py:706: ConnectionResetError',
    '',
    'During handling of the above exception, another exception occurred:',
    '',
    '        except AttributeError:',
    '>       answer = cloud.get()',
    ...said,
    '=========================== short test summary info ============================',
    'FAILED test_shop.py::test_deploys - it failed',
    '========================= 1 failed in 0.06s =========================',
  ].join('\n');

const unittest = (last: string): string =>
  [
    '======================================================================',
    'ERROR: test_deploys (test_shop.Shop.test_deploys)',
    '----------------------------------------------------------------------',
    'Traceback (most recent call last):',
    '  File "/lib/python3.11/http/client.py", line 1289, in endheaders',
    '    raise AttributeError if self.__state else KeyError',
    'ConnectionResetError: [Errno 104] Connection reset by peer',
    '',
    'The above exception was the direct cause of the following exception:',
    '',
    'Traceback (most recent call last):',
    '  File "/tests/test_shop.py", line 8, in test_deploys',
    '    raise cloud.error from KeyError',
    last,
    '',
    '----------------------------------------------------------------------',
    'Ran 1 test in 0.032s',
  ].join('\n');

describe('a connection error that reaches the test is the platform’s', () => {
  it.each([
    [
      'pytest, raw',
      pytest("E       requests.exceptions.ConnectionError: ('Connection aborted.', ConnectionResetError(104))"),
    ],
    ['pytest, wrapped', pytest('E       shop.CloudError: the shop was not deployed')],
    ['unittest, wrapped', unittest('test_shop.CloudError: the shop was not deployed')],
    [
      'node:test, a typed error with its cause',
      '✖ test deploys (3ms)\n  Error [CloudError]: the shop was not deployed\n    [cause]: TypeError: fetch failed\n',
    ],
    ['node:test on Node 20, an abort from another process', '✖ test deploys (3ms)\n  {}\n'],
    ['axios', '✖ test deploys (3ms)\n  CloudError: the shop was not deployed (ERR_BAD_RESPONSE)\n'],
    ['curl 52', 'test_deploys FAILED\ncurl: (52) Empty reply from server\n'],
    ['httpx', '✖ test deploys\nhttpx.RemoteProtocolError: Server disconnected without sending a response.\n'],
    ['a page in Chromium', '✖ test deploys\nTypeError: Failed to fetch\n'],
  ])('%s', (_, output) => {
    expect(failureIn(output, 'test-deploys-11111111', reset)).toBe('platform');
  });

  it('also where the answer was cut off', () => {
    expect(failureIn('curl: (18) transfer closed with 537 bytes remaining to read\n', 'default', cut)).toBe('platform');
    expect(failureIn('✖ deploys\nAxiosError: stream has been aborted\n', 'deploys-11111111', cut)).toBe('platform');
    // `curl -sf` says nothing: that does not show that the client did wrong.
    expect(failureIn('', 'default', cut)).toBe('platform');
  });

  it('but not where the client fell over it', () => {
    const typeError = "TypeError: 'NoneType' object is not subscriptable";
    expect(failureIn(pytest(`E       ${typeError}`), 'test-deploys-11111111', reset)).toBe('other');
    expect(failureIn(unittest("AttributeError: 'NoneType' object has no attribute 'id'"), 'default', reset)).toBe(
      'other',
    );
    expect(failureIn(pytest('E       assert 0 == 1'), 'test-deploys-11111111', signsOf({ status: 503 }))).toBe('other');
  });
});

it('a test that a rule of the emulator fails has no error of its own', () => {
  const said = 'AssertionError: Not as expected:\n  verdict no-duplicate-create: 1 of 1 repeats a creation\n';
  expect(failureIn(`✖ deploys\n${said}`, 'deploys-11111111', reset)).toBe('verdict');
  const ofItsOwn = 'AssertionError: Not as expected:\n  verdict faults-all-fired: 1 of 2 faults never fired\n';
  expect(failureIn(`✖ deploys\n${ofItsOwn}`, 'deploys-11111111', reset)).toBe('verdict');
});

const create = { operation: 'agents.create', status: 201 };
const get = { operation: 'agents.get' };
const remove = { operation: 'agents.delete', method: 'DELETE' };
const world = seen('agents', [create, get, remove]);
const end = passedRun('agents');
const early = { exitCode: 1, output: ' FAIL  a.test.ts > agents\nError: 503 SERVICE_UNAVAILABLE' };

function tryAt(of: SeenWorld, operation: string, id: string): Try {
  const point = pointsIn(of).find((one) => one.operation === operation);
  return found(triesAt(point as never, []), id);
}

function consequencesOf(
  tried: Try,
  sent: readonly Sent[],
  facts: Partial<SeenWorld> = {},
  ended: Partial<RunEnd> = {},
  base: SeenWorld = world,
) {
  const there = seen(base.label, sent, { rules: fired(ruleOfTry(tried)), ...facts });
  return judge(tried, baselineOf([base, base]), there, { ...end, ...ended }).consequences;
}
const textsOf = (...given: Parameters<typeof consequencesOf>): string[] =>
  consequencesOf(...given).map(({ grade, kind }) => `${grade} ${kind}`);

describe('what a test leaves behind', () => {
  const refused = { ...get, status: 503, happened: false, fault: 'fault_1' };
  const holdings = things('agent', 'Ada');

  it('is A where it passed, C where it ended early, and nothing where a fault refused the deletion', () => {
    const tried = tryAt(world, 'agents.get', '503');
    expect(textsOf(tried, [create, refused], { holdings })).toEqual(['A left agent']);
    expect(textsOf(tried, [create, refused], { holdings }, early)).toEqual(['C left agent', 'E failed']);
    const refusedToo = { ...remove, status: 503, happened: false, fault: 'fault_1' };
    expect(textsOf(tried, [create, refused, refusedToo], { holdings }, early)).toEqual(['E left agent', 'E failed']);
  });

  it('is not excused by an outage of another operation', () => {
    const tried = tryAt(world, 'agents.get', 'outage');
    expect(textsOf(tried, [create, refused], { holdings }, early)).toEqual(['C left agent', 'E failed']);
  });

  it('is one finding for each test, whichever fault ended it', () => {
    const results = (['503', 'reset'] as const).flatMap((id) =>
      ['agents.create', 'agents.get'].map((operation): Tried => {
        const tried = tryAt(world, operation, id);
        const sent = [create, { ...refused, operation }];
        const there = seen('agents', sent, { holdings, rules: fired(ruleOfTry(tried)) });
        const consequences = consequencesOf(tried, sent, { holdings }, { ...early, output: 'ECONNRESET 503' });
        return { tried, seen: there, consequences, reaction: `${operation} ${id}`, output: [], places: [] };
      }),
    );
    const groups = groupsOf(results).map((group) => findOf(group));
    expect(groups.map((find) => [find?.grade, find?.consequences[0]?.kind])).toEqual([['C', 'left agent']]);
  });
});

describe('what nobody notices', () => {
  it('is a refused creation that is deleted later all the same', () => {
    const tried = tryAt(world, 'agents.create', '503');
    const refused = { ...create, status: 503, happened: false, fault: 'fault_1' };
    const gone = { ...remove, status: 404, errorCode: 'NOT_FOUND', happened: false };
    expect(textsOf(tried, [refused, get, gone])).toEqual(['C unnoticed']);
    expect(textsOf(tried, [refused, create, get, remove])).toEqual([]);
  });

  it('is a read whose 401 is swallowed, not one that a client can do without for a while', () => {
    const balance = { operation: 'account.balance' };
    const reads = seen('agents', [balance], { neverMet: { 'account.balance': ['UNAUTHORIZED'] } });
    const refused = (status: number) => ({ ...balance, status, happened: false, fault: 'fault_1' });
    const under = (id: string, sent: Sent[], ended = {}): string[] =>
      textsOf(tryAt(reads, 'account.balance', id), sent, {}, ended, reads);
    expect(under('UNAUTHORIZED', [refused(401)])).toEqual(['C unnoticed']);
    expect(under('UNAUTHORIZED', [refused(401), { operation: 'auth.login' }, balance])).toEqual([]);
    expect(under('503', [refused(503)])).toEqual([]);
    const told = { exitCode: 1, output: ' FAIL  a.test.ts > agents\nError: 401 UNAUTHORIZED' };
    expect(under('UNAUTHORIZED', [refused(401)], told)).toEqual(['E failed']);
  });

  it('is half a stream of an agent, too', () => {
    const talk = { operation: 'hostedAgents.stream', method: 'POST', isStream: true, events: 6 };
    const talks = seen('agents', [talk]);
    const [point] = pointsIn(talks);
    const tried = found(triesAt({ ...(point as Try['point']), writes: true, changes: true }, []), 'broken');
    const broken = { ...talk, fault: 'fault_1' };
    expect(textsOf(tried, [broken], {}, {}, talks)).toEqual(['C cut off']);
  });

  it('is money that was paid by card a second time', () => {
    const pay = { operation: 'credits.payCheckout', method: 'POST' };
    const paid = seen('agents', [pay], { paid: 25 });
    const [point] = pointsIn(paid);
    const tried = found(triesAt({ ...(point as Try['point']), writes: true }, []), 'lost');
    const lost = { ...pay, status: 0, happened: true, fault: 'fault_1' };
    const says = consequencesOf(tried, [lost, pay], { paid: 50 }, {}, paid).map(
      ({ grade, says }) => `${grade} ${says}`,
    );
    expect(says).toEqual(['A It paid $50 in USDC or by card; without the fault $25.']);
  });
});

describe('a client that is still trying when the time of its test is over', () => {
  const list = { operation: 'containers.list' };
  const lists = seen('agents', [list]);
  const tried = tryAt(lists, 'containers.list', 'outage');
  const isOver = { exitCode: 1, output: ' FAIL  a.test.ts > agents\nError: Test timed out in 5000ms.' };
  const attemptsAt = (...times: number[]): Sent[] =>
    times.map((at) => ({ ...list, at, status: 503, happened: false, fault: 'fault_1' }));

  it('has a test that is too short, if its waits grow', () => {
    const [one, ...others] = consequencesOf(tried, attemptsAt(0, 500, 1_500, 3_500), {}, isOver, lists);
    expect(others).toEqual([]);
    expect(one).toMatchObject({ grade: 'E', kind: 'short limit' });
    expect(one?.says).toBe(
      'The time limit of its test is shorter than its client’s retries: 4 attempts, with waits of 0.5, 1.0, 2.0 s.',
    );
  });

  it('never ends, if they do not', () => {
    expect(textsOf(tried, attemptsAt(0, 1_000, 2_000, 3_000, 4_000), {}, isOver, lists)).toEqual(['B hung']);
  });

  it('never ends, if it sends nothing more for much longer than its last wait', () => {
    const killed = { isTimeout: true, exitCode: 137, open: new Set(['agents']) };
    const sent = attemptsAt(0, 500, 1_500, 3_500);
    const at = (killedAt: number) => textsOf(tried, sent, { to: 3_600 }, { ...killed, killedAt }, lists);
    expect([at(6_000), at(36_000)]).toEqual([['E short limit'], ['B hung']]);
  });
});

it('an error in a response of 200 is tried only where the platform says it so, and only in full', () => {
  const talks = seen('agents', [{ operation: 'hostedAgents.bridge', method: 'POST' }, create]);
  const [bridge, made] = pointsIn(talks).map((point) => triesAt({ ...point, writes: true }, []));
  expect(found(bridge ?? [], 'ok-error').kind.isAlike).toBe(true);
  expect(made?.some(({ kind }) => kind.id === 'ok-error')).toBe(false);
  expect(ruleText(ruleOfTry(found(bridge ?? [], 'ok-error')) as never)).toContain('jsonrpc');
});
