// Control tokens of teams: each sees, makes and ends worlds of its own only, so many and for so long.

import { expect, it } from 'vitest';
import { controlOperations } from '../../../src/app/controls.js';
import { tempDir } from '../../support/command.js';
import { startEmulator } from '../../support/emulator.js';

const teams = [
  { name: 'red', token: 'token-of-red', prefix: 'red-', worlds: 10, ttl: '2h' },
  { name: 'blue', token: 'token-of-blue', prefix: 'blue-' },
];

async function startForTeams() {
  const emulator = await startEmulator({ controlToken: 'token-of-all', server: { controlTokens: teams } });
  const ask = async (token: string | null, method: string, path: string, body?: object) => {
    const answer = await emulator.fetch(path, {
      method,
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as any };
  };
  return { emulator, ask };
}

it('a team gets 404 for worlds of others, as for missing ones, in every operation', async () => {
  const { emulator, ask } = await startForTeams();
  await emulator.controls.worlds.create({ id: 'blue-1' });
  const answers = new Set<string>();
  for (const world of ['blue-1', 'blue-2', 'default'])
    for (const { method, path, ofTeams } of controlOperations) {
      const inside = path.replace('/w/{id}', `/w/${world}`).replace(/\{\w+\}/g, 'x');
      if (ofTeams && world === 'default' && !path.startsWith('/w/')) continue;
      const { status, body } = await ask(
        'token-of-red',
        method,
        path.startsWith('/w/') ? inside : `/w/${world}${inside}`,
      );
      answers.add(`${status} ${JSON.stringify(body).replaceAll(world, 'x')}`);
    }
  expect([...answers].map((answer) => answer.slice(0, 3))).toEqual([...answers].map(() => '404'));
  const drop = await ask('token-of-red', 'DELETE', '/_emulator/worlds/blue-1');
  expect(drop).toMatchObject({ status: 404, body: { error: { message: 'There is no world "blue-1"' } } });
  expect(emulator.controls.worlds.list().map(({ id }) => id)).toEqual(['default', 'blue-1']);
});

it('a team’s own worlds only are listed and counted for it, and no other is mentioned', async () => {
  const { emulator, ask } = await startForTeams();
  for (const id of ['blue-1', 'red-1', 'red-2']) await emulator.controls.worlds.create({ id });
  const ids = async (query = '') =>
    (await ask('token-of-red', 'GET', `/_emulator/worlds${query}`)).body.worlds.map(({ id }: any) => id);
  expect([await ids(), await ids('?prefix=red-2'), await ids('?prefix=b'), await ids('?prefix=r')]).toEqual([
    ['red-1', 'red-2'],
    ['red-2'],
    [],
    ['red-1', 'red-2'],
  ]);
  expect((await ask('token-of-red', 'GET', '/_emulator/health')).body.worlds).toBe(2);
  expect(JSON.stringify(emulator.controls.config())).not.toContain('token-of');
  expect((await ask('token-of-red', 'GET', '/w/blue-/api/v1/containers')).body.error.message).not.toContain('blue-1');
});

it.each([undefined, 'files'])('the limits of a team hold during 50 simultaneous creations (%s)', async (kept) => {
  const settings = kept === undefined ? {} : { dataDir: tempDir(), worlds: { persist: true } };
  const emulator = await startEmulator({
    controlToken: 'token-of-all',
    server: { controlTokens: teams },
    ...settings,
  });
  const headers = { authorization: 'Bearer token-of-red' };
  const put = (id: string, body = {}) =>
    emulator.fetch(`/w/${id}/_emulator/world`, { method: 'PUT', headers, body: JSON.stringify(body) });
  const made = await Promise.all(Array.from({ length: 50 }, (_, n) => put(`red-${n}`)));
  expect(made.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(made.filter(({ status }) => status === 403)).toHaveLength(40);
  const [first] = emulator.controls.worlds.list({ prefix: 'red-' });
  await emulator.fetch(`/w/${first?.id}/_emulator/world`, { method: 'DELETE', headers });
  const long = await put('red-long', { ttl: '3h' });
  expect([long.status, JSON.stringify(await long.json())]).toEqual([
    400,
    expect.stringContaining('the longest of your token'),
  ]);
  expect((await put('red-again', { ttl: '2h' })).status).toBe(200);
});

it('a token is required of everybody, even on this machine, and the emulator’s token may do everything', async () => {
  const { ask } = await startForTeams();
  const none = await ask(null, 'GET', '/_emulator/worlds');
  expect([none.status, none.body.error.message]).toEqual([
    401,
    'The control plane needs its token here: Authorization: Bearer <control token>',
  ]);
  const another = await ask('another-token', 'GET', '/_emulator/worlds');
  expect([another.status, another.body.error.message]).toEqual([
    401,
    'The control plane needs its token here, and the token that came is another one: Authorization: Bearer <control token>',
  ]);
  expect((await ask('token-of-all', 'PUT', '/w/any/_emulator/world')).status).toBe(200);
  const byTeam = await ask('token-of-blue', 'POST', '/_emulator/worlds');
  expect(byTeam).toMatchObject({ status: 200, body: { id: 'blue-w1' } });
  expect((await ask('token-of-blue', 'POST', '/w/blue-w1/_emulator/clock/advance', { by: '1m' })).status).toBe(200);
});

it('the scenarios of each team are kept apart, in files and in memory, and the operator’s shown to all', async () => {
  for (const kept of [{ data: { scenarios: tempDir() } }, {}]) {
    const emulator = await startEmulator({ controlToken: 'token-of-all', server: { controlTokens: teams }, ...kept });
    const ask = async (token: string, method: string, path: string, body?: object): Promise<[number, any]> => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await emulator.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      return [answer.status, await answer.json()];
    };
    for (const [team, token] of [
      ['red', 'token-of-red'],
      ['blue', 'token-of-blue'],
    ] as const) {
      expect((await ask(token, 'PUT', `/w/${team}-1/_emulator/world`))[0]).toBe(200);
      const [status] = await ask(token, 'POST', `/w/${team}-1/_emulator/scenarios/mine/save`, { title: `of ${team}` });
      expect(status).toBe(200);
    }
    expect((await ask('token-of-red', 'POST', '/w/red-1/_emulator/scenarios/only-red/save'))[0]).toBe(200);
    emulator.controls.scenarios.save({ name: 'of-all', title: 'of all' });

    const [, red] = await ask('token-of-red', 'GET', '/w/red-1/_emulator/scenarios/mine');
    const [, blue] = await ask('token-of-blue', 'GET', '/w/blue-1/_emulator/scenarios/mine');
    expect([red.document.title, blue.document.title]).toEqual(['of red', 'of blue']);
    const namesOf = async (team: string): Promise<string[]> =>
      (await ask(`token-of-${team}`, 'GET', `/w/${team}-1/_emulator/scenarios`))[1].scenarios
        .filter(({ source }: any) => source !== 'shipped')
        .map(({ name }: any) => name);
    const common = 'data' in kept ? ['of-all'] : [];
    expect([await namesOf('red'), await namesOf('blue')]).toEqual([
      ['mine', ...common, 'only-red'],
      ['mine', ...common],
    ]);
    expect(emulator.controls.scenarios.list().filter(({ source }) => source !== 'shipped')).toHaveLength(1);
    // New worlds begin with the team's own, wherever they are asked for.
    const begun = await ask('token-of-red', 'POST', '/_emulator/worlds', { scenario: 'mine' });
    expect(begun[0]).toBe(200);
    expect((await ask('token-of-blue', 'POST', '/_emulator/worlds', { scenario: 'only-red' }))[0]).toBe(404);
  }
});
