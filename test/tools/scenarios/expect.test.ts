// Expectations: what a scenario demands of the client, compared with what it did since the scenario began.

import { describe, expect, it } from 'vitest';
import type { EmulatorWorld, ScenarioInput } from '../../../src/index.js';
import { call, deploy, startWorld } from '../../support/emulator.js';
import { nobody, pay, topUp } from '../../support/payments.js';

type Expect = NonNullable<ScenarioInput['expect']>;

async function begun(expectations: Expect, more: ScenarioInput = {}): Promise<EmulatorWorld> {
  const world = await startWorld();
  await world.controls.scenarios.apply({ title: 'Test', ...more, expect: expectations });
  return world;
}

/** The expectations beside the verdicts: whether each has come true, and what came. */
function outcome({ controls }: EmulatorWorld): [what: string, ok: boolean, expected: string, actual: string][] {
  const { expectations } = controls.scenarios.expectations();
  return expectations
    .filter(({ what }) => !what.startsWith('verdict '))
    .map(({ what, ok, expected, actual }) => [what, ok, expected, actual]);
}

describe('requests', () => {
  it('are counted by operation, status and error', async () => {
    const world = await begun({
      requests: [
        { operation: 'containers.*', min: 2 },
        { operation: 'containers.list', count: 1 },
        { operation: 'containers.list', max: 0 },
        { operation: 'containers.get', status: '4xx' },
        { operation: 'containers.get', error: 'NOT_FOUND', count: 2 },
        { operation: '*', status: 200, min: 1, max: 2 },
        { operation: 'agents.list' },
      ],
    });
    await call(world, 'GET', '/api/v1/containers');
    await call(world, 'GET', '/api/v1/containers/none');
    expect(outcome(world)).toEqual([
      ['requests of containers.*', true, 'at least 2', '2'],
      ['requests of containers.list', true, '1', '1'],
      ['requests of containers.list', false, '0', '1'],
      ['requests of containers.get with 4xx', true, 'at least 1', '1'],
      ['requests of containers.get with NOT_FOUND', false, '2', '1'],
      ['requests of * with 200', true, '1 to 2', '1'],
      ['requests of agents.list', false, 'at least 1', '0'],
    ]);
    const { expectations } = world.controls.scenarios.expectations();
    expect(expectations.find(({ what }) => what === 'requests of agents.list')?.evidence).toEqual([
      'there was no such request',
    ]);
    expect(expectations.find(({ actual, ok }) => actual === '1' && !ok)?.evidence).toEqual(['1 request: 200']);
  });

  it('count from the beginning of the scenario, and anew after a reset', async () => {
    const world = await startWorld();
    await call(world, 'GET', '/api/v1/containers');
    await world.controls.scenarios.apply({ expect: { requests: [{ operation: 'containers.list', count: 1 }] } });
    expect(outcome(world)).toMatchObject([[expect.anything(), false, '1', '0']]);
    await call(world, 'GET', '/api/v1/containers');
    expect(outcome(world)).toMatchObject([[expect.anything(), true, '1', '1']]);
    await world.controls.reset();
    expect(outcome(world)).toMatchObject([[expect.anything(), false, '1', '0']]);
  });

  it('that got no response have status 0', async () => {
    const world = await begun(
      { requests: [{ operation: 'containers.list', status: 0, count: 1 }] },
      { faults: [{ effect: { network: 'reset' }, when: { times: 1 } }] },
    );
    await expect(call(world, 'GET', '/api/v1/containers')).rejects.toThrow();
    await expect.poll(() => outcome(world)[0]?.[1]).toBe(true);
  });
});

it('containers are judged by what they are in the end', async () => {
  const world = await begun({
    containers: [
      { project: 'web', status: 'running' },
      { project: 'w*', status: ['running', 'failed'] },
      { project: 'api', status: 'gone' },
      { project: 'api', status: 'running' },
      { project: '*', status: 'gone' },
    ],
  });
  await deploy(world);
  await deploy(world, { name: 'bad', project_name: 'wrong', ecr_image_uri: 'r/a:fail-exec-format' });
  expect(outcome(world)[0]).toEqual(['container web', false, 'running', 'pending']);
  await world.controls.clock.advance('1m');
  expect(outcome(world)).toEqual([
    ['container web', true, 'running', 'running'],
    ['container w*', true, 'running or failed', 'failed, running'],
    ['container api', true, 'gone', 'gone'],
    ['container api', false, 'running', 'gone'],
    ['container *', false, 'gone', 'failed, running'],
  ]);
});

it('credits are judged by balance and by what was spent', async () => {
  const world = await begun(
    { credits: { balance: { max: 9.5 }, spent: 0.5 } },
    { data: { credits: 10, containers: [{ project_name: 'old' }] } },
  );
  expect(outcome(world)).toEqual([
    ['credits balance', false, 'at most 9.5', '10'],
    ['credits spent', false, '0.5', '0'],
  ]);
  await deploy(world);
  expect(outcome(world).map(([, ok]) => ok)).toEqual([true, true]);
});

it('credits are judged by what the operations cost that are meant, whatever else was bought or spent', async () => {
  const world = await begun({ credits: { operation: 'containers.*', spent: 0.5, charged: 0.5 } });
  const { seen } = world.controls.scenarios.expectations().expectations.at(-1) ?? {};
  expect(seen).toBe(false);
  await call(world, 'POST', '/api/v1/voice/tts', { text: 'Hello' });
  world.controls.organizations.credits(world.organizationId, { add: 20 });
  expect(world.controls.scenarios.expectations().expectations.at(-1)?.seen).toBe(false);
  await deploy(world);
  expect(outcome(world)).toEqual([
    ['credits spent on containers.*', true, '0.5', '0.5'],
    ['credits charged on containers.*', true, '0.5', '0.5'],
  ]);
  const wrong: ScenarioInput = { expect: { credits: { operation: 'container.*', spent: 1 } } };
  await expect(world.controls.scenarios.apply(wrong)).rejects.toMatchObject({
    options: { details: [{ path: 'expect.credits.operation' }] },
  });
});

it('credits that were bought do not count as less spent', async () => {
  const world = await begun({ credits: { spent: 0.5 } });
  world.controls.organizations.credits(world.organizationId, { add: 20 });
  await deploy(world);
  expect(outcome(world)).toEqual([['credits spent', true, '0.5', '0.5']]);
});

describe('verdicts', () => {
  const verdict = ({ controls }: EmulatorWorld, rule: string) =>
    controls.scenarios.expectations().expectations.find(({ what }) => what === `verdict ${rule}`);

  it('of rules that nobody names must not fail', async () => {
    const world = await begun({});
    const nothing = { scenario: 'Test', ok: false, failed: 0, requests: 0 };
    expect(world.controls.scenarios.expectations()).toMatchObject(nothing);
    await call(world, 'GET', '/api/v1/containers');
    expect(world.controls.scenarios.expectations()).toMatchObject({ ok: true, failed: 0, requests: 1 });
    await call(world, 'GET', '/api/v1/containers?pge=1');
    expect(verdict(world, 'no-unknown-fields')).toMatchObject({
      ok: false,
      expected: 'pass or not-exercised',
      actual: 'fail',
      evidence: [expect.stringContaining('had unknown fields'), expect.stringContaining('GET /api/v1/containers')],
    });
    expect(world.controls.scenarios.expectations()).toMatchObject({ ok: false, failed: 1, requests: 2 });
  });

  it('of rules that are named must be as they say', async () => {
    const world = await begun({ verdicts: { 'no-unknown-fields': 'fail', 'backoff-grows': ['pass'] } });
    await call(world, 'GET', '/api/v1/containers?pge=1');
    expect(verdict(world, 'no-unknown-fields')?.ok).toBe(true);
    expect(verdict(world, 'backoff-grows')).toMatchObject({ ok: false, actual: 'not-exercised' });
  });
});

it('a world without a scenario is judged by the verdicts', async () => {
  const world = await startWorld();
  await call(world, 'GET', '/api/v1/containers');
  const { scenario, expectations, ok } = world.controls.scenarios.expectations();
  expect([scenario, ok]).toEqual([null, true]);
  expect(expectations.every(({ what }) => what.startsWith('verdict '))).toBe(true);
});

it('a merged scenario adds its expectations', async () => {
  const world = await begun({ requests: [{ operation: 'containers.list' }] });
  await world.controls.scenarios.apply({ expect: { requests: [{ operation: 'agents.list' }] } }, { merge: true });
  expect(outcome(world).map(([what]) => what)).toEqual(['requests of containers.list', 'requests of agents.list']);
});

it('the control plane returns the same expectations as in process', async () => {
  const world = await begun({ requests: [{ operation: 'containers.list' }] });
  const answer = await call(world, 'GET', '/_emulator/expectations');
  expect(answer.body).toEqual(world.controls.scenarios.expectations());
});

it('holdings are counted by kind and name, and charges whatever was returned for deleting early', async () => {
  const world = await begun(
    {
      holdings: [
        { kind: 'agent', count: 2 },
        { kind: 'agent', name: 'A*', max: 0 },
        { kind: 'container', name: 'web', max: 0 },
        { kind: 'key', name: 'none', orFails: true },
      ],
      credits: { charged: 0.5, spent: 0 },
    },
    { data: { agents: [{ name: 'Ada' }, { name: 'Bell' }] } },
  );
  const { id } = await deploy(world, { project_name: 'web' });
  expect((await call(world, 'DELETE', `/api/v1/containers/${id}`)).status).toBe(200);
  expect(outcome(world)).toEqual([
    ['agents', true, '2', '2'],
    ['agents named A*', false, '0', '1'],
    ['containers named web', true, '0', '0'],
    ['keys named none', false, 'at least 1', '0'],
    ['credits spent', true, '0', '0'],
    ['credits charged', true, '0.5', '0.5'],
  ]);
  const { expectations } = world.controls.scenarios.expectations();
  expect(expectations.find(({ what }) => what === 'agents named A*')?.evidence).toEqual(['there are: Ada, Bell']);
  expect(expectations.filter(({ orFails }) => orFails === true).map(({ what }) => what)).toEqual(['keys named none']);
});

it('USDC that was paid counts once for each payment that was settled', async () => {
  const world = await begun({ credits: { paid: { max: 10 } } });
  const paid = async (): Promise<unknown> => outcome(world).find(([what]) => what === 'dollars paid');
  expect(await paid()).toEqual(['dollars paid', true, 'at most 10', '0']);
  const first = await pay(world);
  expect(first.status).toBe(200);
  // The same authorization once more is refused, and moves nothing.
  expect((await call(world, 'POST', topUp, {}, { ...nobody, ...first.paid })).status).toBe(402);
  expect(await paid()).toEqual(['dollars paid', true, 'at most 10', '10']);
  expect((await pay(world)).status).toBe(200);
  expect(await paid()).toEqual(['dollars paid', false, 'at most 10', '20']);
});

it('holdings cannot have a minimum above the maximum', async () => {
  const world = await startWorld();
  const wrong: ScenarioInput = { expect: { holdings: [{ kind: 'agent', min: 2, max: 1 }] } };
  await expect(world.controls.scenarios.apply(wrong)).rejects.toMatchObject({
    options: { details: [{ path: 'expect.holdings[0].min' }] },
  });
});
