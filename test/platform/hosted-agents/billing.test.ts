// What hosted agents cost by the hour: each is charged when it begins, and the ledger is the balance.

import { expect, it } from 'vitest';
import { nextTurn } from '../../../src/core/clock.js';
import { call, type Platform, startWorld } from '../../support/emulator.js';
import { act, agentsPath, dedicated, jobSeen, running, seen } from '../../support/hosted-agents.js';

const balance = (world: Platform): number => {
  const found = world.controls.organizations.list().find(({ id }) => id === world.organizationId);
  return found?.credits ?? Number.NaN;
};
const hours = (world: Platform): { amount: number; at: string; reason: string }[] =>
  world.controls
    .ledger()
    .filter(({ operation }) => operation === 'billing.hourly')
    .map(({ amount, createdAt, reason }: any) => ({ amount, at: createdAt, reason }));

it('the first two hours are charged when it first runs, then each hour, running or idle', async () => {
  const world = await startWorld({ hostedAgents: { timing: 'instant' } });
  const { id } = await dedicated(world);
  expect(hours(world).map(({ amount }) => amount)).toEqual([-0.3]);
  await world.controls.clock.advance('2h');
  expect(hours(world).map(({ amount }) => amount)).toEqual([-0.3, -0.15]);
  await world.controls.clock.advance('30m');
  await act(world, id, 'suspend');
  expect(hours(world)).toHaveLength(2);
  await world.controls.clock.advance('90m');
  expect(
    hours(world)
      .slice(2)
      .map(({ amount }) => amount),
  ).toEqual([-0.0025, -0.0025]);
  await world.controls.clock.advance('30m');
  await act(world, id, 'resume');
  expect(hours(world).at(-1)).toMatchObject({ amount: -0.15, reason: 'An hour of hosted agent Support, running' });
  await world.controls.clock.advance('1h');
  expect(hours(world)).toHaveLength(6);
});

it('thirty days with suspends: the ledger is the balance, and what the agents were billed', async () => {
  const world = await startWorld();
  const ids: string[] = [];
  for (const agentName of ['A', 'B', 'C']) ids.push((await running(world, { agentName })).id);
  for (let day = 0; day < 30; day++) {
    const [verb, next] = day % 2 === 0 ? ['suspend', 'resume'] : ['sleep', 'wake'];
    await world.controls.clock.advance('9h');
    await act(world, ids[day % 3] ?? '', verb ?? '');
    await world.controls.clock.advance('7h30m');
    await act(world, ids[day % 3] ?? '', next ?? '');
    await world.controls.clock.advance('7h30m');
  }
  const ledger = world.controls.ledger();
  const sum = ledger.reduce((total, { amount }) => total + Math.round(amount * 1e6), 0);
  expect(sum).toBe(Math.round(balance(world) * 1e6));
  for (const [index, entry] of ledger.entries())
    expect(Math.round(entry.balanceBefore * 1e6 + entry.amount * 1e6)).toBe(
      Math.round(entry.balanceAfter * 1e6) + 0 * index,
    );
  const billed = world.controls.hostedAgents.list().reduce((total, { totalBilled }) => total + totalBilled, 0);
  expect(billed).toBeCloseTo(1_000 - balance(world), 6);
  expect(hours(world).length).toBeGreaterThan(3 * 30 * 20);
});

it('an agent whose next hour is not covered stops, with its job, and costs nothing until it starts again', async () => {
  const world = await startWorld({ hostedAgents: { timing: 'realistic' } });
  world.controls.organizations.credits(world.organizationId, { set: 0.3 });
  const { id } = await running(world);
  expect(balance(world)).toBe(0);
  await world.controls.clock.advance('1h59m50s');
  const { jobId } = (await act(world, id, 'snapshot')).body.data;
  await world.controls.clock.advance('1h');
  expect(await seen(world, id)).toMatchObject({
    status: 'stopped',
    errorMessage: expect.stringContaining('credits'),
    hostingCost: { rateClass: 'deactivated', hourlyRateUsd: 0 },
  });
  expect((await jobSeen(world, jobId)).status).toBe('failed');
  const refused = await act(world, id, 'resume');
  expect([refused.status, refused.body.requiredBalance, refused.body.currentBalance]).toEqual([402, 0.3, 0]);
  world.controls.organizations.credits(world.organizationId, { set: 1 });
  expect((await act(world, id, 'resume')).status).toBe(202);
  await world.controls.clock.advance('3m');
  expect(await seen(world, id)).toMatchObject({ status: 'running', errorMessage: null });
  expect(balance(world)).toBe(0.85);
});

it('a start without credits is refused, and creates nothing', async () => {
  const world = await startWorld();
  world.controls.organizations.credits(world.organizationId, { set: 0.29 });
  const answer = await call(world, 'POST', agentsPath, { agentName: 'Support', alwaysOn: true });
  expect([answer.status, answer.body.error.code]).toEqual([402, 'INSUFFICIENT_CREDITS']);
  expect(world.controls.hostedAgents.list()).toEqual([]);
});

it('the quota follows the balance', async () => {
  const world = await startWorld();
  world.controls.organizations.credits(world.organizationId, { set: 0.5 });
  for (let i = 0; i < 5; i++) await dedicated(world, { autoProvision: false });
  const sixth = await call(world, 'POST', agentsPath, {
    agentName: 'six',
    alwaysOn: true,
    forceCreate: true,
    autoProvision: false,
  });
  expect([sixth.status, sixth.body.error.details]).toEqual([429, { currentAgents: 5, maxAgents: 5 }]);
  world.controls.organizations.credits(world.organizationId, { set: 1 });
  await dedicated(world, { autoProvision: false });
});

it('time that would charge more than a world holds movements is refused, and health answers while much is charged', async () => {
  const world = await startWorld({ hostedAgents: { timing: 'instant' }, credits: { seeded: 1_000_000 } });
  for (let n = 0; n < 6; n++) await dedicated(world, { agentName: `agent ${n}`, forceCreate: true });
  const { clock, ledger, health } = world.controls;
  await expect(clock.advance('365d')).rejects.toThrow(
    /by must be shorter: 6 hosted agents and 0 containers would be charged up to 52560 times, and a world, which has 7 movements of credits, holds at most 50000/,
  );
  expect(ledger()).toHaveLength(7);
  const advanced = clock.advance('40d');
  expect(await (await fetch(`${world.url}/_emulator/health`)).json()).toMatchObject({ status: 'ready' });
  const isOver = await Promise.race([advanced.then(() => true), nextTurn().then(() => false)]);
  expect(isOver).toBe(false);
  await advanced;
  expect(ledger()).toHaveLength(7 + 6 * (40 * 24 - 1));
  expect(health().clock.now).toBe('2026-02-10T00:00:00.000Z');
});
