// An emulator equals itself, and differences that are planted in its answers are found where they are.

import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { differencesOf } from '../../../src/tools/drift/compare.js';
import { addFacts, type DriftAnswer, kindOf } from '../../../src/tools/drift/facts.js';
import { judged } from '../../../src/tools/drift/judge.js';
import { after, assumptionFor, confirmed, covers, emptyLedger, wrongWith } from '../../../src/tools/drift/ledger.js';
import { isFull, itFull } from '../../support/campaign.js';
import { askBoth, type BothSides, saidWith, startPlatform } from '../../support/drift.js';
import { closeEmulators } from '../../support/emulator.js';

afterEach(closeEmulators);

/** Both sides of an API with things in it: asked once. */
let both: BothSides;
beforeAll(async () => {
  both = await askBoth(await startPlatform('spec', true, 'a'), 'spec');
});

function expectEqual({ questions, ours, theirs, documented }: BothSides): void {
  const { differences, answered, touched } = judged(questions, ours, theirs, documented);
  expect(differences).toEqual([]);
  expect(answered.size).toBeGreaterThan(80);
  expect(touched.size).toBeGreaterThan(20);
}

it('an emulator equals another one', () => expectEqual(both));

describe.runIf(isFull)('an emulator equals another one', () => {
  const sides = ['spec', 'elizacloud', 'elizacloud-v1'].flatMap((profile) =>
    [false, true].flatMap((filled) => ['a', 'b', 'c'].map((seed) => [profile, filled, seed] as const)),
  );
  it.each(sides)('of profile %s, with data: %s, of seed %s', async (profile, filled, seed) =>
    expectEqual(await askBoth(await startPlatform(profile, filled, seed), profile)),
  );
});

interface Planted {
  kind: string;
  id: string;
  answer: DriftAnswer;
}

type Json = Record<string, any>;

type Find = (root: any) => Json[];

/** The objects at each place of a body, as a function that finds them in a copy: all things of a list change alike. */
function objectsIn(bodies: readonly unknown[], find: Find = (root) => [root]): Find[] {
  const objects = bodies.filter((one): one is Json => typeof one === 'object' && one !== null && !Array.isArray(one));
  const lists = bodies.filter(Array.isArray);
  if (lists.length > 0) return objectsIn(lists.flat(), (root) => find(root).flat());
  if (objects.length === 0) return [];
  const names = new Set(objects.flatMap((one) => Object.keys(one)));
  const inner = [...names].flatMap((name) =>
    objectsIn(
      objects.map((one) => one[name]),
      (root) =>
        find(root)
          .map((one) => one[name])
          .filter((one) => one !== undefined && one !== null),
    ),
  );
  return [find, ...inner];
}

/** Answers with one difference each. */
function* plantedIn(answers: BothSides['answers']): Generator<Planted> {
  for (const [id, answer] of answers) {
    const changed = (kind: string, change: (copy: DriftAnswer & { body: any }) => void): Planted => {
      const copy = structuredClone(answer) as DriftAnswer & { body: any };
      change(copy);
      return { kind, id, answer: copy };
    };
    yield changed('status', (copy) => (copy.status = copy.status === 200 ? 201 : 418));
    yield changed('header', (copy) => delete copy.headers['x-ratelimit-remaining']);
    yield changed('header', (copy) => (copy.headers['x-ratelimit-reset'] = '1790000000'));
    yield changed('limit', (copy) => (copy.headers['x-ratelimit-limit'] = '7'));
    if (answer.status >= 400 && typeof (answer.body as Json)?.error?.code === 'string')
      yield changed('code', (copy) => (copy.body.error.code = 'SOMETHING_ELSE'));
    const turned = (value: unknown): void => {
      if (Array.isArray(value)) value.reverse();
      if (typeof value === 'object' && value !== null) Object.values(value).forEach(turned);
    };
    yield changed('order', (copy) => turned(copy.body));
    for (const find of objectsIn([answer.body])) {
      const each = (kind: string, change: (one: Json) => void): Planted =>
        changed(kind, (copy) => {
          for (const one of find(copy.body)) change(one);
        });
      for (const [name, value] of Object.entries(find(answer.body)[0] ?? {})) {
        yield each(`rename ${name}`, (one) => {
          one[`${name}_renamed`] = one[name];
          delete one[name];
        });
        yield each(`drop ${name}`, (one) => delete one[name]);
        yield each('add', (one) => (one.brand_new = 1));
        yield each(`null ${name}`, (one) => (one[name] = null));
        yield each(`retype ${name}`, (one) => (one[name] = typeof value === 'string' ? 7 : 'seven'));
        if (kindOf(value, `/${name}`).startsWith('"')) yield each(`word ${name}`, (one) => (one[name] = 'unheard_of'));
        if (kindOf(value, `/${name}`).startsWith('='))
          yield each(`number ${name}`, (one) => (one[name] = Number(value) * 2 + 1));
      }
    }
  }
}

itFull('finds differences of each kind that answers may have', () => {
  const { questions, ours, theirs, answers, documented } = both;
  const planted = [...plantedIn(answers)].filter(
    ({ id, answer }) =>
      JSON.stringify(addFacts({}, answer)) !== JSON.stringify(addFacts({}, answers.get(id) as DriftAnswer)),
  );
  // Both say the same to all other questions.
  const missed = planted.filter(({ id, answer }) => {
    const asked = questions.filter((one) => one.id === id);
    return judged(asked, ours, saidWith(theirs, id, answer), documented).differences.length === 0;
  });
  const reasons = missed.map(({ kind, id }) => `${kind} ${id}`);
  console.log(`drift: ${planted.length} planted, ${missed.length} missed\n${reasons.slice(0, 60).join('\n')}`);
  expect(planted.length).toBeGreaterThanOrEqual(1_000);
  expect(missed.length).toBeLessThanOrEqual(planted.length * 0.05);
});

it('finds another order of refusals', () => {
  const { questions, ours, theirs, documented } = both;
  // Somebody without a key asks for what does not exist: the key is what is said to be wrong first.
  const isRefused = (id: string): boolean => theirs.get(id)?.status?.includes('401') === true;
  const asked = questions.filter(({ as, of, id }) => as === 'nobody' && of === 'nowhere' && isRefused(id));
  expect(asked.length).toBeGreaterThan(5);
  for (const question of asked) {
    const changed = new Map([...theirs, [question.id, { ...theirs.get(question.id), status: ['404'] }]]);
    const { differences } = judged(asked, ours, changed, documented);
    expect(differences).toMatchObject([{ operation: question.operation, place: 'precedence' }]);
  }
});

const difference = {
  operation: 'quotas.get',
  question: 'quotas.get as key',
  place: '/data/max',
  platform: '=3',
  emulator: '=25',
  assumption: null,
};

it('disputes what one run shows, refutes what two show, and forgets what is gone', () => {
  const seen = {
    profile: 'spec',
    differences: [{ ...difference, assumption: 'quotas.tiers' as const }],
    answered: new Set(['quotas.get as key']),
    touched: new Set(['quotas.tiers' as const]),
  };
  const first = after(emptyLedger('spec'), { ...seen, at: '2026-11-01T00:00:00Z' });
  expect(first.assumptions['quotas.tiers']).toMatchObject({ state: 'disputed', asked: 1 });
  expect(confirmed(first, {})).toEqual([]);
  const second = after(first, { ...seen, at: '2026-11-02T00:00:00Z' });
  expect(second.assumptions['quotas.tiers']).toMatchObject({ state: 'refuted', since: '2026-11-02T00:00:00Z' });
  expect(confirmed(second, {}).map(([name]) => name)).toEqual(['quotas.get /data/max']);
  const accepted = { 'quotas.get /data/max': { reason: 'known', until: '2026-12-01' } };
  expect(confirmed(second, accepted)).toEqual([]);
  expect(wrongWith(accepted, second, '2026-11-30')).toEqual([]);
  expect(wrongWith(accepted, second, '2026-12-02')).toHaveLength(1);
  expect(wrongWith({ ...accepted, other: { reason: 'x', until: '2027-01-01' } }, second, '2026-11-30')).toHaveLength(1);
  const unasked = after(second, {
    ...seen,
    differences: [],
    answered: new Set(),
    touched: new Set(),
    at: '2026-11-03T00:00:00Z',
  });
  expect(unasked.findings).toEqual(second.findings);
  const gone = after(second, { ...seen, differences: [], at: '2026-11-03T00:00:00Z' });
  expect([gone.findings, gone.assumptions['quotas.tiers']?.state]).toEqual([{}, 'confirmed']);
});

it('counts runs that have seen the same alone', () => {
  const seen = { profile: 'spec', answered: new Set(['quotas.get as key']), touched: new Set<never>() };
  const runsOf = (...saidIn: string[]): number | undefined => {
    const ledger = saidIn.reduce(
      (before, platform, day) =>
        after(before, { ...seen, at: `2026-11-1${day}T00:00:00Z`, differences: [{ ...difference, platform }] }),
      emptyLedger('spec'),
    );
    return ledger.findings['quotas.get /data/max']?.runs;
  };
  expect([runsOf('401', '404'), runsOf('401', '404', '404')]).toEqual([1, 2]);
  expect([runsOf('null or text', 'text'), runsOf('=3', '=30')]).toEqual([2, 1]);
});

it.each([
  ['/data/**', '/data/max', true],
  ['/data/*', '/data/max', true],
  ['/data/*', '/data/max/deep', false],
  ['header x-ratelimit-*', 'header x-ratelimit-reset', true],
  ['quotas.* /**', '/data/max', true],
  ['other.* /**', '/data/max', false],
  ['status 4xx', 'status', false],
  ['order /data', 'order /data', true],
])('a cover %s of the place %s', (cover, place, isCovered) => {
  expect(covers(cover, { ...difference, place }) > 0).toBe(isCovered);
});

it('compares what several answers say together with its like', () => {
  const ours = {
    price: ['=0.5', 'creditsDeducted is true', 'creditsRemaining is true'],
    stages: ['building before running', 'in time'],
  };
  const found = (theirs: Record<string, string[]>) =>
    differencesOf({ operation: 'containers.create', as: 'key', of: null }, ours, theirs, {
      bodyOf: () => undefined,
      schemas: {},
    }).map(({ place, platform, emulator }) => [place, platform, emulator]);
  expect(found({ price: ['=0.7', 'creditsDeducted is true'], stages: ['late'] })).toEqual([
    ['price', '=0.7', '=0.5'],
    ['stages', 'late', 'in time'],
  ]);
  expect(found({ price: ['=0.5', 'creditsDeducted is wrong'], stages: ['running before building'] })).toEqual([
    ['price', 'creditsDeducted is wrong', 'creditsDeducted is true'],
    ['stages', 'running before building', 'building before running'],
  ]);
});

it('blames the assumption that says most exactly where, or none', () => {
  expect(assumptionFor(difference, [])).toBeNull();
  const tiers = { ...difference, operation: 'containers.quota', place: '/data/quota/max' };
  expect(assumptionFor(tiers, ['containers.quota', 'quotas.tiers'])).toMatch(/quota/);
  expect(assumptionFor(difference, ['nobody.knows'])).toBeNull();
});
