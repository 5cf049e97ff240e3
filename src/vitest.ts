// The fourth entry, `cloudemu/vitest`: tests that have a world each, which is judged and dropped when they end.

import { type RunnerTask, type RunnerTestCase, type TestAPI, type TestContext, test as vitestTest } from 'vitest';
import { connect, type RemoteEmulator, type RemoteWorld } from './client/connect.js';
import { asCalled } from './core/as-called.js';
import { nearest } from './core/nearest.js';
import { describe as described } from './core/problems.js';
import { isFields, mergeTrees, type Tree } from './core/tree.js';
import type { CreateEmulatorOptions } from './index.js';
import { createEmulators, type Emulators, forgetReceipt, localUrl } from './testing/emulators.js';
import type { ScenarioInput } from './tools/scenarios/schema.js';
import { seedOfLabel } from './tools/worlds/label.js';
import type { WorldRequest } from './tools/worlds/request.js';

export { describe, expect } from 'vitest';
export type { RemoteControls } from './app/controls.js';

/** The initial state of each test's world, and whether a test fails when its client misbehaves. */
export interface TestOptions extends Pick<WorldRequest, 'scenario' | 'clock' | 'ttl'> {
  /** Seed of the world. Default: that of the scenario's document, else one derived from the test's file and full name. */
  seed?: string | number;
  /** Settings of the world, as in the settings file: `{ containers: { timing: 'instant' } }`. */
  settings?: NonNullable<ScenarioInput['settings']>;
  /**
   * `fail`: a test also fails if a verdict is fail or an expectation of the scenario is not met. `never` (the default):
   * these are only printed, and only for tests that fail for another reason.
   */
  failOn?: 'never' | 'fail';
  /**
   * Whether the world of a failed test is kept, so that you can open it: the last line of what the test prints says how.
   * Default: true; the last 20 stay, for an hour.
   */
  keepFailed?: boolean;
  /** Options of the emulator that the tests share. They have no effect if CLOUDEMU_URL names a running emulator. */
  emulator?: CreateEmulatorOptions;
}

/**
 * The world of a test. `url` and `apiKey` are for the client under test; `fetch` takes paths and adds no key; the methods
 * of `controls` return promises; `report()` lists what is not as expected.
 */
export interface TestWorld extends Omit<RemoteWorld, 'close' | 'finish' | typeof Symbol.asyncDispose> {
  /** The seed from which the world's ids and keys are derived. */
  readonly seed: string | number;
}

/** The field that `createTest` adds to the context of its tests. */
export interface WorldContext {
  /** The world of the test: created before the test, judged and dropped after it. */
  world: TestWorld;
}

const optionNames = [
  'scenario',
  'clock',
  'ttl',
  'seed',
  'settings',
  'failOn',
  'keepFailed',
  'emulator',
] as const satisfies readonly (keyof TestOptions)[];

/**
 * Creates a `test` function that gives each test a `world` of its own. Like any other, it can be extended, chained
 * (`test.concurrent`, `test.for`) and retried; a retry begins with an equal world. When a test fails, it prints what the
 * client did.
 *
 * @example
 * const test = createTest({ scenario: 'rate-limited', failOn: 'fail' });
 * test('waits as long as Retry-After says', async ({ world, expect }) => {
 *   const client = createClient({ baseUrl: world.url, apiKey: world.apiKey });
 *   await client.deploy('web');
 *   await world.controls.clock.advance('10m');
 *   expect(await client.status('web')).toBe('running');
 * });
 *
 * @throws Error if an option is unknown
 */
export function createTest(options: TestOptions = {}): TestAPI<WorldContext> {
  asCalled(createTest, () => checkOptions(options));
  const world: WorldFixture = async ({ task, onTestFinished, emulators }, use) => {
    // No installer checks the version: npm 10 fails on any range of it.
    if (typeof emulators.of !== 'function') throw new Error('cloudemu/vitest needs Vitest 3.2 or later');
    const emulator = await emulatorFor(emulators, options.emulator);
    const { world, seed } = await openWorld(emulator, task, options);
    // After all that tests and other fixtures do to end what they have begun.
    onTestFinished(async () => {
      const hasFailed = task.result?.state === 'fail';
      const when = !hasFailed ? (options.failOn ?? 'never') : task.fails === true ? 'never' : 'always';
      const problem = await end(world, when, options.keepFailed);
      if (problem === undefined) return;
      const text = `cloudemu: "${nameOf(task)}" in world ${world.id}, seed ${JSON.stringify(seed)}\n${problem}`;
      if (!hasFailed) throw new Error(text);
      console.error(text);
    });
    const { close: _, finish: __, [Symbol.asyncDispose]: ___, ...shown } = world;
    await use({ ...shown, seed });
  };
  return withWorld(world) as unknown as TestAPI<WorldContext>;
}

type WorldFixture = (
  context: TestContext & { emulators: Emulators },
  use: (world: TestWorld) => Promise<void>,
) => Promise<void>;

// Vitest 4 wants fixtures of a worker at the top of a file; Vitest 3 adds what is extended to what it is extended from.
function withWorld(world: WorldFixture): TestAPI<{ emulators: Emulators } & WorldContext> {
  try {
    return vitestTest.extend<{ emulators: Emulators } & WorldContext>({ emulators: emulatorsFixture, world });
  } catch {
    return inDescribe.extend<WorldContext>({ world });
  }
}

// Vitest makes a fixture of a worker once for each `createTest`: the last one that ends closes the emulators.
const emulators = createEmulators((options) => import('./index.js').then((entry) => entry.createEmulator(options)));
const emulatorsFixture: [
  (context: object, use: (value: Emulators) => Promise<void>) => Promise<void>,
  { scope: 'worker' },
] = [
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what is needed.
  async ({}, use) => {
    const release = emulators.hold();
    if (sharedUrl() !== '') forgetReceipt();
    await use(emulators);
    await release();
  },
  { scope: 'worker' },
];
const inDescribe = vitestTest.extend<{ emulators: Emulators }>({ emulators: emulatorsFixture });

/** `test` with a `world` of the test's own: `createTest()` without options. */
export const test: TestAPI<WorldContext> = createTest();
export const it: TestAPI<WorldContext> = test;

const sharedUrl = (): string => process.env.CLOUDEMU_URL ?? '';

// The one that is shared, else one of this worker's.
async function emulatorFor(emulators: Emulators, options: CreateEmulatorOptions | undefined): Promise<RemoteEmulator> {
  const shared = sharedUrl();
  if (shared !== '' && options !== undefined)
    throw new Error(`The option emulator is of no use where CLOUDEMU_URL names a running one (${shared})`);
  return shared === '' ? connect({ url: localUrl(await emulators.of(options)) }) : connect();
}

async function openWorld(
  emulator: RemoteEmulator,
  task: RunnerTestCase,
  { clock, ttl, settings, scenario, ...options }: TestOptions,
): Promise<{ world: RemoteWorld; seed: string | number }> {
  const label = nameOf(task).slice(0, longestLabel);
  const { seed = (typeof scenario === 'object' ? scenario?.seed : undefined) ?? seedOfLabel(label) } = options;
  const begins = settings === undefined ? scenario : await withSettings(emulator, scenario, settings);
  return { seed, world: await emulator.createWorld({ label, seed, clock, ttl, scenario: begins }) };
}

const longestLabel = 1_000;

async function withSettings(
  { controls }: RemoteEmulator,
  scenario: TestOptions['scenario'],
  settings: NonNullable<TestOptions['settings']>,
): Promise<ScenarioInput> {
  const document =
    typeof scenario === 'string'
      ? { title: scenario, ...(await controls.scenarios.get(scenario)).document }
      : (scenario ?? {});
  return { ...document, settings: mergeTrees((document.settings ?? {}) as Tree, settings as Tree) };
}

// An emulator that is gone must not hide why the test failed.
async function end(
  world: RemoteWorld,
  when: 'always' | 'never' | 'fail',
  keepFailed: boolean | undefined,
): Promise<string | undefined> {
  if (when === 'never') {
    await world.close();
    return undefined;
  }
  try {
    const { ok, text } = await world.finish({ failed: when === 'always', keepFailed });
    return ok && when === 'fail' ? undefined : text;
  } catch (error) {
    return `There is no report: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The same in each run of the tests, and of no other test: those of one name in a file are numbered as they stand there. */
function nameOf(task: RunnerTestCase): string {
  const name = pathOf(task).join(' > ');
  const isNamesake = (other: RunnerTestCase): boolean => other.name === task.name && pathOf(other).join(' > ') === name;
  const namesakes = testsIn(task.file.tasks).filter(isNamesake);
  const number = namesakes.indexOf(task) + 1;
  const project = task.file.projectName ?? '';
  return [...(project === '' ? [] : [project]), task.file.name, number > 1 ? `${name} (${number})` : name].join(' > ');
}

function pathOf(task: RunnerTestCase): string[] {
  const names: string[] = [task.name];
  for (let suite = task.suite; suite !== undefined && suite !== task.file; suite = suite.suite)
    names.unshift(suite.name);
  return names;
}

const testsIn = (tasks: RunnerTask[]): RunnerTestCase[] =>
  tasks.flatMap((task) => (task.type === 'suite' ? testsIn(task.tasks) : [task]));

function checkOptions(options: TestOptions): void {
  if (!isFields(options)) throw new Error(`createTest: options must be an object, got ${described(options)}`);
  for (const name of Object.keys(options)) {
    if ((optionNames as readonly string[]).includes(name)) continue;
    const suggestion = nearest(name, optionNames);
    throw new Error(
      `createTest: ${name} is not an option${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`,
    );
  }
  const { failOn, keepFailed } = options;
  if (keepFailed !== undefined && typeof keepFailed !== 'boolean')
    throw new Error(`createTest: keepFailed must be true or false, got ${described(keepFailed)}`);
  if (failOn !== undefined && failOn !== 'never' && failOn !== 'fail')
    throw new Error(`createTest: failOn must be never or fail, got ${JSON.stringify(failOn)}`);
}
