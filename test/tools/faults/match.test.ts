// The requests that a rule is for: by operation, method, path, key, organization, headers.

import { expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import type { FaultRequest } from '../../../src/tools/faults/rule.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';

type Match = NonNullable<FaultRequest['match']>;

/** Whether a rule with these selectors acts on a request. */
async function hits(
  emulator: Emulator,
  match: Match,
  [method, path, headers = {}]: readonly [string, string, Record<string, string>?],
): Promise<boolean> {
  emulator.controls.faults.clear();
  emulator.controls.faults.add({ match, effect: { status: 599 } });
  return (await call(emulator, method, path, method === 'POST' ? {} : undefined, headers)).status === 599;
}

const containers = '/api/v1/containers';
const logs = `${containers}/00000000-0000-4000-8000-000000000000/logs`;

it.each<[Match, [string, string], boolean]>([
  [{}, ['GET', containers], true],
  [{ operation: '*' }, ['GET', logs], true],
  [{ operation: 'containers.list' }, ['GET', containers], true],
  [{ operation: 'containers.list' }, ['POST', containers], false],
  [{ operation: 'containers.*' }, ['GET', logs], true],
  [{ operation: 'containers.*' }, ['GET', '/api/v1/credits/balance'], false],
  [{ operation: '*.list' }, ['GET', '/api/v1/api-keys'], true],
  [{ operation: '*.list' }, ['POST', containers], false],
  [{ operation: 'containers.c*' }, ['POST', containers], true],
  [{ method: 'POST' }, ['POST', containers], true],
  [{ method: 'POST' }, ['GET', containers], false],
  [{ method: 'GET' }, ['HEAD', containers], true],
  [{ path: containers }, ['GET', containers], true],
  [{ path: `${containers}/` }, ['GET', containers], true],
  [{ path: containers }, ['GET', `${containers}/`], true],
  [{ path: containers }, ['GET', `${containers}?x=1`], true],
  [{ path: containers }, ['GET', '/api/v1/%63ontainer%73'], true],
  [{ path: containers }, ['GET', logs], false],
  [{ path: logs }, ['GET', logs], true],
  [{ path: `${containers}/{id}/logs` }, ['GET', logs], true],
  [{ path: `${containers}/{id}` }, ['GET', logs], false],
  [{ path: `${containers}/*` }, ['GET', logs], true],
  [{ path: `${containers}/*` }, ['GET', containers], false],
  [{ path: '*/logs' }, ['GET', logs], true],
  [{ path: '/api/*', method: 'GET', operation: 'containers.*' }, ['GET', logs], true],
  [{ path: '/api/*', method: 'GET', operation: 'containers.*' }, ['POST', containers], false],
])('the match of a rule is checked: %j and %j', async (match, request, expected) => {
  expect(await hits(await startEmulator(), match, request)).toBe(expected);
});

it('a match by key takes id, value and beginning, and stores the id only', async () => {
  const emulator = await startEmulator();
  const { faults, keys } = emulator.controls;
  const mine = keys.create({ name: 'Mine' });
  const headers = { authorization: `Bearer ${mine.apiKey}` };
  for (const key of [mine.id, mine.apiKey, mine.apiKey.slice(0, 12)]) {
    expect(await hits(emulator, { key }, ['GET', containers, headers])).toBe(true);
    expect(await hits(emulator, { key }, ['GET', containers])).toBe(false);
    expect(JSON.stringify(faults.list())).not.toContain(mine.apiKey);
    expect(faults.list()[0]?.match.key).toBe(mine.id);
  }
});

it('a match by organization matches that organization’s requests only', async () => {
  const emulator = await startEmulator();
  const other = emulator.controls.organizations.create();
  const headers = { authorization: `Bearer ${other.apiKey}` };
  const match = { organization: other.id };
  expect(await hits(emulator, match, ['GET', containers, headers])).toBe(true);
  expect(await hits(emulator, match, ['GET', containers])).toBe(false);
  expect(await hits(emulator, match, ['GET', containers, { authorization: '' }])).toBe(false);
});

it.each([
  [{ 'X-Team': 'blue' }, { 'x-team': 'blue' }, true],
  [{ 'x-team': 'blue' }, { 'X-TEAM': 'blue' }, true],
  [{ 'x-team': 'blue' }, { 'x-team': 'blueish' }, false],
  [{ 'x-team': 'blue' }, {}, false],
  [{ 'x-team': '/^bl/' }, { 'x-team': 'blueish' }, true],
  [{ 'x-team': '/^BL/i' }, { 'x-team': 'blueish' }, true],
  [{ 'x-team': '/^red|green$/' }, { 'x-team': 'deep green' }, true],
  [{ 'x-team': '/^$/' }, { 'x-team': '' }, true],
  [{ 'x-team': '/x/', accept: 'text/plain' }, { 'x-team': 'x', accept: 'application/json' }, false],
  [{ 'x-team': '/path/to' }, { 'x-team': '/path/to' }, true],
])('headers %j match %j: %s', async (headers, sent, expected) => {
  expect(await hits(await startEmulator(), { headers }, ['GET', containers, sent])).toBe(expected);
});

it('a match by path may name one container', async () => {
  const emulator = await startEmulator();
  const a = await deploy(emulator);
  const b = await deploy(emulator, { name: 'b', project_name: 'b' });
  emulator.controls.faults.add({ match: { path: `${containers}/${a.id}` }, effect: { status: 503 } });
  expect((await call(emulator, 'GET', `${containers}/${a.id}`)).status).toBe(503);
  expect((await call(emulator, 'GET', `${containers}/${b.id}`)).status).toBe(200);
});

it('a rule matches in its own world only', async () => {
  const emulator = await startEmulator();
  const world = emulator.controls.worlds.create({ id: 'other' });
  const headers = { authorization: `Bearer ${(await world).apiKey}` };
  await call(emulator, 'POST', '/w/other/_emulator/faults', { match: { path: containers }, effect: { status: 503 } });
  expect((await call(emulator, 'GET', `/w/other${containers}`, undefined, headers)).status).toBe(503);
  expect((await call(emulator, 'GET', containers)).status).toBe(200);
});
