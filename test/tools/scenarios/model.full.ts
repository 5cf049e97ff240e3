// Any scenario, in an emulator of any settings: it begins as it says, twice the same, or nothing has happened.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApiError, createEmulator, type Emulator, type ScenarioInput } from '../../../src/index.js';
import { failureModes } from '../../../src/platform/containers/lifecycle/failures.js';

const age = fc.constantFrom(undefined, '0s', 1, '30s', '12m', '26h', '9d');
const mode = fc.option(fc.constantFrom(...failureModes()), { nil: undefined });
const status = fc.constantFrom(undefined, 'pending', 'building', 'deploying', 'running', 'failed', 'stopped');
const credits = fc.option(fc.constantFrom(0, 0.3, 0.5, 5, 99.999999, 1_000_000), { nil: undefined });

const container = fc.record({
  // The names are few, so that some are updates and some clash.
  project_name: fc.constantFrom('a', 'b', 'c', 'd', 'ü d', 'D'),
  name: fc.option(fc.constantFrom('a', 'b', 'x'), { nil: undefined }),
  age,
  status,
  mode,
  desired_count: fc.constantFrom(undefined, 1, 10),
  environment_vars: fc.constantFrom(undefined, { A: '1' }, { EMULATOR_FAIL: 'crash-loop' }),
});
const holdings = {
  credits,
  containers: fc.array(container, { maxLength: 4 }),
  agents: fc.array(fc.record({ name: fc.constantFrom('Ada', 'Bob'), age, isPublic: fc.boolean() }), { maxLength: 3 }),
  keys: fc.array(fc.record({ name: fc.constantFrom('one', 'two'), expiresIn: fc.constantFrom(undefined, 0, '1h') }), {
    maxLength: 2,
  }),
};
const data = fc.record({
  ...holdings,
  organizations: fc.array(fc.record({ name: fc.constantFrom('X', 'Y'), ...holdings }), { maxLength: 2 }),
});
const scenarios = fc.record(
  {
    seed: fc.constantFrom('s', 7),
    clock: fc.constantFrom(
      { start: '2000-02-29T23:59:59.999Z', frozen: true },
      { start: '1969-12-31T23:00:00Z', frozen: true },
    ),
    settings: fc.constantFrom(
      { containers: { timing: 'instant' } },
      { containers: { progression: 'manual' }, prices: { deploy: 3 } },
      { credits: { seeded: 0.1 }, quotas: { containers: [0, 0, 0, 0], agents: [0, 0, 0, 0] } },
      { containers: { failure: 'pull-denied' }, registry: { require: 'always' } },
    ),
    data,
    containers: fc.array(
      fc.record({ mode: fc.constantFrom('oom-start', null), match: fc.constant({ project: 'a*' }) }),
      {
        maxLength: 2,
      },
    ),
    faults: fc.array(
      fc.record({
        match: fc.constantFrom({}, { key: 'one' }, { organization: 'X' }),
        effect: fc.constant({ status: 503 }),
      }),
      { maxLength: 2 },
    ),
    limits: fc.array(
      fc.constantFrom(
        { operation: 'agents.list', limit: 3 },
        { exhaust: { retryAfter: 5 } },
        { exhaust: { key: 'two' } },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<ScenarioInput>;

const settings = fc.constantFrom(
  {},
  { profile: 'elizacloud-v1' },
  { containers: { timing: 'realistic' as const, progression: 'reads' as const } },
  { containers: { timing: 'instant' as const }, credits: { seeded: 0 } },
);

function stateOf({ controls }: Emulator) {
  return {
    clock: controls.clock.get(),
    containers: controls.containers.list(),
    organizations: controls.organizations.list(),
    ledger: controls.ledger(),
    keys: controls.keys.list(),
    faults: controls.faults.list(),
    limits: controls.limits.list(),
    config: controls.config(),
  };
}

function expectAsWritten({ controls }: Emulator, scenario: ScenarioInput): void {
  const all = [scenario.data ?? {}, ...(scenario.data?.organizations ?? [])];
  const organizations = controls.organizations.list();
  expect(organizations).toHaveLength(all.length);
  const balances = new Map<string, number>();
  for (const { organizationId, amount, balanceBefore, balanceAfter } of controls.ledger()) {
    expect(balanceBefore).toBe(balances.get(organizationId) ?? 0);
    expect(balanceBefore + amount).toBeCloseTo(balanceAfter, 6);
    balances.set(organizationId, balanceAfter);
  }
  for (const { id, credits: balance } of organizations) expect(balance).toBe(balances.get(id) ?? 0);
  const wanted = all.flatMap((one) => (one.credits === undefined ? [] : [one.credits]));
  expect(organizations.map((one) => one.credits)).toEqual(expect.arrayContaining(wanted));
  // The last one written down of several deployments of a project has the say, if it is the latest, too.
  const containers = scenario.data?.containers ?? [];
  const once = containers.filter((one) => containers.filter((o) => o.project_name === one.project_name).length === 1);
  for (const one of once.filter((o) => o.status !== undefined)) {
    const found = controls.containers
      .list()
      .find((o) => o.project_name === one.project_name && o.organizationId === controls.keys.list()[0]?.organizationId);
    expect(found?.status, JSON.stringify(one)).toBe(one.status);
  }
}

it('any scenario begins as it says, twice the same, or nothing has happened', async () => {
  const counts = { applied: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(settings, scenarios, fc.boolean(), async (base, scenario, merge) => {
      const emulator = await createEmulator({
        seed: 'model',
        clock: '2026-01-01T00:00:00Z',
        frozen: true,
        ...base,
      });
      try {
        const { controls } = emulator;
        await controls.scenarios.apply({ data: { containers: [{ project_name: 'before' }], credits: 700 } });
        await controls.clock.advance('5s');
        const before = stateOf(emulator);
        try {
          await controls.scenarios.apply(scenario, { merge });
        } catch (error) {
          counts.refused++;
          expect(error).toBeInstanceOf(ApiError);
          expect((error as ApiError).code, (error as ApiError).message).toBe('VALIDATION_ERROR');
          expect(stateOf(emulator)).toEqual(before);
          return;
        }
        counts.applied++;
        if (merge) return;
        expectAsWritten(emulator, scenario);
        const first = stateOf(emulator);
        await controls.clock.advance('1h');
        await controls.reset();
        expect(stateOf(emulator)).toEqual(first);
        const { document } = controls.scenarios.save({ name: 'saved' });
        await controls.scenarios.apply(document);
        const again = stateOf(emulator);
        const short = ({ containers }: typeof first) =>
          containers.map(({ name, status: now }) => `${name} ${now}`).sort();
        expect(short(again)).toEqual(short(first));
        expect(again.organizations.map((one) => one.credits).sort()).toEqual(
          first.organizations.map((one) => one.credits).sort(),
        );
      } finally {
        await emulator.close();
      }
    }),
    { numRuns: Number(process.env.SCENARIO_RUNS ?? 60) },
  );
  // Both ways must have been gone.
  expect(counts.applied).toBeGreaterThan(5);
  expect(counts.refused).toBeGreaterThan(2);
});
