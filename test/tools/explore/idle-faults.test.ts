// Why faults did not act, and what is said about it.

import { expect, it } from 'vitest';
import { ruleOfTry } from '../../../src/tools/explore/fault-kinds.js';
import { hintsOf, whyIdle } from '../../../src/tools/explore/idle-faults.js';
import { planOf } from '../../../src/tools/explore/queue.js';
import { ruleText } from '../../../src/tools/explore/seen.js';
import { found, pointsIn, seen } from '../../support/seen-worlds.js';

const world = seen('lists', [{ operation: 'containers.list' }]);
const refused = found(planOf(pointsIn(world), [], false).tries, '503');
const rule = ruleOfTry(refused);

it('a fault does not act where its world did not come, lost it, or got no request that it matches', () => {
  const armed = { id: 'fault_1', hits: 0, text: rule === undefined ? '' : ruleText(rule) };
  expect(whyIdle(refused, undefined)).toBe('no world');
  expect(whyIdle(refused, world)).toBe('taken away');
  expect(whyIdle(refused, { ...world, rules: [armed] })).toBe('no request');
});

it('each reason is said once, with what to do', () => {
  const hints = hintsOf(['no world', 'no world', 'taken away'], 2);
  expect(hints).toHaveLength(3);
  expect(hints[0]).toMatch(/^2 worlds came in one of the two runs without faults only\. Give .* a label/);
  expect(hints[1]).toMatch(/^2 faults did not act: their worlds did not come again\. Give .* a label/);
  expect(hints[2]).toMatch(/^1 fault did not act: their worlds lost them\./);
  expect(hintsOf([], 0)).toEqual([]);
});
