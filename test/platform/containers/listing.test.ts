// The list of containers: what is kept of it, and addresses where ports run out.

import { expect, it } from 'vitest';
import { itFull } from '../../support/campaign.js';
import { call, deploy, getContainer, type Platform, startWorld } from '../../support/emulator.js';

const unlimited = { rateLimits: { enabled: false }, quotas: { enabled: false }, credits: { seeded: 100_000 } };

async function deployMany(emulator: Platform, count: number): Promise<void> {
  const each = Array.from({ length: count }, (_, n) => ({ name: `n${n}`, project_name: `p${n}` }));
  await Promise.all(each.map((fields) => deploy(emulator, fields)));
}

const list = (emulator: Platform) => call(emulator, 'GET', '/api/v1/containers');

it('the list of containers shows each change of a container, by time, by a request or by a control, as its own page does', async () => {
  const emulator = await startWorld();
  const { clock, containers } = emulator.controls;
  const { id } = await deploy(emulator);
  const steps: (() => unknown)[] = [
    () => {},
    () => clock.advance('3s'),
    () => clock.advance('5s'),
    () => clock.advance('1m'),
    () => containers.crash(id),
    () => containers.recover(id),
    () => call(emulator, 'PATCH', `/api/v1/containers/${id}`, { cpu: 512 }),
    () => clock.advance('1m'),
  ];
  const seen: string[] = [];
  for (const step of steps) {
    await step();
    const [shown] = (await list(emulator)).body.data;
    expect((await list(emulator)).body.data).toEqual([shown]);
    expect(await getContainer(emulator, id)).toMatchObject(shown);
    seen.push(shown.status);
  }
  expect(seen).toEqual(['pending', 'building', 'deploying', 'running', 'failed', 'running', 'pending', 'running']);
});

it('the list of containers follows the billing of containers from day to day', async () => {
  const emulator = await startWorld({ billing: { daily: true } });
  const { id } = await deploy(emulator);
  const seen: string[] = [];
  for (let day = 0; day < 3; day++) {
    await emulator.controls.clock.advance('1d');
    const [shown] = (await list(emulator)).body.data;
    expect(await getContainer(emulator, id)).toMatchObject(shown);
    seen.push(shown.total_billed);
  }
  expect(seen).toEqual(['0.67', '1.34', '2.01']);
});

itFull(
  'the list of containers holds all of many containers, newest first, with ports for as many as it may',
  async () => {
    const emulator = await startWorld({ ...unlimited, timing: 'instant' });
    await deployMany(emulator, 260);
    const { body, text } = await list(emulator);
    expect(body.data.map(({ project_name }: { project_name: string }) => project_name)).toEqual(
      Array.from({ length: 260 }, (_, n) => `p${259 - n}`),
    );
    expect(JSON.stringify(body)).toBe(text);
    expect(new Set(body.data.map(({ url }: { url: string }) => url)).size).toBe(260);
    const byPath = body.data.filter(({ url }: { url: string }) => url.startsWith(`${emulator.url}/_containers/`));
    expect(byPath).toHaveLength(260 - 256);

    const again = await list(emulator);
    expect(again.text).toBe(text);
    expect(again.headers.get('x-emulator-warning')).toMatch(/no more ports can be opened/);
    expect(await getContainer(emulator, byPath[0].id)).toMatchObject(byPath[0]);
    const page = await fetch(`${byPath[0].url}/health`);
    expect([page.status, page.headers.get('content-security-policy')]).toEqual([200, 'sandbox']);
    const withPort = body.data[0];
    expect((await fetch(`${withPort.url}/health`)).status).toBe(200);
    const { pathname } = new URL(byPath[0].url);
    expect((await fetch(emulator.url + pathname.replace(/p\d+$/, withPort.project_name))).status).toBe(404);

    const [entry] = emulator.controls.requests.list({ operation: 'containers.list', limit: 1 }).requests;
    expect(entry?.responseBody).toMatch(/^\{"success":true,"data":\[/);
  },
);

itFull('the list of containers is damaged as a fault wants it, however long it is', async () => {
  const emulator = await startWorld(unlimited);
  await deployMany(emulator, 101);
  const { text } = await list(emulator);
  emulator.controls.faults.add({ match: { operation: 'containers.list' }, effect: { network: 'malformed' } });
  expect((await list(emulator)).text).toBe(text.slice(0, Math.floor(text.length / 2)));
});
