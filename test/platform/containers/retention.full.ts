// Logs, the list of deployments and the history of a container begin at its creation, however many of each there are.

import { expect, it } from 'vitest';
import { call, deploy, getContainer, startWorld } from '../../support/emulator.js';

const path = '/api/v1/containers';

it('a container keeps the lines, the history and the list of 45 deployments within minutes', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  await world.controls.clock.advance('20s');
  const log = async (query = '') => (await call(world, 'GET', `${path}/${id}/logs?tail=10000${query}`)).body.logs;
  const early = await log();
  for (let n = 0; n < 44; n++) {
    expect((await call(world, 'PATCH', `${path}/${id}`, { cpu: 300 + n })).status).toBe(200);
    await world.controls.clock.advance('15s');
  }
  const all = await log();
  expect(all.slice(0, early.length)).toEqual(early);
  const instants = all.map(({ timestamp }: any) => timestamp);
  expect(instants).toEqual([...instants].sort());
  // Any window of the log is a part of all of it.
  for (const tail of [1, 7, 100, 400]) {
    const { logs } = (await call(world, 'GET', `${path}/${id}/logs?tail=${tail}`)).body;
    expect(logs).toEqual(all.slice(-tail));
  }
  const { deployments, total } = (await call(world, 'GET', `${path}/${id}/deployments`)).body.data;
  expect([total, deployments.length, deployments.at(-1).metadata.cpu]).toEqual([45, 45, 1792]);
  const shown = await getContainer(world, id);
  expect(shown.statusHistory[0]).toEqual({ status: 'pending', at: shown.created_at });
  expect(shown.statusHistory).toHaveLength(45 * 4);
  expect(world.controls.containers.get(id).statusHistory).toEqual(shown.statusHistory);
});

it('a container keeps 10,000 lines of requests', async () => {
  const world = await startWorld();
  const { id } = await deploy(world);
  await world.controls.clock.advance('20s');
  const { url } = await getContainer(world, id);
  const paths = Array.from({ length: 1_010 }, (_, n) => `/${n}`);
  for (let n = 0; n < paths.length; n += 101)
    await Promise.all(paths.slice(n, n + 101).map(async (each) => (await fetch(url + each)).arrayBuffer()));
  const { logs } = (await call(world, 'GET', `${path}/${id}/logs?tail=10000`)).body;
  const requests = logs.filter(({ message }: any) => message.startsWith('GET /'));
  expect(requests.map(({ message }: any) => message.split(' ')[1]).sort()).toEqual([...paths].sort());
});
