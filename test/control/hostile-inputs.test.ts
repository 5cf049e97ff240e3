// What every method of the controls makes of what it was not meant to be given: an answer, or an error that says what was
// wrong; in process and over HTTP alike.

import { expect, it } from 'vitest';
import { connect } from '../../src/client.js';
import { parametersOf } from '../../src/control/arguments.js';
import { isOperation } from '../../src/control/operation.js';
import { type Controls, controlTree } from '../../src/controls.js';
import { ApiError, type Emulator } from '../../src/index.js';
import { paymentHeader, paymentPayload, signHeaders, signSiwe, siweMessage, testWallet } from '../../src/testing.js';
import { isTried } from '../support/campaign.js';
import { startEmulator } from '../support/emulator.js';
import { prepareGround } from '../support/ground.js';

const hostile: [text: string, value: unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['NaN', Number.NaN],
  ['-1', -1],
  ['an empty text', ''],
  ['a text', 'garbage'],
  ['an empty object', {}],
  ['an empty list', []],
  ['an unknown field', { nonsens: 1 }],
  ['a list', [1]],
  ['true', true],
  ['fields of wrong types', { by: null, to: 5, speed: 'x', name: 5, id: [], seed: {}, index: 1.5, model: 5, role: 5 }],
];

type Method = (...args: unknown[]) => unknown;

function methodsOf(object: object, prefix = ''): [name: string, method: Method][] {
  return Object.entries(object).flatMap(([name, value]): [string, Method][] =>
    typeof value === 'function' ? [[prefix + name, value as Method]] : methodsOf(value as object, `${prefix}${name}.`),
  );
}

/** The methods whose first argument names one thing, and whose second is an object. */
function methodsWithTwo(group: object, prefix = ''): string[] {
  return Object.entries(group).flatMap(([name, member]: [string, object]) => {
    if (!isOperation(member)) return methodsWithTwo(member, `${prefix}${name}.`);
    const { path, takesBody, takesQuery } = member.shape;
    return parametersOf(path).length > 0 && (takesBody || takesQuery) ? [prefix + name] : [];
  });
}
const withTwo = methodsWithTwo(controlTree);

/** What a method makes of what it is given: an error, or undefined. Of a stream it is enough that it begins. */
async function errorOf(method: Method, args: unknown[]): Promise<Error | undefined> {
  try {
    const answer = method(...args);
    if (answer !== null && typeof answer === 'object' && Symbol.asyncIterator in answer) {
      const giveUp = new AbortController();
      giveUp.abort();
      await (answer as AsyncGenerator).return(undefined);
    }
    await answer;
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** All that can be read of a world, apart from the wall's time. */
function stateOf({ controls }: Emulator): string {
  const { uptimeMs: _, ...health } = controls.health();
  const read = [
    controls.clock.get(),
    controls.config(),
    controls.containers.list(),
    controls.organizations.list(),
    controls.ledger(),
    controls.keys.list(),
    controls.users.list(),
    controls.sessions.list(),
    controls.voices.list(),
    controls.jobs.list(),
    controls.payments.list(),
    controls.payments.balances(),
    controls.limits.list(),
    controls.faults.list(),
    controls.replies.list(),
    controls.requests.list().requests,
    controls.snapshots.list(),
    controls.worlds.list(),
  ];
  return JSON.stringify([health, ...read]);
}

// As if nobody was told that a fault of the emulator is one.
const faults = /undefined|is not a|of null|\[object|cannot read|cannot destructure/i;

function expectClear(error: Error, what: string): void {
  expect(error, `${what}: ${error.stack}`).toBeInstanceOf(ApiError);
  const { code, message, status, options } = error as ApiError;
  expect(message, what).not.toMatch(faults);
  expect(status, `${what}: ${message}`).toBeLessThan(500);
  if (code !== 'VALIDATION_ERROR') return;
  const problems = options.details as { path: string; message: string; suggestion?: string }[];
  expect(problems, what).not.toEqual([]);
  for (const { path, message: meant } of problems) expect(message, what).toContain(`${path} ${meant}`);
}

it('answers hostile values with what is wrong, and changes nothing by half', async () => {
  const emulator = await startEmulator();
  await prepareGround(emulator);
  let before = stateOf(emulator);
  for (const [row, [name, method]] of [...methodsOf(emulator.controls)].entries()) {
    for (const [column, [text, value]] of hostile.entries()) {
      if (!isTried(row, column, 8)) continue;
      for (const args of withTwo.includes(name) ? [[value], ['web', value]] : [[value]]) {
        const error = await errorOf(method, args);
        if (error === undefined) {
          emulator.controls.clock.freeze();
          emulator.controls.drain({ end: true });
        }
        const after = stateOf(emulator);
        if (error !== undefined) {
          expectClear(error, `${name} (${text}, argument ${args.length})`);
          expect(after === before, `${name} (${text}) left the world as it was`).toBe(true);
        }
        before = after;
      }
    }
  }
}, 60_000);

it('says the same over HTTP', async () => {
  const emulator = await startEmulator();
  await prepareGround(emulator);
  const remote = connect({ url: emulator.url });
  const calls = new Map(methodsOf(remote.controls));
  for (const [name, method] of methodsOf(emulator.controls)) {
    // What can be written as JSON.
    for (const [text, value] of hostile.filter(([, one]) => one !== undefined && !Number.isNaN(one))) {
      // A stream over HTTP is opened when somebody reads from it.
      if (name === 'events' || name === 'requests.follow') continue;
      const error = await errorOf(method, [value]);
      if (error === undefined) continue;
      const there = await errorOf(calls.get(name) as Method, [value]);
      // What has no name has no URL.
      if (value === '' && (there as ApiError).code === 'NOT_FOUND') continue;
      expect(there?.message, `${name} (${text})`).toBe(error.message);
    }
  }
}, 60_000);

it.each<[string, (controls: Controls) => unknown, ...string[]]>([
  ['clock.skew', ({ clock }) => clock.skew({ to: 'garbage' }), 'to must be an ISO 8601 time', 'got "garbage"'],
  ['clock.skew', ({ clock }) => clock.skew({ too: null } as never), 'too is unknown; did you mean to?'],
  ['clock.resume', ({ clock }) => clock.resume({ speed: Number.NaN }), 'speed must be a number, got NaN'],
  ['clock.resume', ({ clock }) => clock.resume({ speed: -1 }), 'speed must be more than 0, got -1'],
  ['clock.advance', ({ clock }) => clock.advance(null as never), 'by must be a string, or a number, got null'],
  ['containers.skip', (c) => c.containers.skip('web', { status: 'runing' } as never), 'did you mean running?'],
  ['jobs.fail', (c) => c.jobs.fail('x', { mode: 'too-shrt' } as never), 'mode must be', 'did you mean too-short?'],
  ['requests.follow', (c) => c.requests.follow({ sinc: 1 } as never), 'sinc is unknown; did you mean since?'],
  ['scenarios.apply', (c) => c.scenarios.apply('none', { mrge: true } as never), 'did you mean merge?'],
  [
    'scenarios.apply',
    (c) => c.scenarios.apply(undefined as never),
    'scenario must be a name or a document, got nothing',
  ],
  ['worlds.create', (c) => c.worlds.create({ sede: 1 } as never), 'sede is unknown; did you mean seed?'],
  ['payments.failNextSettlement', (c) => c.payments.failNextSettlement('nonsense' as never), 'must be one of'],
])('%s names the field, what came and what was meant', async (_, act, ...texts) => {
  const { controls } = await startEmulator();
  const error = await errorOf(() => act(controls), []);
  for (const text of texts) expect(error?.message).toContain(text);
});

it.each<[unknown, string]>([
  [{ ulr: 'http://127.0.0.1:1' }, 'ulr is unknown; did you mean url?'],
  [{ url: 5 }, 'url must be a string, got 5'],
  [{ token: {} }, 'token must be a string, got an object'],
  [null, 'options must be an object, got null'],
  ['http://127.0.0.1:1', 'options must be an object such as { url }, got "http://127.0.0.1:1"'],
])('connect(%j) says what is wrong', (options, message) => {
  expect(() => connect(options as never)).toThrow(message);
});

it('helpers of cloudemu/testing refuse a mistake that they do not know', async () => {
  const wallet = testWallet('1');
  const requirement = { scheme: 'exact', network: 'base', asset: '0x', payTo: '0x', maxTimeoutSeconds: 1 } as never;
  const wrong = 'expird' as never;
  const fields = { domain: 'x', uri: 'x', nonce: 'x', wrong };
  for (const act of [
    () => signHeaders({ wallet, path: '/', wrong }),
    () => paymentHeader({ wallet, requirement, wrong }),
    () => paymentPayload({ wallet, requirement, wrong }),
    () => signSiwe({ ...fields, wallet }),
    () => siweMessage({ ...fields, address: wallet.address }),
  ])
    expect((await errorOf(act, []))?.message).toMatch(
      /^wrong must be one of .*, got "expird"; did you mean "expired"\?$/,
    );
});

it('says after the end that the emulator is closed', async () => {
  const emulator = await startEmulator();
  const world = await emulator.createWorld({ id: 'blue' });
  const other = await emulator.createWorld({ id: 'green' });
  const { controls } = world;
  world.close();
  expect(await errorOf(() => controls.health(), [])).toMatchObject({ message: 'The world "blue" has ended' });
  world.close();
  await emulator.close();
  for (const [name, method] of methodsOf(emulator.controls))
    expect(await errorOf(method, ['web']), name).toMatchObject({ message: 'The emulator is closed' });
  expect(await errorOf(() => emulator.createWorld(), [])).toMatchObject({ message: 'The emulator is closed' });
  expect(await errorOf(() => emulator.fetch('/'), [])).toMatchObject({ message: 'The emulator is closed' });
  expect(await errorOf(() => other.controls, [])).toMatchObject({ message: 'The emulator is closed' });
  other.close();
  await emulator.close();
});
