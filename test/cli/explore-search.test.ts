// The search, over worlds whose client is played by a function.

import { expect, it } from 'vitest';
import { confirmAll } from '../../src/cli/explore/confirm.js';
import type { Once } from '../../src/cli/explore/once.js';
import { type Search, type SearchOptions, search } from '../../src/cli/explore/search.js';
import { baselineOf } from '../../src/modules/explore/baseline.js';
import { type Try, tryId } from '../../src/modules/explore/fault-kinds.js';
import { planOf } from '../../src/modules/explore/queue.js';
import { ruleText, type SeenWorld } from '../../src/modules/explore/seen.js';
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
    isBusy: false,
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
    askedJobs: 1,
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

it('the search takes a hang that one rerun with fewer runs beside it does not show for a late answer', async () => {
  let hung = 0;
  const { results, finds, flaky, runs } = await searchWith({
    run: (worlds) => {
      const once = play(worlds);
      if (!JSON.stringify(worlds).includes('"hang"') || ++hung > 1) return Promise.resolve(once);
      return Promise.resolve({ ...once, exitCode: 137, isTimeout: true, open: new Set(once.worlds.keys()) });
    },
  });
  expect({ finds, flaky }).toEqual({ finds: [], flaky: [] });
  expect(results.filter(({ tried }) => tried.kind.id === 'hang').map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
  const { runs: least } = await searchWith({});
  expect(runs).toBe(least + 1);
});

it('the search gives runs more time where the machine has become slower', async () => {
  const limits: number[][] = [];
  await searchWith({
    run: (worlds, { idleMs, mostMs }, isAgain) => {
      if (!isAgain && Object.keys(worlds).length === 1) limits.push([idleMs, mostMs]);
      return Promise.resolve({ ...play(worlds), seconds: 20, gapMs: 10_000 });
    },
  });
  expect(limits.at(-1)).toEqual([30_000, 240_000]);
});

it.each([
  [true, 0],
  [false, 1],
])('the search takes what is not seen again for flaky, unless the machine was busy (%s)', async (isBusy, count) => {
  let seenOnce = false;
  const { finds, flaky } = await searchWith({
    run: (worlds) => {
      const once = play(worlds);
      const rules = (worlds.twice as { faults?: Rule[] } | undefined)?.faults ?? [];
      if (seenOnce || rules.length === 0) return Promise.resolve(once);
      seenOnce = true;
      const flood = Array.from({ length: 30 }, () => balance);
      return Promise.resolve({
        ...once,
        isBusy,
        worlds: new Map([...once.worlds, ['twice', met('twice', flood, rules)]]),
      });
    },
  });
  expect([finds.length, flaky.length]).toEqual([0, count]);
});

it('the search repeats once more, alone, what a busy machine showed twice', async () => {
  let times = 0;
  const { finds, flaky } = await searchWith({
    run: (worlds) => {
      const once = { ...play(worlds), isBusy: true };
      const rules = (worlds.twice as { faults?: Rule[] } | undefined)?.faults ?? [];
      if (!JSON.stringify(rules).includes('"hang"') || ++times > 2) return Promise.resolve(once);
      return Promise.resolve({ ...once, exitCode: 137, isTimeout: true, open: new Set(['twice']) });
    },
  });
  expect({ times, finds, flaky }).toEqual({ times: 3, finds: [], flaky: [] });
});

it('the search keeps the time to repeat what it found', async () => {
  const still: number[] = [];
  await searchWith({
    run: (worlds) => {
      const once = play(worlds);
      const rules = (worlds.twice as { faults?: Rule[] } | undefined)?.faults ?? [];
      const flood = Array.from({ length: 30 }, () => balance);
      if (rules.length === 0) return Promise.resolve({ ...once, seconds: 2 });
      return Promise.resolve({
        ...once,
        seconds: 2,
        worlds: new Map([...once.worlds, ['twice', met('twice', flood, rules)]]),
      });
    },
    isOver: (stillMs) => {
      still.push(stillMs);
      return false;
    },
  });
  expect([still[0], still[1]]).toEqual([0, 2_000]);
});

it('a find is not taken for late where a rerun beside others does not tell whether its test failed', async () => {
  const tries = planOf(pointsIn(...base), [], false).tries.filter(({ kind }) => kind.id === '503');
  const shown = (one: (typeof tries)[number]) => ({
    tried: one,
    consequences: [{ grade: 'C' as const, kind: 'unnoticed', says: '', advice: '' }],
    seen: base.find(({ label }) => label === one.point.label) as SeenWorld,
    reaction: '',
    output: [],
    isBusy: true,
  });
  const { finds, flaky } = await confirmAll(
    tries.map((one) => [shown(one)]),
    {
      bases: new Map(base.map((world) => [world.label, baselineOf([world])])),
      runTries: (batch) =>
        Promise.resolve(
          batch.map((one) => ({
            one,
            isUnclear: batch.length > 1,
            tried: { ...shown(one), ...(batch.length > 1 && { consequences: [] }) },
          })),
        ),
      jobs: () => 1,
      waitingJobs: () => 1,
      width: 2,
      tell: () => {},
    },
  );
  expect([tries.length, finds.length, flaky.length]).toEqual([2, 2, 0]);
});

it('a find that does not end is confirmed by itself while the others are, and not once more on a busy machine', async () => {
  const tries = planOf(pointsIn(...base), [], false).tries.filter(({ kind }) => kind.id === '503');
  expect(tries.length).toBeGreaterThan(1);
  const [endless] = tries as [Try];
  const shown = (one: Try) => ({
    tried: one,
    consequences: [{ grade: 'B' as const, kind: one === endless ? 'hung' : 'flood', says: '', advice: '' }],
    seen: base.find(({ label }) => label === one.point.label) as SeenWorld,
    reaction: '',
    output: [],
    isBusy: true,
  });
  const runs: string[][] = [];
  let open = 0;
  let most = 0;
  const { finds } = await confirmAll(
    tries.map((one) => [shown(one)]),
    {
      bases: new Map(base.map((world) => [world.label, baselineOf([world])])),
      async runTries(batch) {
        runs.push(batch.map(tryId));
        most = Math.max(most, ++open);
        await new Promise((resolve) => setImmediate(resolve));
        open--;
        return batch.map((one) => ({ one, isUnclear: false, tried: shown(one) }));
      },
      jobs: () => 1,
      waitingJobs: () => 3,
      width: 2,
      tell: () => {},
    },
  );
  expect(finds).toHaveLength(tries.length);
  expect(most).toBe(2);
  expect(runs.filter((ids) => ids.includes(tryId(endless)))).toEqual([[tryId(endless)]]);
});

it('the search begins what hangs while the last of the others still runs', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let runs = 0;
  const { results, notTried } = await searchWith({
    jobs: 2,
    askedJobs: 2,
    async run(worlds) {
      if (runs++ === 0) await held;
      if (JSON.stringify(worlds).includes('"network":"hang"')) release();
      return play(worlds);
    },
  });
  expect(notTried).toEqual([]);
  expect(results.filter(({ tried }) => tried.kind.id === 'hang')).toHaveLength(2);
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
      askedJobs: 6,
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
