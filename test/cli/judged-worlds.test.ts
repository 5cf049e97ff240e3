// How the expectations of a run are printed.

import { expect, it } from 'vitest';
import { findingLines } from '../../src/cli/findings.js';
import { judged, judgementLines, judgements, together } from '../../src/cli/judged-worlds.js';

it('the judgement says of a rule that failed, and was allowed to, that it was', () => {
  const world = {
    world: 'default',
    label: null,
    scenario: 'lost-responses',
    ok: false,
    passed: 1,
    failed: 1,
    requests: 1,
    complete: true,
    reached: true,
    expectations: [
      {
        what: 'verdict faults-all-fired',
        ok: true,
        expected: 'pass or fail',
        actual: 'fail',
        seen: true,
        evidence: [],
      },
      { what: 'verdict streams-closed', ok: false, expected: 'pass', actual: 'fail', seen: true, evidence: [] },
    ],
  };
  const lines = judgementLines({ ...world, worlds: [world] }).map((line) => [line].flat().at(-1));
  expect(lines).toEqual(expect.arrayContaining(['fail, as it may', 'fail, expected pass']));
});

type Judged = Parameters<typeof judgements>[0][number]['judgement'];

const expectation = (what: string, expected: string, actual: string, seen: boolean) => ({
  what,
  ok: expected === actual,
  expected,
  actual,
  seen,
  evidence: [],
});

/** Worlds of one scenario, of which the clients of some deploy. */
const worldsOf = (all: [world: string, deployments: number, polls: 'pass' | 'fail' | 'not-exercised'][]) =>
  together(
    judgements(
      all.map(([world, count, polls]) => ({
        faults: [],
        judgement: {
          world,
          label: `test ${world}`,
          scenario: 'rough-day',
          ok: true,
          passed: 0,
          failed: 0,
          requests: 3,
          complete: true,
          reached: true,
          expectations: [
            expectation('verdict poll-interval-obeyed', 'pass', polls, polls !== 'not-exercised'),
            expectation('requests of containers.create', '2', String(count), count > 0),
            expectation('container *', 'running', count > 0 ? 'running' : 'gone', count > 0),
          ],
        } satisfies Judged,
      })),
    ).map((one) => judged(one, 'fail')),
  );

const printed = (report: ReturnType<typeof worldsOf>, hasFailed = false): string[] =>
  judgementLines(report, hasFailed).map((line) =>
    [line]
      .flat()
      .map((part) => (typeof part === 'string' ? part : part.text))
      .join('')
      .trim(),
  );

it('the judgement of a world leaves out what only others had, and has no more than a line for what passed', () => {
  const report = worldsOf([
    ['a', 2, 'pass'],
    ['b', 0, 'not-exercised'],
    ['c', 0, 'not-exercised'],
  ]);
  expect(report).toMatchObject({ ok: true, failed: 0, passed: 3 });
  expect(printed(report).filter((line) => line !== '')).toEqual([
    'World a of test a: All came as expected, in 3 requests',
    'World b of test b: All came as expected, in 3 requests',
    'World c of test c: All came as expected, in 3 requests',
  ]);
});

it('the judgement of a world does not call it well where the command failed', () => {
  const report = worldsOf([
    ['a', 2, 'pass'],
    ['b', 0, 'not-exercised'],
  ]);
  expect(printed(report, true).filter((line) => line !== '')).toEqual([
    'World a of test a: 3 requests',
    'World b of test b: 3 requests',
  ]);
});

it('the judgement names what no world had: nothing was tested then', () => {
  expect(worldsOf([['a', 0, 'not-exercised']])).toMatchObject({ ok: false, failed: 3 });
});

it('the judgement says once what failed in many worlds', () => {
  const report = worldsOf([
    ['a', 1, 'pass'],
    ['b', 1, 'pass'],
    ['c', 1, 'pass'],
    ['d', 1, 'pass'],
    ['e', 2, 'fail'],
  ]);
  expect(report.failed).toBe(5);
  const lines = printed(report).filter((line) => line !== '');
  expect(lines.slice(0, 2)).toEqual([
    'fail  requests of containers.create  1, expected 2',
    'In 4 worlds: a (test a), b (test b), c (test c) and 1 more.',
  ]);
  expect(lines.slice(-2)).toEqual([
    'World e of test e: 1 of 3 expectations failed, in 3 requests',
    'fail  verdict poll-interval-obeyed  fail, expected pass',
  ]);
});

it('the evidence that is not shown is counted, also what the emulator has not listed', () => {
  const evidence = [...Array.from({ length: 20 }, (_, index) => `poll ${index}`), 'and 4 more'];
  const said = (lines: readonly string[]): unknown => {
    const found = findingLines([{ rule: 'poll-interval-obeyed', result: 'fail', says: '24 of 24', evidence: lines }]);
    return [found.at(-1)].flat().at(-1);
  };
  expect(said(evidence)).toContain('and 20 more (--json shows them)');
  expect(said(evidence.slice(0, -1))).toContain('and 16 more (--json shows them)');
  expect(said(evidence.slice(0, 5))).toContain('poll 4');
});
