// Random lives of organizations: whatever happens, the ledger has no gap, and charge and effect come together.

import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import type { LedgerEntry } from '../../../src/platform/credits/control.js';
import { type Answer, call, startWorld } from '../../support/emulator.js';

const seeds = Number(process.env.LEDGER_SEEDS ?? 8);
const steps = Number(process.env.LEDGER_STEPS ?? 60);
const path = '/api/v1/containers';
const dayMs = 86_400_000;
const tags = ['v1', 'v2', 'v3', 'fail-exec-format', 'fail-timeout', 'fail-oom-later', 'fail-credits-exhausted'];

type Chance = (below: number) => number;

function chanceOf(seed: number): Chance {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return Math.floor((((state ^ (state >>> 13)) >>> 0) / 2 ** 32) * below);
  };
}

interface Life {
  emulator: EmulatorWorld;
  /** Answers to creations and updates. */
  deployments: Answer[];
  /** The containers that ran at each midnight, and whether they owed their day then. */
  nights: Map<string, 'paid' | 'owed'>;
  deleted: Set<string>;
}

const pick = <Item>(items: readonly Item[], chance: Chance): Item | undefined => items[chance(items.length)];

async function deploy({ emulator, deployments }: Life, chance: Chance): Promise<void> {
  const project = `p${chance(6)}`;
  const fields = { desired_count: 1 + chance(3), ecr_image_uri: `r/${project}:${pick(tags, chance)}` };
  deployments.push(await call(emulator, 'POST', path, { name: project, project_name: project, ...fields }));
}

async function act({ emulator, deleted }: Life, chance: Chance): Promise<void> {
  const { containers, organizations } = emulator.controls;
  const container = pick(containers.list(), chance);
  const id = container?.id ?? '';
  const attempt = (work: () => unknown): void => {
    try {
      work();
    } catch (error) {
      // An act that makes no sense in its state is refused.
      expect((error as { code?: string }).code).toMatch(/^(CONFLICT|VALIDATION_ERROR|NOT_FOUND)$/);
    }
  };
  switch (chance(9)) {
    case 0:
      return attempt(() => organizations.credits(emulator.organizationId, { set: chance(400) / 100 }));
    case 1:
    case 2:
      return attempt(() => organizations.credits(emulator.organizationId, { add: chance(600) / 100 }));
    case 3:
      return attempt(() => organizations.credits(emulator.organizationId, { failNth: 1 + chance(3) }));
    case 4:
      return attempt(() => containers.stop(id));
    case 5:
      return attempt(() => containers.recover(id));
    case 6:
      return attempt(() => containers.fail(id));
    case 7: {
      const { status } = await call(emulator, 'DELETE', `${path}/${id || 'none'}`);
      if (status === 200) deleted.add(id);
      return;
    }
    default: {
      const { status } = await call(emulator, 'PATCH', `${path}/${id || 'none'}`, { desired_count: 1 + chance(4) });
      // A change that no deployment was paid for costs one.
      expect([200, 402, 404, 409]).toContain(status);
    }
  }
}

/** To an instant, by way of each midnight, where it is noted what runs. */
async function passTime({ emulator, nights }: Life, until: number): Promise<void> {
  const { clock } = emulator.controls;
  for (;;) {
    const midnight = (Math.floor(Date.parse(clock.get().now) / dayMs) + 1) * dayMs;
    if (midnight > until) break;
    await clock.advance({ to: new Date(midnight).toISOString() });
    for (const { id, billing_status } of (await call(emulator, 'GET', path)).body.data) {
      const { data } = (await call(emulator, 'GET', `${path}/${id}/metrics`)).body;
      const runs = data.metrics.task_count > 0;
      const owes = billing_status === 'shutdown_pending';
      if (runs) nights.set(`${id} ${new Date(midnight).toISOString().slice(0, 10)}`, owes ? 'owed' : 'paid');
    }
  }
  await clock.advance({ to: new Date(until).toISOString() });
}

async function live(seed: number, advance: (life: Life, until: number) => Promise<unknown>): Promise<Life> {
  const emulator = await startWorld({
    seed: `life ${seed}`,
    billing: { daily: true, grace: seed % 2 === 0 ? '48h' : '30h' },
    credits: { seeded: 6 },
    rateLimits: { enabled: false },
    containers: { deletion: seed % 3 === 0 ? '30s' : 0 },
  });
  const life: Life = { emulator, deployments: [], nights: new Map(), deleted: new Set() };
  const chance = chanceOf(seed);
  for (let step = 0; step < steps; step++) {
    const what = chance(10);
    const wait = [1_000, 20_000, 3_600_000, dayMs, 3 * dayMs][chance(5)] ?? 0;
    if (what < 3) await deploy(life, chance);
    else if (what < 7) await act(life, chance);
    else await advance(life, Date.parse(emulator.controls.clock.get().now) + chance(wait) + 1);
  }
  return life;
}

const jump = ({ emulator }: Life, until: number) =>
  emulator.controls.clock.advance({ to: new Date(until).toISOString() });

function expectNoGap(entries: readonly LedgerEntry[], balance: number): void {
  let before = 0;
  let last = '';
  for (const entry of entries) {
    expect(entry.balanceBefore).toBe(before);
    expect(entry.balanceAfter).toBeCloseTo(entry.balanceBefore + entry.amount, 9);
    expect(entry.balanceAfter).toBeGreaterThanOrEqual(0);
    expect(entry.at >= last).toBe(true);
    before = entry.balanceAfter;
    last = entry.at;
  }
  expect(before).toBe(balance);
}

async function expectChargesToFit({ emulator, deployments, deleted }: Life): Promise<void> {
  const entries = emulator.controls.ledger({ operation: 'containers.create' });
  const charges = new Map(entries.filter(({ type }) => type === 'charge').map((entry) => [entry.requestId, entry]));
  const passed = deployments.filter(({ status }) => status === 202);
  expect([...charges.keys()]).toEqual(passed.map(({ headers }) => headers.get('x-request-id')));
  for (const { headers, body } of passed) {
    const charge = charges.get(headers.get('x-request-id'));
    expect([charge?.amount, charge?.balanceAfter]).toEqual([-body.creditsDeducted, body.creditsRemaining]);
  }
  const refunds = entries.filter(({ type }) => type === 'refund');
  const returned = new Map(refunds.map((entry) => [entry.subject, entry.amount]));
  expect(returned.size).toBe(refunds.length);
  const bySubject = new Map([...charges.values()].map((entry) => [entry.subject, entry]));
  for (const [subject, amount] of returned) expect(amount).toBe(-(bySubject.get(subject)?.amount ?? 0));
  for (const { id } of emulator.controls.containers.list()) {
    if (deleted.has(id)) continue;
    const { data } = (await call(emulator, 'GET', `${path}/${id}/deployments`)).body;
    for (const { id: deployment, status } of data.deployments) {
      const charge = bySubject.get(deployment);
      expect([deployment, returned.has(deployment)]).toEqual([deployment, charge !== undefined && status === 'failed']);
    }
  }
}

function expectDaysToFit({ emulator, nights }: Life): void {
  const days = emulator.controls.ledger({ operation: 'billing.daily' }).map((entry) => {
    const [, day] = /, (\d{4}-\d\d-\d\d)/.exec(entry.reason) ?? [];
    return { key: `${entry.subject} ${day}`, late: entry.reason.endsWith('paid late'), at: entry.at, day };
  });
  expect(new Set(days.map(({ key }) => key)).size).toBe(days.length);
  for (const { key, late, at, day } of days) {
    expect([key, nights.get(key)]).toEqual([key, late ? 'owed' : 'paid']);
    if (!late) expect(at).toBe(`${day}T00:00:00.000Z`);
  }
  const paid = new Set(days.map(({ key }) => key));
  for (const [key, state] of nights) if (state === 'paid') expect(paid.has(key), key).toBe(true);
}

/** The state in the end; ids of requests differ, as one life asks more than the other. */
async function remains({ emulator }: Life): Promise<unknown[]> {
  const seen: unknown[] = emulator.controls.ledger().map(({ requestId: _, ...entry }) => entry);
  for (const { id } of emulator.controls.containers.list())
    seen.push((await call(emulator, 'GET', `${path}/${id}`)).text.replace(/http:\/\/127\.0\.0\.1:\d+/g, 'URL'));
  return seen;
}

it.each(Array.from({ length: seeds }, (_, seed) => seed + 1))(
  'the ledger has no gap and fits its effects in random life %i, by jumps and by steps',
  async (seed) => {
    const life = await live(seed, passTime);
    const { emulator } = life;
    expectNoGap(emulator.controls.ledger(), emulator.controls.organizations.list()[0]?.credits ?? -1);
    await expectChargesToFit(life);
    expectDaysToFit(life);
    const [jumped, stepped] = [await remains(await live(seed, jump)), await remains(life)];
    for (const [index, item] of jumped.entries()) expect(item).toEqual(stepped[index]);
    expect(jumped).toHaveLength(stepped.length);
  },
);
