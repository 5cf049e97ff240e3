// Every method of the controls, given what it was not meant to be given: it answers, or gives an error that says what was
// wrong; in process and over HTTP alike.

import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { type Controls, controlTree } from '../../src/app/controls.js';
import { connect } from '../../src/client.js';
import { parametersOf } from '../../src/control/arguments.js';
import { isOperation } from '../../src/control/operation.js';
import { ApiError, createEmulator, type Emulator } from '../../src/index.js';
import { paymentHeader, paymentPayload, signHeaders, signSiwe, siweMessage, testWallet } from '../../src/testing.js';
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

/** The error that a method's call ends with, or undefined. A stream need only begin. */
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

// Words of errors that come of the emulator's own faults.
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

it('every control answers hostile values with what is wrong, and changes nothing by half', async () => {
  const emulator = await startEmulator();
  await prepareGround(emulator);
  let before = stateOf(emulator);
  for (const [name, method] of methodsOf(emulator.controls)) {
    for (const [text, value] of hostile) {
      for (const args of withTwo.includes(name) ? [[value], ['web', value]] : [[value]]) {
        const error = await errorOf(method, args);
        if (error === undefined) emulator.controls.clock.freeze();
        const after = stateOf(emulator);
        if (error !== undefined) {
          expectClear(error, `${name} (${text}, argument ${args.length})`);
          expect(after === before, `${name} (${text}) left the world as it was`).toBe(true);
        }
        before = after;
      }
    }
  }
});

it('every control reports the same over HTTP', async () => {
  const emulator = await startEmulator();
  await prepareGround(emulator);
  const remote = connect({ url: emulator.url });
  const calls = new Map(methodsOf(remote.controls));
  for (const [name, method] of methodsOf(emulator.controls)) {
    // These values can be written as JSON.
    for (const [text, value] of hostile.filter(([, one]) => one !== undefined && !Number.isNaN(one))) {
      // A stream over HTTP is opened when somebody reads from it.
      if (name === 'events' || name === 'requests.follow') continue;
      const error = await errorOf(method, [value]);
      if (error === undefined) continue;
      const there = await errorOf(calls.get(name) as Method, [value]);
      // A thing without a name has no URL.
      if (value === '' && (there as ApiError).code === 'NOT_FOUND') continue;
      expect(there?.message, `${name} (${text})`).toBe(error.message);
    }
  }
});

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
  ['scenarios.save', (c) => c.scenarios.save('x' as never), 'options must be an object such as { name }, got "x"'],
  ['scenarios.save', (c) => c.scenarios.save(undefined as never), 'name is required'],
  ['clock.resume', ({ clock }) => clock.resume(5 as never), 'options must be an object, got 5'],
  ['organizations.credits', (c) => c.organizations.credits('x', {} as never), 'options must have one of `set`, `add`'],
  ['organizations.credits', (c) => c.organizations.credits('x', { set: 1 }), 'There is no organization "x"'],
  ['containers.get', (c) => c.containers.get(1n as never), 'id must be a string, got 1n'],
  ['worlds.create', (c) => c.worlds.create({ sede: 1 } as never), 'sede is unknown; did you mean seed?'],
  ['payments.failNextSettlement', (c) => c.payments.failNextSettlement('nonsense' as never), 'must be one of'],
])('%s names the field, what came and what was meant', async (_, act, ...texts) => {
  const { controls } = await startEmulator();
  const error = await errorOf(() => act(controls), []);
  for (const text of texts) expect(error?.message).toContain(text);
});

it.each<[unknown, string | RegExp]>([
  [{ ulr: 'http://127.0.0.1:1' }, 'ulr is unknown; did you mean url?'],
  [{ url: 5 }, 'url must be a string, got 5'],
  [{ url: 'http://' }, /^url must be a URL that begins with http:\/\/ or https:\/\/, got "http:\/\/"$/],
  [
    { url: 'here:1/' },
    'url must be a URL that begins with http:// or https://, got "here:1/"; did you mean "http://here:1"?',
  ],
  [{ token: {} }, 'token must be a string, got an object'],
  [null, 'options must be an object, got null'],
  ['http://127.0.0.1:1', 'options must be an object such as { url }, got "http://127.0.0.1:1"'],
  [new Map([['url', 'http://127.0.0.1:1']]), 'options must be an object, got an instance of Map'],
  [[], 'options must be an object, got a list of 0'],
  [
    { url: 'http://127.0.0.1:1/?world=blue' },
    'url must be a URL without a query, a fragment or /_emulator, got "http://127.0.0.1:1/?world=blue"; did you mean "http://127.0.0.1:1"?',
  ],
  [
    { url: 'http://127.0.0.1:1/w/blue#' },
    'got "http://127.0.0.1:1/w/blue#"; did you mean "http://127.0.0.1:1/w/blue"?',
  ],
])('connect(%j) says what is wrong', (options, message) => {
  expect(() => connect(options as never)).toThrow(message);
});

it.each<[unknown, string]>([
  [{ config: null }, 'config must be an object, or the name of a file, got null'],
  [{ config: 5 }, 'config must be an object, or the name of a file, got 5'],
  [{ configFile: 5 }, 'configFile must be the name of a file, or false for none, got 5'],
  [{ configFile: '' }, 'configFile must be the name of a file, or false for none, got ""'],
  [{ config: new Map() }, 'config must be an object, or the name of a file, got an instance of Map'],
])('createEmulator(%j) says what is wrong', async (options, message) => {
  await expect(createEmulator(options as never)).rejects.toThrow(`createEmulator: ${message}`);
});

it('createEmulator and connect take nothing for empty options that can hold no options', async () => {
  await expect(createEmulator(new Map([['seed', '1']]) as never)).rejects.toThrow(
    'createEmulator takes an object of options, got an instance of Map',
  );
  await expect(createEmulator(Promise.resolve({}) as never)).rejects.toThrow('got an instance of Promise');
  const emulator = await startEmulator();
  const { controls } = emulator;
  for (const act of [
    () => controls.faults.add(new Map() as never),
    () => controls.ledger(new Date() as never),
    () => connect({ url: emulator.url }).createWorld(new Set() as never),
  ])
    expect((await errorOf(act, []))?.message).toMatch(/^options must be an object, got an instance of (Map|Date|Set)$/);
  expect((await errorOf(() => emulator.createWorld(new Set() as never), []))?.message).toMatch(/instance of Set$/);
  // This has fields, whoever made it; those of another realm have another Object.
  class Options {
    seed = '1';
  }
  const elsewhere = runInNewContext('({})');
  for (const options of [new Options(), elsewhere, Object.create(null)])
    await (await createEmulator({ ...options })).close();
  await (await createEmulator(new Options())).close();
  await (await createEmulator(elsewhere)).close();
});

it.each(['garbage', undefined, 5])('fetch(%j) says what is wrong', async (input) => {
  const emulator = await startEmulator();
  for (const { fetch } of [emulator, await emulator.createWorld(), connect({ url: emulator.url })])
    await expect(fetch(input as never)).rejects.toThrow(
      `input must be a path that begins with "/", or a URL, got ${JSON.stringify(input) ?? 'nothing'}`,
    );
});

it('the same ids of worlds are refused over HTTP', async () => {
  const remote = connect({ url: (await startEmulator()).url });
  await expect(remote.createWorld({ id: null } as never)).rejects.toThrow('id must be a string, got null');
  await expect(remote.createWorld({ id: '' })).rejects.toThrow('There is no thing with the id ""');
});

const wallet = testWallet('1');
const address = `0x${'1'.repeat(40)}`;
const requirement = { scheme: 'exact', network: 'base', asset: address, payTo: address, maxTimeoutSeconds: 1 };
const paid = { ...requirement, extra: { name: 'USDC', version: '2' } };
const siwe = { wallet, domain: 'x', uri: 'x', nonce: 'x' };

it.each<[string, (...given: never[]) => unknown, unknown[], string | undefined]>([
  ['signHeaders', signHeaders, [], 'request must be an object, got nothing'],
  ['signHeaders', signHeaders, ['x'], 'request must be an object, got "x"'],
  ['signHeaders', signHeaders, [new Map()], 'request must be an object, got an instance of Map'],
  ['signHeaders', signHeaders, [{ wallet }], 'path is required: a string'],
  ['signHeaders', signHeaders, [{ wallet: {}, path: '/' }], 'wallet.privateKey is required: 0x and 64 hex digits'],
  [
    'signHeaders',
    signHeaders,
    [{ wallet: { privateKey: 'secret' }, path: '/' }],
    'wallet.privateKey must be 0x and 64 hex digits, got a string of 6 characters',
  ],
  ['signHeaders', signHeaders, [{ wallet, path: 5 }], 'path must be a string, got 5'],
  ['signHeaders', signHeaders, [{ wallet, path: '/', timestamp: '1' }], 'timestamp must be a number, got "1"'],
  [
    'signHeaders',
    signHeaders,
    [{ wallet, pth: '/' }],
    'pth is unknown; did you mean path?\npath is required: a string',
  ],
  ['paymentHeader', paymentHeader, [], 'request must be an object, got nothing'],
  ['paymentHeader', paymentHeader, [{ wallet }], 'requirement is required: an object'],
  ['paymentHeader', paymentHeader, [{ wallet, requirement }], 'requirement.extra is required: an object'],
  ['paymentHeader', paymentHeader, [{ wallet, requirement: paid, now: 'x' }], 'now must be a number, got "x"'],
  ['paymentHeader', paymentHeader, [{ wallet, requirement: paid, version: 3 }], 'version must be one of 1, 2, got 3'],
  ['paymentPayload', paymentPayload, [{ wallet, requirement: paid, nonce: 'x' }], 'nonce must be 0x and 64 hex digits'],
  ['siweMessage', siweMessage, [], 'request must be an object, got nothing'],
  ['siweMessage', siweMessage, [{ ...siwe, address: undefined }], 'address is required: a string'],
  ['signSiwe', signSiwe, [{ ...siwe, nonce: 5 }], 'nonce must be a string, got 5'],
  ['signSiwe', signSiwe, [{ ...siwe, resources: 'x' }], 'resources must be a list of strings, got "x"'],
  ['signSiwe', signSiwe, [{ ...siwe, issuedAt: 'x', wrong: 'expired' }], 'issuedAt must be an ISO 8601 time'],
  ['signSiwe', signSiwe, [{ ...siwe, more: 'of the nonce' }], undefined],
  ['testWallet', testWallet, [], 'seed must be a string, or a number, got nothing'],
  ['testWallet', testWallet, ['1', -1], 'index must be a whole number of at least 0, got -1'],
])('%s of cloudemu/testing names the field, what came and what was meant', async (_, helper, given, message) => {
  const error = await errorOf(helper as Method, given);
  if (message === undefined) expect(error).toBeUndefined();
  else expect(error?.message).toContain(message);
});

it('helpers of cloudemu/testing refuse a mistake that they do not know', async () => {
  const wrong = 'expird' as never;
  const fields = { domain: 'x', uri: 'x', nonce: 'x', wrong };
  for (const act of [
    () => signHeaders({ wallet, path: '/', wrong }),
    () => paymentHeader({ wallet, requirement: requirement as never, wrong }),
    () => paymentPayload({ wallet, requirement: requirement as never, wrong }),
    () => signSiwe({ ...fields, wallet }),
    () => siweMessage({ ...fields, address: wallet.address }),
  ])
    expect((await errorOf(act, []))?.message).toMatch(
      /^wrong must be one of .*, got "expird"; did you mean "expired"\?$/,
    );
});

it('every control says after the end that the emulator is closed', async () => {
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
