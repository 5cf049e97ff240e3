// The quota report: what it counts follows every change, by time and by request.

import { expect, it } from 'vitest';
import { call, deploy, type Platform, startEmulator } from '../../support/emulator.js';

const unlimited = { rateLimits: { enabled: false }, quotas: { enabled: false }, credits: { seeded: 100_000 } };

async function reported(emulator: Platform): Promise<{ current: number; running: number; burn: number }> {
  const { quota, billing } = (await call(emulator, 'GET', '/api/v1/containers/quota')).body.data;
  return { current: quota.current, running: billing.runningContainers, burn: billing.currentDailyBurn };
}

// The same figures, from the containers themselves.
async function listed(emulator: Platform): Promise<{ current: number; running: number; burn: number }> {
  const { data } = (await call(emulator, 'GET', '/api/v1/containers')).body;
  const running = data.filter(({ status }: { status: string }) => status === 'running');
  const instances = running.reduce((sum: number, each: { desired_count: number }) => sum + each.desired_count, 0);
  return { current: data.length, running: running.length, burn: Math.round(instances * 67) / 100 };
}

it('the quota report agrees with the list through deployments, failures, interventions, deletions, refusals, resets and restores', async () => {
  const emulator = await startEmulator(unlimited);
  const { clock, containers, snapshots, reset } = emulator.controls;
  const all: any[] = [];
  for (let n = 0; n < 5; n++)
    all.push(await deploy(emulator, { name: `n${n}`, project_name: `p${n}`, desired_count: n + 1 }));
  const [one, two, three, four] = all;
  const path = (id: string) => `/api/v1/containers/${id}`;
  const steps: Record<string, () => unknown> = {
    deployed: () => {},
    'on their way': () => clock.advance('8s'),
    running: () => clock.advance('1m'),
    refused: () =>
      call(emulator, 'POST', '/api/v1/containers', { name: 'n1', project_name: 'other', ecr_image_uri: 'a:b' }),
    crashed: () => containers.crash(one.id),
    recovered: () => containers.recover(one.id),
    stopped: () => containers.stop(two.id),
    'under update': () => call(emulator, 'PATCH', path(three.id), { desired_count: 7 }),
    updated: () => clock.advance('1m'),
    deleted: () => call(emulator, 'DELETE', path(four.id)),
    'crashing later': () => deploy(emulator, { name: 'f', project_name: 'f' }, { 'x-emulator-failure': 'oom-later' }),
    'has crashed': () => clock.advance('1h'),
    saved: () => snapshots.take({ name: 'here' }),
    more: () => deploy(emulator, { name: 'g', project_name: 'g' }),
    'more run': () => clock.advance('1m'),
    restored: () => snapshots.restore('here'),
    again: () => clock.advance('1m'),
    reset: () => reset(),
  };
  const seen: Record<string, number> = {};
  for (const [name, step] of Object.entries(steps)) {
    await step();
    const { current, running, burn } = await reported(emulator);
    const expected = await listed(emulator);
    // A deployment that serves until an update is done costs what it did.
    if (name === 'under update') expected.burn = Math.round((expected.burn + 3 * 0.67) * 100) / 100;
    expect({ step: name, current, running, burn }).toEqual({ step: name, ...expected });
    seen[name] = running;
  }
  expect(seen).toMatchObject({ running: 5, crashed: 4, recovered: 5, stopped: 4, deleted: 3, 'more run': 4, reset: 0 });
});

it('the quota report has whole credits a month in the price list, beside what a month costs', async () => {
  const { billing, pricing } = (await call(await startEmulator(), 'GET', '/api/v1/containers/quota')).body.data;
  expect([pricing.perDay, pricing.perMonth, billing.monthlyEquivalent]).toEqual([0.67, 20, 20.1]);
});
