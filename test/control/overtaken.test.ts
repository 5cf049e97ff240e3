// Operations of the control plane that take several turns, while the world is reset, changed, or ends.

import { expect, it } from 'vitest';
import { isFull, itFull } from '../support/campaign.js';
import { call, deploy, startEmulator, startWorld } from '../support/emulator.js';

const unlimited = { rateLimits: { enabled: false }, quotas: { enabled: false } };

itFull('a control read of a world that ends meanwhile reports that there is no such world', async () => {
  const world = await startWorld(unlimited);
  for (let n = 0; n < 150; n++) await deploy(world, { name: `n${n}`, project_name: `n${n}` });
  const asked: [method: string, path: string][] = [
    ['GET', '/_emulator/images'],
    ['GET', '/_emulator/containers'],
    ['GET', '/_emulator/scenarios'],
    ['POST', '/_emulator/scenarios/mine/save'],
    ['GET', '/_emulator/openapi.json'],
    ['GET', '/openapi.json'],
  ];
  const answers = asked.map(([method, path]) => call(world, method, path));
  await call(world, 'GET', '/_emulator/health');
  world.close();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  // Work that was done before the end is done.
  expect(
    statuses.every((status) => [200, 201, 404].includes(status)),
    String(statuses),
  ).toBe(true);
});

it('a scenario is saved as the world was when the saving began', async () => {
  const emulator = await startEmulator(unlimited);
  const { controls } = emulator;
  let last = '';
  const count = isFull ? 150 : 60;
  for (let n = 0; n < count; n++) last = (await deploy(emulator, { name: `n${n}`, project_name: `n${n}` })).id;
  await controls.clock.advance('10m');
  const saving = call(emulator, 'POST', '/_emulator/scenarios/mine/save');
  await call(emulator, 'GET', '/_emulator/health');
  const { id: key } = controls.keys.create({ name: 'later' });
  controls.faults.add({ match: { key }, effect: { network: 'reset' } });
  await controls.clock.advance('1s');
  const changed = { ecr_image_uri: 'registry.local/web:fail-oom-start' };
  await call(emulator, 'PATCH', `/api/v1/containers/${last}`, changed);

  const { status, body } = await saving;
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.document.faults).toBeUndefined();
  expect(body.document.data.keys).toBeUndefined();
  expect(body.document.data.containers).toHaveLength(count);
  expect(body.document.data.containers.at(-1)).toMatchObject({ status: 'running', age: '10m' });
  expect(body.document.data.containers.at(-1).mode).toBeUndefined();
});
