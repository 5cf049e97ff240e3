// Hosted agents in scenarios: made in their statuses with their jobs, saved, merged, and expected.

import { beforeEach, expect, it } from 'vitest';
import type { EmulatorWorld, ScenarioInput } from '../../../src/index.js';
import { call, startWorld } from '../../support/emulator.js';

let emulator: EmulatorWorld;
beforeEach(async () => {
  emulator = await startWorld();
});

const base = '/api/v1/eliza/agents';

const agents = async () =>
  (await emulator.controls.hostedAgents.list())
    .map(({ name, tier, status, error, failure, rate, nextTransitionAt }) => ({
      ...{ name, tier, status, error, failure, rate, nextTransitionAt },
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
const jobs = () => emulator.controls.jobs.list().filter(({ nextTransitionAt }) => nextTransitionAt !== null);
const statuses = async () => Object.fromEntries((await agents()).map(({ name, status }) => [name, status]));

const many: NonNullable<ScenarioInput['data']> = {
  credits: 50,
  hostedAgents: [
    { name: 'Plain' },
    { name: 'Old', status: 'running', age: '30d' },
    { name: 'Shared', tier: 'shared', age: '1h' },
    { name: 'Asleep', status: 'sleeping' },
    { name: 'Waiting', status: 'pending' },
    { name: 'Begun', status: 'provisioning' },
    { name: 'Half', age: '4s' },
    { name: 'Crashed', status: 'error', error: 'Out of memory' },
    { name: 'Full', mode: 'provision-no-capacity' },
    { name: 'By name fail-provision-image-pull', age: '1m' },
    { name: 'Poor', status: 'stopped', unpaid: true },
    { name: 'Stuck', status: 'running', job: { type: 'agent_suspend', age: '1h', mode: 'job-hangs' } },
    { name: 'Waking', age: '2d', job: { type: 'agent_wake', age: '1s' } },
    { name: 'Own', dockerImage: 'acme/agent:v1', environmentVars: { TOKEN: 'hunter2' }, agentConfig: { plugins: [] } },
  ],
};

it('a scenario begins with hosted agents in their statuses, and their jobs go on', async () => {
  const { controls } = emulator;
  await controls.scenarios.apply({ data: many });
  expect(await statuses()).toEqual({
    Plain: 'running',
    Old: 'running',
    Shared: 'running',
    Asleep: 'sleeping',
    Waiting: 'pending',
    Begun: 'provisioning',
    Half: 'provisioning',
    Crashed: 'error',
    Full: 'error',
    'By name fail-provision-image-pull': 'error',
    Poor: 'stopped',
    Stuck: 'running',
    Waking: 'provisioning',
    Own: 'running',
  });
  const shown = await agents();
  expect(shown.find(({ name }) => name === 'Crashed')?.error).toBe('Out of memory');
  expect(shown.find(({ name }) => name === 'Full')?.error).toContain('No node with free capacity');
  expect(shown.find(({ name }) => name === 'Poor')?.rate).toBe('deactivated');
  expect(controls.organizations.list()[0]?.credits).toBe(50);
  expect(controls.ledger().filter(({ operation }) => operation === 'billing.hourly')).toEqual([]);
  await controls.clock.advance('1m');
  const later = await statuses();
  expect([later.Begun, later.Half, later.Waking, later.Stuck]).toEqual(['running', 'running', 'running', 'running']);
  expect(jobs()).toEqual([]);
  expect(controls.jobs.list().find(({ name }) => name === 'Stuck')?.status).toBe('in_progress');
});

it('an hour of a hosted agent that a scenario begins with is charged when the one that is under way is over', async () => {
  const { controls } = emulator;
  await controls.scenarios.apply({
    data: { credits: 10, hostedAgents: [{ name: 'Old', age: '30d12m', status: 'running' }] },
  });
  await controls.clock.advance('47m');
  expect(controls.organizations.list()[0]?.credits).toBe(10);
  await controls.clock.advance('2m');
  expect(controls.organizations.list()[0]?.credits).toBe(9.85);
});

it('a saved scenario gives the same hosted agents in the same statuses, and the same document again', async () => {
  const { controls } = emulator;
  await controls.scenarios.apply({ data: many });
  await controls.clock.advance('2s');
  const before = {
    agents: await agents(),
    jobs: jobs().map(({ name, status, progress }) => ({ name, status, progress })),
  };
  const { document } = controls.scenarios.save({ name: 'agents' });
  const saved = document.data?.hostedAgents ?? [];
  expect(saved).toHaveLength(many.hostedAgents?.length ?? 0);
  expect(saved.find(({ name }) => name === 'Own')).toEqual({
    name: 'Own',
    agentConfig: { plugins: [] },
    dockerImage: 'acme/agent:v1',
    environmentVars: { TOKEN: '********' },
    age: '1h2s',
    status: 'running',
  });
  expect(saved.find(({ name }) => name === 'Stuck')).toEqual({
    name: 'Stuck',
    age: '1h2s',
    status: 'running',
    job: { type: 'agent_suspend', age: '1h2s', mode: 'job-hangs' },
  });
  await controls.clock.advance('1d');
  await controls.scenarios.apply('agents');
  expect(await agents()).toEqual(before.agents);
  expect(jobs().map(({ name, status, progress }) => ({ name, status, progress }))).toEqual(before.jobs);
  expect(controls.scenarios.save({ name: 'again' }).document).toEqual(document);
});

it('a merged scenario adds its hosted agents to those that there are', async () => {
  const { controls } = emulator;
  await controls.scenarios.apply({ data: { hostedAgents: [{ name: 'One', status: 'sleeping' }] } });
  const other = { name: 'Other', hostedAgents: [{ name: 'Theirs', status: 'stopped' as const }] };
  await controls.scenarios.apply(
    { data: { hostedAgents: [{ name: 'Two', mode: 'slow-provisioning', age: '10s' }], organizations: [other] } },
    { merge: true },
  );
  expect(await statuses()).toEqual({ One: 'sleeping', Two: 'provisioning', Theirs: 'stopped' });
  const { body } = await call(emulator, 'GET', base);
  expect(body.data.map((agent: { agentName: string }) => agent.agentName).sort()).toEqual(['One', 'Two']);
});

it.each<[string, ScenarioInput, string]>([
  ['an unknown mode', { data: { hostedAgents: [{ name: 'A', mode: 'oom' }] } }, 'data.hostedAgents[0].mode must be'],
  [
    'an unknown mode in the settings',
    { settings: { hostedAgents: { failure: 'job-hang' } } },
    'settings.hostedAgents.failure must be a failure mode of hosted agents',
  ],
  [
    'a job of a shared agent',
    { data: { hostedAgents: [{ name: 'A', tier: 'shared', job: { type: 'agent_snapshot' } }] } },
    'data.hostedAgents[0].job cannot be had by a shared agent',
  ],
  [
    'a job that is older than its agent',
    { data: { hostedAgents: [{ name: 'A', age: '1m', job: { type: 'agent_wake', age: '2m' } }] } },
    'data.hostedAgents[0].job.age must not be more than the age of the agent',
  ],
  [
    'a job that has ended',
    { data: { hostedAgents: [{ name: 'A', job: { type: 'agent_wake', age: '59m' } }] } },
    'data.hostedAgents[0].job cannot be had: by the timing of the settings the job has ended by then',
  ],
  [
    'provisioning that takes no time',
    {
      settings: { hostedAgents: { timing: 'instant' } },
      data: { hostedAgents: [{ name: 'A', status: 'provisioning' }] },
    },
    'data.hostedAgents[0].status cannot be had: by the timing of the settings its provisioning has ended by then',
  ],
  [
    'a variable that names no mode',
    { data: { hostedAgents: [{ name: 'A', environmentVars: { EMULATOR_FAIL: 'nothing' } }] } },
    'data.hostedAgents[0].environmentVars.EMULATOR_FAIL must be',
  ],
])('%s in a scenario is refused, and nothing changes', async (_, scenario, message) => {
  const { controls } = emulator;
  const before = await agents();
  await expect(controls.scenarios.apply(scenario)).rejects.toThrow(message);
  expect(await agents()).toEqual(before);
});

it('what a scenario expects of hosted agents and jobs is compared', async () => {
  const { controls } = emulator;
  await controls.scenarios.apply({
    data: { hostedAgents: [{ name: 'Support', status: 'sleeping' }] },
    expect: {
      hostedAgents: [
        { name: 'Sup*', status: ['running', 'disconnected'] },
        { name: 'Gone', status: 'gone' },
      ],
      jobs: [
        { type: 'agent_wake', name: 'Support', status: 'completed', count: 1 },
        { status: 'failed', max: 0 },
      ],
    },
  });
  const [agent] = (await call(emulator, 'GET', base)).body.data;
  const about = () =>
    controls.scenarios
      .expectations()
      .expectations.filter(({ what }) => /hosted agent|jobs/.test(what))
      .map(({ what, ok, expected, actual, evidence }) => ({ what, ok, expected, actual, evidence }));
  expect(about()).toEqual([
    {
      what: 'hosted agent Sup*',
      ok: false,
      expected: 'running or disconnected',
      actual: 'sleeping',
      evidence: ['Support is sleeping since 2025-12-31T23:00:00.000Z'],
    },
    { what: 'hosted agent Gone', ok: true, expected: 'gone', actual: 'gone', evidence: [] },
    {
      what: 'jobs agent_wake of Support that are completed',
      ok: false,
      expected: '1',
      actual: '0',
      evidence: [],
    },
    { what: 'jobs that are failed', ok: true, expected: '0', actual: '0', evidence: [] },
  ]);
  await call(emulator, 'POST', `${base}/${agent.id}/wake`);
  await controls.clock.advance('1m');
  expect(about().map(({ ok }) => ok)).toEqual([true, true, true, true]);
});
