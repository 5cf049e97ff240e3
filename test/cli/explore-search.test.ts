// The search, over worlds whose client is played by a function.

import { expect, it } from 'vitest';
import { createReruns } from '../../src/cli/explore/confirm.js';
import type { Once } from '../../src/cli/explore/once.js';
import { type Search, type SearchOptions, search } from '../../src/cli/explore/search.js';
import { baselineOf } from '../../src/tools/explore/baseline.js';
import type { Try } from '../../src/tools/explore/fault-kinds.js';
import { planOf } from '../../src/tools/explore/queue.js';
import { ruleText, type SeenWorld } from '../../src/tools/explore/seen.js';
import { declared, pointsIn, type Sent, seen } from '../support/seen-worlds.js';

type Rule = { match: { operation: string }; when: { nth?: number; after?: number }; phase: string; effect: object };

const list = { operation: 'containers.list' };
const balance = { operation: 'account.balance' };
const base = [seen('once', [list]), seen('twice', [balance])];

function onceOf(worlds: readonly SeenWorld[], part: Partial<Once> = {}): Once {
  const map = new Map(worlds.map((world) => [world.label, world]));
  return {
    exitCode: 0,
    isTimeout: false,
    output: '',
    seconds: 0.1,
    gapMs: 50,
    worlds: map,
    open: new Set(),
    stuck: new Set(),
    separated: 0,
    receipts: [],
    ...part,
  };
}

/** The view of a world whose rules have fired. */
function met(label: string, sent: readonly Sent[], rules: readonly Rule[]): SeenWorld {
  return seen(label, sent, {
    rules: rules.map((rule, index) => ({ id: `fault_${index + 1}`, hits: 1, text: ruleText(rule) })),
  });
}

/** A client of which one test gives up, and the other one tries again once. */
const play = (worlds: Record<string, object>): Once =>
  onceOf(
    base.map((world) => {
      const rules = (worlds[world.label] as { faults?: Rule[] } | undefined)?.faults ?? [];
      const { operation } = world.requests[0] as { operation: string };
      const refused = { operation, status: 503, fault: 'fault_1' };
      if (rules.length === 0) return world;
      return met(world.label, world.label === 'once' ? [refused] : [refused, { operation }], rules);
    }),
  );

const searchWith = (options: Partial<SearchOptions>): Promise<Search> =>
  search({
    baseline: [onceOf(base), onceOf(base)],
    tries: planOf(pointsIn(...base), [], false).tries,
    run: (worlds) => Promise.resolve(play(worlds)),
    plain: [onceOf(base)],
    depth: 1,
    full: false,
    declared,
    jobs: 1,
    isOver: () => false,
    onProgress: () => {},
    ...options,
  });

const outagesOf = ({ results }: Search): string[] =>
  results.filter(({ tried }) => tried.kind.id === 'outage').map(({ tried }) => tried.point.label);

it('the search takes an outage for one 503 where the client sends nothing after that', async () => {
  const pruned = await searchWith({});
  expect([outagesOf(pruned), pruned.merged]).toEqual([['twice'], 1]);
  const whole = await searchWith({ full: true });
  expect([outagesOf(whole), whole.merged]).toEqual([['once', 'twice'], 0]);
});

it('the search names all that it had no time for, whatever list it was in', async () => {
  const { tries } = planOf(pointsIn(...base), [], false);
  for (let most = 0; most < 90; most += 4) {
    let runs = 0;
    const { results, notTried, merged } = await searchWith({
      tries,
      isOver: () => runs >= most,
      run(worlds) {
        runs++;
        // Beside others it is unclear what a fault did, so that it is tried again, and by itself.
        const once = play(worlds);
        return Promise.resolve(Object.keys(worlds).length > 1 ? { ...once, worlds: new Map(), exitCode: 1 } : once);
      },
    });
    expect(results.length + notTried.length + merged).toBe(tries.length);
  }
});

it('a finding has its name from the first fault of the plan that shows it, and the others in order, whichever run ends first', async () => {
  const reports: string[] = [];
  for (const slow of [0, 1, 2, 3]) {
    let runs = 0;
    const { finds } = await searchWith({
      jobs: 6,
      async run(worlds) {
        const turns = runs++ % 4 === slow ? 20 : 1;
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        const once = play(worlds);
        return {
          ...once,
          exitCode: 1,
          output: 'FAIL once\nTypeError: x is undefined\nFAIL twice\nTypeError: x is undefined',
        };
      },
    });
    expect(finds.length).toBeGreaterThan(0);
    reports.push(finds.map(({ find }) => `${find.name}: ${find.also.join(', ')}`).join('\n'));
  }
  expect(new Set(reports).size).toBe(1);
});

const refuses = (worlds: Record<string, object>, label: string): boolean =>
  ((worlds[label] as { faults?: Rule[] } | undefined)?.faults ?? []).length > 0;

/** The runs of a search, as the tries of each: what was run, and how it was judged, is up to `play`. */
function noting(end: (worlds: Record<string, object>) => Partial<Once>) {
  const runs: string[] = [];
  return {
    runs,
    run(worlds: Record<string, object>): Promise<Once> {
      runs.push(JSON.stringify(worlds));
      const once = play(worlds);
      return Promise.resolve({ ...once, ...end(worlds) });
    },
  };
}

const hung = (...labels: string[]): Partial<Once> => ({
  exitCode: 137,
  isTimeout: true,
  open: new Set(labels),
  stuck: new Set(labels),
});

it('what resembles a try after which the client did not end comes last, and uses up nothing of what the others need', async () => {
  const after = (text: string) => text.includes('"twice"') && text.includes('"nth"');
  const { runs, run } = noting((worlds) => (refuses(worlds, 'twice') ? hung('twice') : {}));
  const { notTried } = await searchWith({ run });
  expect(notTried).toEqual([]);
  const firstHung = runs.findIndex(after);
  const others = runs.map((text, index) => [text, index] as const).filter(([text]) => text.includes('"once"'));
  const [, lastOfOthers = 0] = others.filter(([text]) => !text.includes('"hang"')).at(-1) ?? [];
  const next = runs.findIndex((text, index) => index > firstHung && after(text));
  expect(next).toBeGreaterThan(lastOfOthers);
});

it('a find of what does not end is confirmed by one more run, and flaky where that ends', async () => {
  let hangs = 0;
  const onlyFirst = noting((worlds) =>
    JSON.stringify(worlds).includes('"hang"') && ++hangs === 1 ? hung('once', 'twice') : {},
  );
  const { finds, flaky } = await searchWith({ run: onlyFirst.run, tries: hanging() });
  expect([finds.length, flaky.length]).toEqual([0, 2]);
  const always = noting((worlds) => (JSON.stringify(worlds).includes('"hang"') ? hung('once', 'twice') : {}));
  const both = await searchWith({ run: always.run, tries: hanging() });
  expect([both.finds.map(({ find }) => find.grade), both.unconfirmed, both.flaky]).toEqual([['B', 'B'], [], []]);
  expect(always.runs).toHaveLength(2);
});

const hanging = (): Try[] => planOf(pointsIn(...base), [], false).tries.filter(({ kind }) => kind.id === 'hang');

const flood = (worlds: Record<string, object>): Once => {
  const once = play(worlds);
  const rules = (worlds.twice as { faults?: Rule[] } | undefined)?.faults ?? [];
  const requests = Array.from({ length: 30 }, () => balance);
  return rules.length === 0
    ? { ...once, seconds: 2 }
    : { ...once, seconds: 2, worlds: new Map([...once.worlds, ['twice', met('twice', requests, rules)]]) };
};

it('the search keeps the time to repeat what it found', async () => {
  const still: number[] = [];
  await searchWith({
    plain: [onceOf(base, { seconds: 2 })],
    run: (worlds) => Promise.resolve(flood(worlds)),
    isOver(stillMs) {
      still.push(stillMs);
      return false;
    },
  });
  expect([still[0], still[1]]).toEqual([0, 2_000]);
});

it('what the end of the budget cut off was not tried, and a find that was not repeated for that reason is said to be one', async () => {
  let left = 2;
  const { results, finds, unconfirmed, flaky, notTried, merged } = await searchWith({
    run: (worlds) => Promise.resolve(left-- > 0 ? flood(worlds) : undefined),
  });
  expect(finds.length).toBeGreaterThan(0);
  expect([unconfirmed.length, flaky]).toEqual([finds.length, []]);
  expect(results.length).toBeGreaterThan(0);
  expect(results.length + notTried.length + merged).toBe(planOf(pointsIn(...base), [], false).tries.length);
});

it('a find is repeated by itself where a run beside others does not tell whether its test failed', async () => {
  const tries = planOf(pointsIn(...base), [], false).tries.filter(({ kind }) => kind.id === '503');
  const shown = (one: Try) => ({
    tried: one,
    consequences: [{ grade: 'C' as const, kind: 'unnoticed', says: '', advice: '' }],
    seen: base.find(({ label }) => label === one.point.label) as SeenWorld,
    reaction: '',
    output: [],
    places: [],
  });
  const batches: number[] = [];
  const reruns = createReruns({
    runTries(batch) {
      batches.push(batch.length);
      return Promise.resolve(batch.map((one) => ({ one, isUnclear: batch.length > 1, tried: shown(one) })));
    },
    jobs: 1,
    moreOfWaiting: 1,
    width: 2,
    tell: () => {},
  });
  const groups = tries.map((one) => [shown(one)]);
  await reruns.confirm(groups);
  const bases = new Map(base.map((world) => [world.label, baselineOf([world])]));
  const { finds, flaky } = reruns.resultOf(groups, bases);
  expect([batches, finds.length, flaky.length]).toEqual([[2, 1, 1, 1, 1], 2, 0]);
});
