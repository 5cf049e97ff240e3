// Numbers behind names: the lowest free one, however many are taken.

import { expect, it } from 'vitest';
import { createRandom } from '../../src/core/random.js';
import { type Db, openDb } from '../../src/db/db.js';
import { nextNumber } from '../../src/db/numbers.js';
import type { Caller } from '../../src/http/endpoint.js';
import { createOrganization } from '../../src/modules/accounts/create-organization.js';
import { newContainer } from '../../src/modules/containers/deploy.js';
import { insertContainer } from '../../src/modules/containers/store.js';
import type { World } from '../../src/world/world.js';
import { call, deploy, startEmulator } from '../support/emulator.js';

const unlimited = { rateLimits: { enabled: false }, quotas: { enabled: false }, credits: { seeded: 100_000 } };
// The difference is beyond the length of a stack's name, and of a username.
const long = (n: number): string => `a-project-whose-name-is-very-long-${n}`;

it('the stacks of long names get the lowest free number, again after deletions', async () => {
  const emulator = await startEmulator(unlimited);
  const stacks: string[] = [];
  const create = async (n: number): Promise<string> => {
    const { id, stackName } = await deploy(emulator, { name: `n${n}`, project_name: long(n) });
    stacks.push(stackName.replace(/^.*-very-l/, ''));
    return id;
  };
  const ids: string[] = [];
  for (let n = 1; n <= 5; n++) ids.push(await create(n));
  for (const n of [4, 2]) await call(emulator, 'DELETE', `/api/v1/containers/${ids[n - 1]}`);
  for (let n = 6; n <= 8; n++) await create(n);
  await call(emulator, 'DELETE', `/api/v1/containers/${ids[0]}`);
  for (let n = 9; n <= 10; n++) await create(n);
  expect(stacks).toEqual(['', '-2', '-3', '-4', '-5', '-2', '-4', '-6', '', '-7']);
});

it('usernames get the lowest free number, again after deletions and refusals', async () => {
  const emulator = await startEmulator({ ...unlimited, quotas: { enabled: true } });
  const create = () => call(emulator, 'POST', '/api/v1/app/agents', { name: long(0) });
  const made: any[] = [];
  for (let n = 1; n <= 4; n++) made.push((await create()).body.agent);
  await call(emulator, 'DELETE', `/api/my-agents/characters/${made[1].id}`);
  for (let n = 5; n <= 6; n++) made.push((await create()).body.agent);
  const wanted = made[0].username;
  expect(made.map(({ username }) => username.slice(-2))).toEqual([wanted.slice(-2), '-2', '-3', '-4', '-2', '-5']);
});

it('the next container of a name takes one try for its number, however many there are', () => {
  const db = openDb(':memory:');
  let tries = 0;
  const counting: Db = {
    ...db,
    run(sql, values) {
      tries++;
      return db.run(sql, values);
    },
  };
  const insert = (seq: number) => {
    const world = { random: createRandom('containers'), nextNumber: () => seq } as unknown as World;
    const caller = { organizationId: 'o', userId: 'u', keyId: null } as Caller;
    const row = newContainer({ world, caller, now: 0 }, { name: `n${seq}`, project_name: long(seq) });
    tries = 0;
    return insertContainer(counting, row).slug;
  };
  const slugs = Array.from({ length: 50 }, (_, index) => insert(index + 1));
  expect([slugs.at(-1), tries]).toEqual([`${slugs[0]}-50`, 1]);
  db.close();
});

it('the next organization of a name takes one try for its number, however many there are', () => {
  const db = openDb(':memory:');
  let tries = 0;
  const get: Db['get'] = (sql, values) => {
    if (sql.includes('slug = @slug')) tries++;
    return db.get(sql, values);
  };
  const world = {
    db: { ...db, get },
    random: createRandom('organizations'),
    nextNumber: (series: string) => nextNumber(db, series),
  } as unknown as World;
  const create = (number: number) => {
    tries = 0;
    return createOrganization(world, { name: 'Acme', owner: { name: 'Ada' }, at: 0 }, number).organization.slug;
  };
  const slugs = Array.from({ length: 50 }, (_, index) => create(index));
  expect(slugs.slice(0, 3)).toEqual(['acme', 'acme-2', 'acme-3']);
  expect([slugs.at(-1), tries]).toEqual(['acme-50', 1]);
  db.close();
});
