// The search, over worlds whose client is played by a function.

import { expect, it } from 'vitest';
import type { Once } from '../../src/cli/explore/once.js';
import { type Search, type SearchOptions, search } from '../../src/cli/explore/search.js';
import { planOf } from '../../src/tools/explore/queue.js';
import { ruleText, type SeenWorld } from '../../src/tools/explore/seen.js';
import { declared, pointsIn, type Sent, seen } from '../support/seen-worlds.js';

type Rule = { match: { operation: string }; when: { nth?: number; after?: number }; phase: string; effect: object };

const list = { operation: 'containers.list' };
const balance = { operation: 'account.balance' };
const base = [seen('once', [list]), seen('twice', [balance])];
const { tries } = planOf(pointsIn(...base), [], false);

function onceOf(worlds: readonly SeenWorld[], part: Partial<Once> = {}): Once {
  const map = new Map(worlds.map((world) => [world.label, world]));
  const ended = { exitCode: 0, isTimeout: false, killedAt: undefined, output: '', seconds: 0.1, gapMs: 50 };
  return { ...ended, worlds: map, open: new Set(), stuck: new Set(), separated: 0, receipts: [], ...part };
}

/** A client of which one test gives up, and the other one tries again: once, or so many times. */
function play(worlds: Record<string, object>, attempts = 1): Once {
  const all = base.map((world) => {
    const rules = (worlds[world.label] as { faults?: Rule[] } | undefined)?.faults ?? [];
    if (rules.length === 0) return world;
    const { operation } = world.requests[0] as { operation: string };
    const more = world.label === 'once' ? [] : Array.from({ length: attempts }, (): Sent => ({ operation }));
    const sent = [{ operation, status: 503, fault: 'fault_1' }, ...more];
    const met = rules.map((rule, index) => ({ id: `fault_${index + 1}`, hits: 1, text: ruleText(rule) }));
    return seen(world.label, sent, { rules: met });
  });
  return onceOf(all);
}

/** A search with what it ran: the worlds with faults of each run, and whether it was made once more. */
async function searchWith(options: Partial<SearchOptions> = {}): Promise<Search & { ran: string[] }> {
  const ran: string[] = [];
  const { run = (worlds) => Promise.resolve(play(worlds)) } = options;
  const found = await search({
    baseline: [onceOf(base), onceOf(base)],
    tries,
    plain: [onceOf(base)],
    depth: 1,
    full: false,
    declared,
    jobs: 1,
    leftMs: () => 300_000,
    onProgress: () => {},
    ...options,
    run(worlds, limit, isAgain) {
      ran.push(`${Object.keys(worlds).join(' ')}${isAgain ? ' again' : ''}`);
      return run(worlds, limit, isAgain);
    },
  });
  return { ...found, ran };
}

const outagesOf = ({ results }: Search): string[] =>
  results.filter(({ one }) => one.kind.id === 'outage').map(({ one }) => one.point.label);
const ofKind = (id: string) => tries.filter(({ kind }) => kind.id === id);
const flood: SearchOptions['run'] = (worlds) => Promise.resolve(play(worlds, 30));

it('takes an outage for one 503 where the client sends nothing after that', async () => {
  const pruned = await searchWith();
  expect([outagesOf(pruned), pruned.merged]).toEqual([['twice'], 1]);
  const whole = await searchWith({ full: true });
  expect([outagesOf(whole), whole.merged]).toEqual([['once', 'twice'], 0]);
});

it('tries a fault of each world in one run, and sees what it found once more', async () => {
  const { ran, finds, unconfirmed, flaky } = await searchWith({ run: flood, tries: ofKind('503') });
  expect(ran).toEqual(['once twice', 'twice again']);
  expect([finds.map(({ find }) => find.grade), unconfirmed, flaky]).toEqual([['B'], [], []]);
});

it('sees by itself what was not there again beside others, and calls it flaky if it is not there then', async () => {
  const first: SearchOptions['run'] = (worlds, _, isAgain) => Promise.resolve(play(worlds, isAgain ? 1 : 30));
  const { ran, finds, flaky } = await searchWith({ run: first, tries: ofKind('503') });
  expect(ran).toEqual(['once twice', 'twice again']);
  expect([finds, flaky.length]).toEqual([[], 1]);
});

it('keeps the time to repeat what it found, and names what it had no time for', async () => {
  let leftMs = 10_000;
  const slow: SearchOptions['run'] = (worlds, limit, isAgain) => {
    leftMs -= 3_000;
    return flood(worlds, limit, isAgain);
  };
  const plain = [onceOf(base, { seconds: 3 })];
  const { ran, finds, unconfirmed, notTried } = await searchWith({ run: slow, plain, leftMs: () => leftMs });
  expect(ran.filter((one) => one.endsWith(' again'))).toHaveLength(1);
  expect(leftMs).toBeGreaterThanOrEqual(-3_000);
  expect([finds.length > 0, unconfirmed, notTried.length > 0]).toEqual([true, [], true]);
});

it('takes what the end of the budget cut off for not tried, and says what it could not repeat', async () => {
  let left = 2;
  const found = await searchWith({
    run: (worlds, ...how) => (left-- > 0 ? flood(worlds, ...how) : Promise.resolve(undefined)),
  });
  expect(found.finds.length).toBeGreaterThan(0);
  expect([found.unconfirmed.length, found.flaky]).toEqual([found.finds.length, []]);
  expect(found.results.length + found.notTried.length + found.merged).toBe(tries.length);
});
