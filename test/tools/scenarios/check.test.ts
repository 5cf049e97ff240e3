// A scenario that is wrong is refused with every problem, its place in the document and the nearest right name.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ApiError, createEmulator, type ScenarioInput } from '../../../src/index.js';
import { expectCases, problemText } from '../../support/cases.js';
import { tempDir } from '../../support/command.js';
import { call, startWorld } from '../../support/emulator.js';

async function problemsOf(document: unknown): Promise<{ path: string; message: string; suggestion?: string }[]> {
  const { controls } = await startWorld();
  const error = await controls.scenarios.apply(document as ScenarioInput).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect((error as ApiError).code).toBe('VALIDATION_ERROR');
  return (error as ApiError).options.details as { path: string; message: string; suggestion?: string }[];
}

it('the check of a scenario finds what is wrong in the documents of check.txt', () =>
  expectCases('tools/scenarios/check.txt', async (_, document) =>
    (await problemsOf(JSON.parse(document))).map(problemText),
  ));

it('the check of a scenario reports all problems of a document at once', async () => {
  const paths = (
    await problemsOf({
      settings: { containers: { failure: 'none' } },
      containers: [{ mode: 'a' }, { mode: 'crash-loop' }, { mode: 'b' }],
      faults: [{ effect: { status: 429, error: 'NOT_FOUND' } }],
      expect: { requests: [{ operation: 'nothing' }] },
    })
  ).map(({ path }) => path);
  expect(paths).toEqual([
    'settings.containers.failure',
    'containers[0].mode',
    'containers[2].mode',
    'faults[0].effect.status',
    'expect.requests[0].operation',
  ]);
});

it.each([null, 5, 'text', [], [{}], { data: 5 }, { faults: {} }, { containers: [null] }, { expect: [] }])(
  'the check of a scenario refuses %j',
  async (document) => {
    const world = await startWorld();
    const answer = await call(world, 'POST', '/_emulator/scenarios', JSON.stringify(document));
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  },
);

it('the check of a scenario names the nearest scenario', async () => {
  const world = await startWorld();
  const answer = await call(world, 'POST', '/_emulator/scenarios/hapy-path');
  expect([answer.status, answer.body.error.message]).toEqual([
    404,
    'There is no scenario "hapy-path"; did you mean "happy-path"?',
  ]);
  for (const name of ['..%2Fprofiles%2Fspec', '%00', 'a b', '__proto__', 'constructor'])
    expect((await call(world, 'GET', `/_emulator/scenarios/${name}`)).status).toBe(404);
});

it('the check of a scenario refuses the addresses that only the whole emulator can have', async () => {
  const subdomain = { settings: { containers: { urlStyle: 'subdomain' as const } } };
  const plain = await startWorld();
  await expect(plain.controls.scenarios.apply(subdomain)).rejects.toThrow(
    /settings\.containers\.urlStyle must be port or path/,
  );
  await expect(plain.controls.worlds.create({ scenario: subdomain })).rejects.toThrow(/urlStyle must be port or path/);
  const other = await startWorld({ containers: { urlStyle: 'subdomain' } });
  await other.controls.scenarios.apply(subdomain);
  await other.controls.scenarios.apply({ settings: { containers: { urlStyle: 'path' } } });
});

// Each part has a mistake of form and one of meaning, some in the same entry.
const manifold = {
  falts: [],
  clock: { speed: 'fast' },
  settings: {
    containers: { timing: 'fsat', failure: 'crash-lop' },
    rateLimits: { operations: { 'agents.lst': 'STRICT' } },
  },
  data: {
    containers: [
      { project_name: 'shop', memry: 512 },
      { project_name: 'shop', mode: 'exec-fromat' },
    ],
    organizations: [{ nmae: 'x', containers: [{ project_name: 'a', mode: 'oom-strat' }] }],
  },
  containers: [{ match: { projekt: 'shop', project_name: 'shop' }, mode: 'crash-lop' }, null],
  faults: [
    { match: { operation: 'containers.crate' }, effect: { network: 'rest' } },
    { match: { operation: 'agents.lst' }, efect: {} },
    { when: { times: 0, nth: 2, every: 3 }, effect: { error: 'RATE_LIMTED' } },
  ],
  limits: [{ limti: 1, operation: 'agents.lst' }],
  expect: {
    verdicts: { 'backof-grows': 'pass' },
    requests: [
      { operation: 'containers.crate', count: 'one' },
      { operation: 'agents.list', error: 'RATE_LIMTED' },
    ],
  },
};
const mistakes = [
  'falts is unknown; did you mean "faults"?',
  'clock.speed must be a number',
  'settings.containers.timing must be one of',
  'settings.containers.failure must be a failure mode',
  'settings.rateLimits.operations.agents.lst must be the id of an operation',
  'data.containers[0].memry is unknown; did you mean "memory"?',
  'data.containers[1].project_name is that of containers[0] already',
  'data.containers[1].mode must be a failure mode',
  'data.organizations[0].nmae is unknown; did you mean "name"?',
  'data.organizations[0].name is required',
  'data.organizations[0].containers[0].mode must be a failure mode',
  'containers[0].match.projekt is unknown; did you mean "project"?',
  'containers[0].match.project_name is unknown; did you mean "project"?',
  'containers[0].mode must be a failure mode',
  'containers[1] must be an object',
  'faults[0].match.operation must be the id of an operation',
  'faults[0].effect.network must be one of',
  'faults[1].match.operation must be the id of an operation',
  'faults[1].efect is unknown; did you mean "effect"?',
  'faults[1].effect is required',
  'faults[2].when.times must be at least 1',
  'faults[2].when.every must be left out beside `nth`',
  'faults[2].effect.error must be one of',
  'limits[0].limti is unknown; did you mean "limit"?',
  'limits[0].operation must be the id of an operation',
  'expect.verdicts.backof-grows is unknown; did you mean "backoff-grows"?',
  'expect.requests[0].operation must be the id of an operation',
  'expect.requests[0].count must be a',
  'expect.requests[1].error must be one of',
];

/** The mistakes of a document: path and message of each, sorted. */
function toldIn(details: unknown, below = ''): string[] {
  const problems = details as { path: string; message: string; suggestion?: string }[];
  return problems
    .map(({ path, message, suggestion }) => {
      const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
      return `${path.slice(below.length)} ${message}${hint}`;
    })
    .sort();
}

/** That each mistake is told, and nothing else. */
function expectAll(told: readonly string[]): void {
  expect(mistakes.filter((mistake) => !told.some((line) => line.startsWith(mistake)))).toEqual([]);
  expect(told.filter((line) => !mistakes.some((mistake) => line.startsWith(mistake)))).toEqual([]);
}

it('the check of a scenario reports errors of form and of meaning at once, in process', async () => {
  const { controls } = await startWorld();
  const scenario = manifold as unknown as ScenarioInput;
  const applied = (await controls.scenarios.apply(scenario).catch((thrown: unknown) => thrown)) as ApiError;
  expectAll(toldIn(applied.options.details));
  const made = (await controls.worlds.create({ scenario }).catch((thrown: unknown) => thrown)) as ApiError;
  expectAll(toldIn(made.options.details, 'scenario.'));
});

it('the check of a scenario reports errors of form and of meaning at once, over HTTP', async () => {
  const world = await startWorld();
  const applied = await call(world, 'POST', '/_emulator/scenarios', JSON.stringify(manifold));
  expect(applied.status).toBe(400);
  expectAll(toldIn(applied.body.error.details));
  const made = await call(world, 'POST', '/_emulator/worlds', JSON.stringify({ idd: 'x', scenario: manifold }));
  const [own, ...others] = toldIn(made.body.error.details, 'scenario.').sort((a) => (a.includes('"id"') ? -1 : 1));
  expect(own).toContain('is unknown; did you mean "id"?');
  expectAll(others);
});

it('the check of a scenario reports errors of form and of meaning at once, of a file', async () => {
  const file = join(tempDir(), 'wrong.json');
  writeFileSync(file, JSON.stringify(manifold));
  const error = (await createEmulator({ scenario: file }).catch((thrown: unknown) => thrown)) as Error;
  expect(mistakes.filter((mistake) => !error.message.includes(mistake.replace(/; did.*/, '')))).toEqual([]);
  for (const name of ['faults', 'crash-loop', 'fast', 'exec-format', 'containers.create', 'reset', 'RATE_LIMITED'])
    expect(error.message).toContain(`did you mean "${name}"?`);
});

it('the check of a scenario says that a scenario in YAML must be JSON', async () => {
  const file = join(tempDir(), 'slow.yaml');
  writeFileSync(file, 'title: Slow\n');
  await expect(createEmulator({ scenario: file })).rejects.toThrow(
    /slow\.yaml: a scenario is written in JSON, not in YAML/,
  );
});

it('the check of a scenario reports one problem of a field that is wrong in two ways', async () => {
  const problems = await problemsOf({ limits: [{ exhaust: { feature: 'chat', operation: 'web' } }] });
  expect(problems).toEqual([{ path: 'limits[0].exhaust.operation', message: 'cannot be combined with `feature`' }]);
});
