// Findings: one for each cause, with the tests in which it occurs and the other faults that show the same.

import { describe, expect, it } from 'vitest';
import { baselineOf, reactionOf } from '../../../src/tools/explore/baseline.js';
import { triesAt } from '../../../src/tools/explore/fault-kinds.js';
import { findOf, groupsOf, scenarioOfFind, type Tried } from '../../../src/tools/explore/finds.js';
import { found, pointsIn, type Sent, seen, things } from '../../support/seen-worlds.js';

const list = { operation: 'containers.list' };
const refused = { ...list, status: 503, errorCode: 'SERVICE_UNAVAILABLE', happened: false, fault: 'fault_1' };
const died = { grade: 'D' as const, kind: 'died', says: 'It died.', advice: '' };

/** A test that sends the list and something else, and what it did after a fault at the list. */
function tried(label: string, id: string, sent: Sent[], usual: Sent[] = [list]): Tried {
  const plain = seen(label, usual);
  const one = found(triesAt(pointsIn(plain)[0] as never, []), id);
  const world = seen(label, sent, { test: `a.test.ts > ${label}` });
  const reaction = reactionOf(world, baselineOf([plain]));
  return { tried: one, consequences: [died], seen: world, reaction, output: [], places: [] };
}

const findsOf = (...all: Tried[]) => groupsOf(all).map((group) => findOf(group));

describe('one cause', () => {
  it('is one finding, with the names of its tests, whatever they do afterwards', () => {
    const account = { operation: 'account.balance' };
    const finds = findsOf(
      tried('b', '503', [refused, account], [list, account]),
      tried('a', '503', [refused]),
      tried('a', '429', [{ ...refused, status: 429 }]),
    );
    expect(finds).toMatchObject([
      { fault: '429', label: 'a', tests: ['a.test.ts > a', 'a.test.ts > b'], also: ['503 (1)'] },
    ]);
  });

  it('is another one where the client did something else', () => {
    const finds = findsOf(tried('a', '503', [refused]), tried('a', 'reset', [{ ...refused, status: 0 }, list]));
    expect(finds.map((find) => [find?.fault, find?.also])).toEqual([
      ['503', []],
      ['reset', []],
    ]);
  });
});

describe('what shows the same cause', () => {
  const verdict = { grade: 'C' as const, kind: 'verdict no-duplicate-create', says: 'It repeated it.', advice: '' };
  const spent = { ...verdict, grade: 'A' as const, kind: 'spent' };
  const again = [{ ...refused, status: 0 }, list];

  it('is a part of the finding: a verdict of what has come of it, and a fault that lasts of one that comes once', () => {
    const lost = { ...tried('a', 'cut', again), consequences: [spent, verdict] };
    const reset = { ...tried('a', 'reset', again), consequences: [verdict] };
    const outage = { ...tried('b', 'outage', [refused, refused, list]), consequences: [spent] };
    expect(findsOf(outage, reset, lost)).toMatchObject([
      { grade: 'A', fault: 'cut', tests: ['a.test.ts > a', 'a.test.ts > b'], also: ['reset (1)', 'outage'] },
    ]);
  });

  it('is a finding of its own where nothing else shows it', () => {
    const outage = { ...tried('b', 'outage', [refused, refused, list]), consequences: [spent] };
    const slow = { ...tried('a', '429', again), consequences: [{ ...verdict, kind: 'verdict retry-after-obeyed' }] };
    expect(findsOf(outage, slow).map((find) => find?.fault)).toEqual(['outage', '429']);
  });
});

it('the scenario of a finding expects the figures without the fault, or an error where nobody noticed it', () => {
  const base = baselineOf([seen('a', [list], { charged: 0.5, holdings: things('agent', 'Ada', 'Ada') })]);
  const one = tried('a', '503', [refused]);
  const expected = (...kinds: string[]) => {
    const consequences = kinds.map((kind) => ({
      ...died,
      grade: 'A' as const,
      kind,
      things: [{ kind: 'agent' as const, name: 'Ada' }],
    }));
    const find = findOf([{ ...one, consequences }]);
    const context = {
      command: 'npm test',
      seed: '1',
      limitMs: 1,
      scenario: {},
      bases: new Map([['a', base]]),
      worldPerTest: false,
    };
    return scenarioOfFind(one.tried, find as never, base, context).worlds?.a?.expect;
  };
  expect(expected('spent', 'destroyed agent')).toEqual({
    credits: { charged: { max: 0.5 } },
    holdings: [{ kind: 'agent', name: 'Ada', min: 2 }],
  });
  expect(expected('unnoticed')).toEqual({ holdings: [{ kind: 'agent', name: 'Ada', min: 2, orFails: true }] });
  expect(expected('twice agent')).toEqual({ holdings: [{ kind: 'agent', name: 'Ada', max: 2 }] });
  expect(expected('cut off')).toEqual({ requests: [{ operation: 'containers.list', min: 2, orFails: true }] });
});
