// One operation, four ways to call it: in process, over HTTP, with cloudemu/client and with its command. The answers are the
// same. There is a row for each form that arguments can have; how operations are bound does not depend on which they are.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Controls, controlOperations, controlTree } from '../../src/app/controls.js';
import { connect } from '../../src/client.js';
import { wholePath } from '../../src/control/base-url.js';
import { isOperation, type MethodShape } from '../../src/control/operation.js';
import type { EmulatorWorld } from '../../src/index.js';
import { tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { commands } from '../support/commands.js';
import { call, deploy, startWorld } from '../support/emulator.js';

interface Row {
  act: (controls: Controls) => unknown;
  http: [method: string, path: string, body?: unknown];
  line: string[];
}

const rule = { match: { operation: 'containers.create' }, effect: { status: 503 } } as const;
const scenario = { containers: [{ match: { project: 'shop' }, mode: 'crash-loop' }] } as const;
const wallet = `0x${'ab'.repeat(20)}`;

function documentFile(): string {
  const file = join(tempDir(), 'scenario.json');
  writeFileSync(file, JSON.stringify(scenario));
  return file;
}

const rows: Record<string, Row> = {
  'no argument': { act: ({ clock }) => clock.get(), http: ['GET', '/clock'], line: ['clock', 'get'] },
  'a list': { act: ({ containers }) => containers.list(), http: ['GET', '/containers'], line: ['container', 'list'] },
  'a query': {
    act: (controls) => controls.ledger({ operation: 'containers.create' }),
    http: ['GET', '/ledger?operation=containers.create'],
    line: ['ledger', '--operation', 'containers.create'],
  },
  'a body': {
    act: ({ payments }) => payments.setBalance({ address: wallet, usdc: 2 }),
    http: ['POST', '/payments/balances', { address: wallet, usdc: 2 }],
    line: ['payments', 'balance', wallet, '2'],
  },
  'a name and a body': {
    act: ({ containers }) => containers.skip('web', { status: 'running' }),
    http: ['POST', '/containers/web/skip', { status: 'running' }],
    line: ['container', 'skip', 'web', '--status', 'running'],
  },
  'a value instead of an object': {
    act: ({ clock }) => clock.advance('10m'),
    http: ['POST', '/clock/advance', { by: '10m' }],
    line: ['clock', 'advance', '10m'],
  },
  'null instead of an object': {
    act: ({ payments }) => payments.failNextSettlement(null),
    http: ['POST', '/payments', { failNext: null }],
    line: ['payments', 'fail', 'null'],
  },
  'a default value': {
    act: ({ payments }) => payments.failNextSettlement(),
    http: ['POST', '/payments', { failNext: 'invalid_transaction_state' }],
    line: ['payments', 'fail', 'invalid_transaction_state'],
  },
  'a variant, and a document as its body': {
    act: ({ faults }) => faults.check(rule),
    http: ['POST', '/faults?dryRun=true', rule],
    line: ['faults', 'add', JSON.stringify(rule), '--dry-run'],
  },
  'an operation that creates': {
    act: ({ faults }) => faults.add(rule),
    http: ['POST', '/faults', rule],
    line: ['faults', 'add', JSON.stringify(rule)],
  },
  'a name': {
    act: ({ scenarios }) => scenarios.apply('quota-reached'),
    http: ['POST', '/scenarios/quota-reached', {}],
    line: ['scenario', 'apply', 'quota-reached'],
  },
  'a document instead of a name': {
    act: ({ scenarios }) => scenarios.apply(scenario as never, { merge: true }),
    http: ['POST', '/scenarios', { ...scenario, merge: true }],
    line: ['scenario', 'apply', documentFile(), '--merge'],
  },
  'a name inside the object': {
    act: ({ scenarios }) => scenarios.save({ name: 'mine', title: 'Mine' }),
    http: ['POST', '/scenarios/mine/save', { title: 'Mine' }],
    line: ['scenario', 'save', 'mine', '--title', 'Mine'],
  },
  'a promise, and what ends it': {
    act: (controls) =>
      controls.await({ container: 'web', status: 'running', advance: true }, { signal: new AbortController().signal }),
    http: ['POST', '/await', { container: 'web', status: 'running', advance: true }],
    line: ['await', 'container', 'web', '--status', 'running', '--advance'],
  },
};

async function prepared(): Promise<EmulatorWorld> {
  const world = await startWorld();
  await deploy(world);
  return world;
}

// Ports, prefixes of worlds, and what only a process in a project can name, differ.
function compared(value: unknown): unknown {
  const text = JSON.stringify(value, (key, inner) => (key === '$schema' ? undefined : inner));
  return JSON.parse(text.replace(/https?:\/\/(127\.0\.0\.1|localhost):\d+(\/w\/\w+)?/g, '').replace(/\/w\/w\d+/g, ''));
}

it.each(Object.entries(rows))(
  'all bindings of an operation give the same, called with %s',
  async (_, { act, http, line }) => {
    const [here, there, remote, command] = await Promise.all([prepared(), prepared(), prepared(), prepared()]);
    const [method, path, body] = http;
    const answer = await call(there, method, `/_emulator${path}`, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    const inProcess = await act(here.controls);
    const listName = /\w+/.exec(path)?.[0] ?? '';
    const whole = Array.isArray(inProcess) ? { [listName]: inProcess, total: inProcess.length } : inProcess;
    expect(compared(answer.body)).toEqual(compared(whole));

    const controls = connect({ url: remote.url }).controls as unknown as Controls;
    expect(compared(await act(controls))).toEqual(compared(inProcess));

    const { code, stdout, stderr } = await runHere([...line, '--json', '--url', command.url]);
    expect([code, stderr]).toEqual([0, '']);
    expect(compared(JSON.parse(stdout))).toEqual(compared(whole));
  },
);

it('all bindings of an operation stream the same records', async () => {
  const [here, remote] = await Promise.all([prepared(), prepared()]);
  const first = async (items: AsyncIterable<unknown>): Promise<unknown> => {
    for await (const item of items) return item;
    return undefined;
  };
  const { signal } = new AbortController();
  const options = { since: 0, signal } as const;
  const inProcess = (await first(here.controls.requests.follow(options))) as { method: string; path: string };
  const controls = connect({ url: remote.url }).controls;
  expect(await first(controls.requests.follow(options))).toMatchObject({
    method: inProcess.method,
    path: inProcess.path,
  });
});

it('every operation has a command, and a method where it is not the document form of another', () => {
  const called = commands.map(({ operation }) => operation);
  const without = controlOperations.filter(({ id }) => !called.includes(id)).map(({ id }) => id);
  // Commands make and end worlds by the paths of the worlds; others are for the page and for fixtures.
  const ofPage = [
    'changes',
    'checkExploration',
    'coverage',
    'events',
    'expectations',
    'exploration',
    'incidents',
    'keep',
  ].map((name) => `control.${name}`);
  const others = ['control.scenarios.applyDocument', 'control.worlds.create', 'control.worlds.drop'];
  expect(without.toSorted()).toEqual([...ofPage, ...others].toSorted());
  const shapes: MethodShape[] = [];
  const walk = (group: object): void => {
    for (const member of Object.values(group) as object[]) {
      if (isOperation(member)) shapes.push(member.shape);
      else walk(member);
    }
  };
  walk(controlTree);
  const methods = new Set(shapes.map(({ method, path }) => `${method} ${wholePath(path)}`));
  const unbound = controlOperations.filter(({ method, path }) => !methods.has(`${method} ${path}`)).map(({ id }) => id);
  expect(unbound).toEqual(['control.scenarios.applyDocument']);
});
