// How the expectations of a run are printed.

import { expect, it } from 'vitest';
import { judgementLines } from '../../src/cli/judged-worlds.js';

it('says of a rule that failed, and was allowed to, that it was', () => {
  const world = {
    world: 'default',
    label: null,
    scenario: 'lost-responses',
    ok: false,
    passed: 1,
    failed: 1,
    requests: 1,
    complete: true,
    expectations: [
      { what: 'verdict faults-all-fired', ok: true, expected: 'pass or fail', actual: 'fail', evidence: [] },
      { what: 'verdict streams-closed', ok: false, expected: 'pass', actual: 'fail', evidence: [] },
    ],
  };
  const lines = judgementLines({ ...world, worlds: [world] }).map((line) => [line].flat().at(-1));
  expect(lines).toEqual(expect.arrayContaining(['  fail, as it may', '  fail, expected pass']));
});
