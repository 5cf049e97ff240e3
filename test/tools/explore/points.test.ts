// Points, the faults at them, and which of them stand for others.

import { describe, expect, it } from 'vitest';
import { baselineOf } from '../../../src/tools/explore/baseline.js';
import { additionOf, ruleOfTry, triesAt, tryId } from '../../../src/tools/explore/fault-kinds.js';
import { judge } from '../../../src/tools/explore/judge.js';
import { nameOf, pointsOf } from '../../../src/tools/explore/points.js';
import { nextBatch, pairsOf, planOf } from '../../../src/tools/explore/queue.js';
import { ruleText } from '../../../src/tools/explore/seen.js';
import { declared, found, passedRun, pointsIn, type Sent, seen } from '../../support/seen-worlds.js';

const create = { operation: 'containers.create', status: 202 };
const list = { operation: 'containers.list' };
const kindsAt = (point: Parameters<typeof triesAt>[0]): string[] => triesAt(point, ['oom']).map(({ kind }) => kind.id);

describe('points', () => {
  it('leave alone what differs between two runs without faults', () => {
    const first = seen('a', [list, create, { ...list, status: 503 }]);
    const second = seen('a', [list, create, list, list]);
    const { points, unstable } = pointsOf([first, seen('b', [list])], [second], declared);
    expect(points.map(nameOf)).toEqual(['a containers.list 1', 'a containers.create 1']);
    expect(unstable.sort()).toEqual(['a containers.list 2', 'a containers.list 3', 'b containers.list 1']);
  });

  it('are counted as fault rules count: neither what a limit refuses nor what another rule takes', () => {
    const limited = { ...list, status: 429, errorCode: 'RATE_LIMITED' };
    const points = pointsIn(seen('a', [limited, { ...list, fault: 'fault_1' }, { ...list, status: 404 }, list]));
    expect(points.map(({ occurrence, success, index }) => [occurrence, success, index])).toEqual([
      [1, undefined, 2],
      [2, 1, 3],
    ]);
  });
});

describe('faults at a point', () => {
  it('lose the answers of writes, damage those of reads, and stall streams', () => {
    const [write, read, stream] = pointsIn(
      seen('a', [create, list, { operation: 'containers.streamLogs', isStream: true }]),
    );
    const before = ['429', '503', '500', 'reset'];
    const after = ['502', '504', 'lost', 'cut'];
    expect(kindsAt(write as never)).toEqual([...before, ...after, 'oom', 'restart', 'outage', 'unheard']);
    expect(kindsAt(read as never)).toEqual([...before, '502', 'cut', 'malformed', 'outage', 'hang']);
    expect(kindsAt(stream as never)).toEqual([...before, 'broken', 'stalled', 'buffered', 'outage', 'hang']);
  });

  it('break a stream in its middle, for which its other places are taken as alike', () => {
    const points = pointsIn(seen('a', [{ operation: 'containers.streamLogs', isStream: true, events: 7 }]));
    const placesOf = (full: boolean): unknown[] =>
      planOf(points, [], full).tries.flatMap(({ kind }) =>
        kind.phase === 'partial' ? [[kind.id, kind.effect?.afterEvents]] : [],
      );
    expect(placesOf(false)).toEqual([
      ['broken', 3],
      ['stalled', 3],
    ]);
    expect(placesOf(true)).toEqual([
      ['broken', 3],
      ['broken-first', 1],
      ['broken-last', 6],
      ['stalled', 3],
      ['stalled-first', 1],
      ['stalled-last', 6],
    ]);
    expect(planOf(points, [], false).merged).toBe(6);
  });

  it('change the response of a read that shows a status or a URL, once for each operation', () => {
    const shown = { status: '/data/status', url: '/data/url' };
    const get = { operation: 'containers.get', shown };
    const points = pointsIn(seen('a', [create, get, get, get, { ...list, shown: { status: '/data/0/status' } }]));
    const { tries } = planOf(points, [], false);
    const unusual = tries.filter(({ kind }) => kind.id === 'unusual');
    expect(unusual.map(({ kind, point }) => [nameOf(point), kind.says, kind.effect])).toEqual([
      [
        'a containers.get 1',
        'gets an unknown status (archived), null for its URL and a further field',
        { set: { '/data/status': 'archived', '/data/url': null, '/data/annotations': { tier: 'gold' } } },
      ],
      [
        'a containers.list 1',
        'gets an unknown status (archived) and a further field',
        { set: { '/data/0/status': 'archived', '/data/0/annotations': { tier: 'gold' } } },
      ],
    ]);
    expect(ruleOfTry(unusual[0] as never)).toMatchObject({ when: { nth: 1 }, phase: 'after' });
    expect(pairsOf([{ tried: unusual[0] as never, seen: seen('a', [create, get]) }], declared)).toEqual([]);
  });

  it('with --full let a list lag behind, and refuse bodies as too large', () => {
    const points = pointsIn(
      seen('a', [
        { ...create, shape: '{name:s}' },
        { ...list, shown: { ownList: '/data' } },
      ]),
    );
    const kindsWith = (full: boolean): string[] => planOf(points, [], full).tries.map(({ kind }) => kind.id);
    expect(kindsWith(false).filter((id) => ['413', 'stale'].includes(id))).toEqual([]);
    expect(kindsWith(true)).toEqual(expect.arrayContaining(['413', 'stale']));
    const late = found(triesAt(points[1] as never, []), 'stale');
    expect(ruleOfTry(late)).toMatchObject({ phase: 'after', effect: { set: { '/data': [] } } });
    const without = pointsIn(
      seen('a', [
        { ...create, shape: '?force ' },
        { ...create, shape: '' },
      ]),
    );
    expect(without.flatMap(kindsAt)).not.toContain('413');
  });

  it('count successes where they act after the operation', () => {
    const [, second] = pointsIn(seen('a', [{ ...create, status: 409 }, create]));
    const tries = triesAt(second as never, ['oom']);
    expect(additionOf(found(tries, '503'))).toMatchObject({ faults: [{ when: { nth: 2 }, phase: 'before' }] });
    expect(additionOf(found(tries, 'lost'))).toMatchObject({ faults: [{ when: { nth: 1 }, phase: 'after' }] });
    expect(additionOf(found(tries, 'oom'))).toEqual({ containers: [{ match: { deployment: 1 }, mode: 'oom' }] });
    expect(additionOf(found(tries, 'outage'))).toMatchObject({ faults: [{ when: { after: 1 } }] });
  });

  it('last as long as what they stand for: for a key, for an operation, for five requests of any kind', () => {
    const neverMet = { 'containers.create': ['UNAUTHORIZED', 'INSUFFICIENT_CREDITS'] };
    const own = { caller: 'key 2', keyId: 'key-of-two' };
    const points = pointsIn(seen('a', [list, { ...list, ...own }, { ...create, ...own }], { neverMet }));
    const tries = triesAt(points[2] as never, []);
    expect(ruleOfTry(found(tries, 'UNAUTHORIZED'))).toMatchObject({ match: { key: 'key-of-two' }, when: { after: 1 } });
    expect(ruleOfTry(found(tries, 'INSUFFICIENT_CREDITS'))).toMatchObject({
      match: { operation: 'containers.create' },
      when: { after: 0 },
    });
    expect(ruleOfTry(found(tries, 'restart'))).toMatchObject({ match: {}, when: { after: 2, times: 5 } });
  });

  it('refuse connections from the response before on, where one came whole and the request follows at once', () => {
    const [, deploy] = pointsIn(seen('a', [list, create]));
    expect(ruleOfTry(found(triesAt(deploy as never, []), 'refused'))).toMatchObject({
      match: { operation: 'containers.list' },
      when: { nth: 1 },
      phase: 'after',
      effect: { network: 'refuse' },
    });
    const befores: Sent[][] = [
      [],
      [{ ...list, status: 404 }],
      [{ ...list, isStream: true }],
      [{ ...list, durationMs: 20 }],
      [{ ...list, at: -1_000 }],
    ];
    for (const before of befores)
      expect(kindsAt(pointsIn(seen('a', [...before, { ...create, at: 10 }])).at(-1) as never)).not.toContain('refused');
  });

  it('meet all callers where the key of a request is another one in each run', () => {
    const neverMet = { 'containers.create': ['UNAUTHORIZED'] };
    const run = (keyId: string) => seen('a', [list, { ...create, keyId }], { neverMet });
    const { points } = pointsOf([run('one')], [run('two')], declared);
    expect(ruleOfTry(found(triesAt(points[1] as never, []), 'UNAUTHORIZED'))).toMatchObject({
      match: {},
      when: { after: 1 },
    });
  });

  it('take declared errors that no world has met', () => {
    const neverMet = { 'containers.create': ['CONFLICT', 'QUOTA_EXCEEDED', 'VALIDATION_ERROR'] };
    const refused = { ...create, status: 409, errorCode: 'CONFLICT' };
    const [point] = pointsIn(seen('a', [create], { neverMet }), seen('b', [refused]));
    expect(kindsAt(point as never)).toContain('QUOTA_EXCEEDED');
    expect(kindsAt(point as never)).not.toContain('CONFLICT');
    expect(kindsAt(point as never)).not.toContain('VALIDATION_ERROR');
  });
});

describe('the plan', () => {
  it('tries the first and the last of equal reads in a row, and each in full', () => {
    const poll = { operation: 'containers.get' };
    const points = pointsIn(seen('a', [create, poll, poll, poll, poll]));
    const { tries } = planOf(points, [], false);
    const tried = tries.filter(({ kind, point }) => kind.id === '503' && point.operation === 'containers.get');
    expect(tried.map(({ point }) => point.occurrence)).toEqual([1, 2, 4]);
    expect(planOf(points, [], true).tries.length).toBeGreaterThan(tries.length);
  });

  it('takes failures of deployments as one where the client is gone before any of them shows', () => {
    const modesTried = (hasDeployed: boolean): number =>
      planOf(pointsIn(seen('a', [create], { hasDeployed })), [['oom'], ['exec']], false).tries.filter(
        ({ stage }) => stage === 'deployments',
      ).length;
    expect([modesTried(true), modesTried(false)]).toEqual([2, 1]);
  });

  it('begins beside what has met a fault, which is where an incident was', () => {
    const lost = { ...create, status: 0, fault: 'fault_1', happened: true };
    const balance = { operation: 'account.balance' };
    const { tries } = planOf(pointsIn(seen('a', [balance, list, lost, list, balance, create])), [], false);
    const waiting = tries.filter(({ stage }) => stage !== 'hangs').map(({ point }) => nameOf(point));
    const beside = ['a containers.create 1', 'a containers.list 1', 'a containers.list 2'];
    const others = waiting.findIndex((name) => name.includes('account.balance'));
    expect(new Set(waiting.slice(0, others))).toEqual(new Set(beside));
    expect(new Set(waiting.slice(others))).toEqual(new Set(['a account.balance 1', 'a account.balance 2']));
  });

  it('begins with money, ends with hangs, and puts one fault into each world of a run', () => {
    const { tries } = planOf(pointsIn(seen('a', [list, create]), seen('b', [list, create])), [['oom', 'exec']], false);
    expect(tries[0]).toMatchObject({ stage: 'money', point: { label: 'a' } });
    expect(tries.at(-1)).toMatchObject({ stage: 'hangs' });
    const waiting = tries.filter(({ stage }) => stage !== 'hangs');
    const quick = waiting.length;
    const batches = [];
    while (waiting.length > 0) {
      const batch = nextBatch(waiting, 2);
      for (const one of batch) waiting.splice(waiting.indexOf(one), 1);
      batches.push(batch);
    }
    expect(batches.every((batch) => new Set(batch.map(({ point }) => point.label)).size === batch.length)).toBe(true);
    // A run that refuses connections has no other fault, and is made once for each operation.
    const alone = batches.filter((batch) => batch.some(({ kind }) => kind.id === 'refused'));
    expect(alone.map((batch) => batch.map(({ point }) => point.label))).toEqual([['a']]);
    expect(batches.length).toBe(1 + (quick - 1) / 2);
    // Requests that are alike in both worlds hang alike.
    expect(tries.filter(({ stage }) => stage === 'hangs').map(({ point }) => point.label)).toEqual(['a', 'a']);
    // Tests run one after the other here: one that hangs would keep the others from their faults.
    expect(nextBatch(tries, 1)).toEqual(tries.slice(0, 1));
  });
});

describe('pairs', () => {
  const world = seen('a', [create]);
  const [point] = pointsIn(world);
  const tries = triesAt(point as never, []);
  const lost = { ...create, status: 0, happened: true, fault: 'fault_1' };

  it('put a second fault only on requests that the first one has caused, one for each class', () => {
    const under = (sent: Parameters<typeof seen>[1], kind: string) => ({
      tried: found(tries, kind),
      seen: seen('a', sent),
    });
    const refused = { ...create, status: 503, errorCode: 'SERVICE_UNAVAILABLE', happened: false, fault: 'fault_1' };
    expect(pairsOf([under([lost], 'lost')], declared)).toEqual([]);
    const pairs = pairsOf(
      [under([refused, create], '503'), under([refused, create], '503'), under([lost, list], 'lost')],
      declared,
    );
    expect(pairs.map(tryId)).toEqual([
      ...['429', '503', 'reset', '502', '504', 'lost', 'cut'].map(
        (kind) => `a containers.create 1 503 then containers.create 1 ${kind}`,
      ),
      ...['429', '503', 'reset', '502', 'cut', 'malformed'].map(
        (kind) => `a containers.create 1 lost then containers.list 1 ${kind}`,
      ),
    ]);
    expect(additionOf(pairs[1] as never)).toMatchObject({ faults: [{ when: { nth: 1 } }, { when: { nth: 1 } }] });
  });

  it('are met only when both faults fired, alike as they may be', () => {
    const first = found(tries, '503');
    const pair = { ...first, first };
    const rule = ruleText(ruleOfTry(first) as never);
    const judged = (hits: number) => {
      const rules = [
        { id: 'fault_1', hits: 1, text: rule },
        { id: 'fault_2', hits, text: rule },
      ];
      return judge(pair, baselineOf([world]), seen('a', [create], { rules }), passedRun('a')).met;
    };
    expect([judged(0), judged(1)]).toEqual([false, true]);
  });
});
