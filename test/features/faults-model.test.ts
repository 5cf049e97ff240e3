// Generated rules: whatever is accepted does what it says, to a raw client and to the ledger; the rest says why not.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FaultRequest } from '../../src/api/fault-rule.js';
import type { Emulator } from '../../src/index.js';
import { errorTable } from '../../src/kernel/errors.js';
import { startEmulator } from '../support/emulator.js';
import { create, type Seen, watch } from '../support/faults.js';

const codes = Object.keys(errorTable) as (keyof typeof errorTable)[];
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 1 });

const rules: fc.Arbitrary<FaultRequest> = fc
  .record({
    phase: maybe(fc.constantFrom('before', 'after', 'partial')),
    error: maybe(fc.constantFrom(...codes)),
    status: maybe(fc.constantFrom(200, 204, 302, 404, 418, 429, 500, 503, 504)),
    body: maybe(fc.constantFrom<unknown>('text', { a: [1] }, null, '')),
    retryAfter: maybe(fc.constantFrom(0, 7)),
    delay: maybe(fc.constantFrom(0, '10ms', { min: 0, max: 30 })),
    network: maybe(fc.constantFrom('reset', 'close', 'hang', 'truncate', 'malformed', 'drip')),
  })
  .map(({ phase, ...effect }) => ({
    match: { operation: 'containers.create' },
    ...(phase !== undefined && { phase }),
    effect: Object.fromEntries(Object.entries(effect).filter(([, value]) => value !== undefined)),
  }));

interface Expected {
  end: Seen['end'];
  /** 0: no answer. */
  status: number;
  whole: boolean;
  charged: boolean;
}

/** What a rule that was accepted means, told anew. */
function meaning({ phase: given, effect }: FaultRequest): Expected {
  const { error, status, body, retryAfter, network } = effect;
  const forced = [error, status, body, retryAfter].some((part) => part !== undefined);
  const damaging = network === 'truncate' || network === 'malformed' || network === 'drip';
  const phase = given ?? (damaging && !forced ? 'after' : 'before');
  const charged = phase !== 'before' || (!forced && network === undefined);
  const code = error ?? (retryAfter !== undefined && status === undefined ? 'RATE_LIMITED' : undefined);
  const answered = forced ? (status ?? (code === undefined ? 200 : errorTable[code].status)) : 202;
  const breaks = network === 'reset' || network === 'close' || network === 'hang';
  const end = network === 'reset' ? 'reset' : network === 'hang' ? 'open' : 'closed';
  if (breaks && phase !== 'partial') return { end, status: 0, whole: false, charged };
  return { end, status: answered, whole: network === undefined || network === 'drip', charged };
}

/** The status that came, and whether as much of the body as the headers announce. */
function read({ text }: Seen): { status: number; whole: boolean } {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0);
  const length = Number(/Content-Length: (\d+)/i.exec(head)?.[1] ?? 0);
  const body = rest.join('\r\n\r\n');
  const isJson = /application\/json/.test(head);
  return { status, whole: body.length === length && (!isJson || isValid(body)) };
}

function isValid(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

async function check(emulator: Emulator, rule: FaultRequest, number: number): Promise<void> {
  const { faults, ledger, organizations } = emulator.controls;
  faults.clear();
  try {
    faults.add(rule);
  } catch (error) {
    expect((error as Error).message).toMatch(/^Invalid request data: (effect|phase)/);
    return;
  }
  const expected = meaning(rule);
  organizations.credits(emulator.organizationId, { set: 100 });
  const before = ledger().length;
  const project_name = `p${number}`;
  const request = { ...create, body: { ...create.body, name: project_name, project_name } };
  const seen = await watch(emulator, request, expected.end === 'open' ? 300 : 5_000);
  expect({ end: seen.end, status: read(seen).status }).toEqual({ end: expected.end, status: expected.status });
  // Half of nothing is nothing: an empty body cannot be seen to be damaged.
  const length = Number(/Content-Length: (\d+)/i.exec(seen.text)?.[1] ?? 0);
  if (seen.text !== '' && length > 1 && /application\/json/.test(seen.text))
    expect(read(seen).whole).toBe(expected.whole);
  expect(
    ledger()
      .slice(before)
      .map(({ type }) => type),
  ).toEqual(expected.charged ? ['charge'] : []);
  expect(faults.list()).toMatchObject([{ hits: 1 }]);
  if (seen.text !== '') expect(seen.text).toContain('X-Emulator-Fault: fault_');
}

it('does what it says', async () => {
  const emulator = await startEmulator({ quotas: { enabled: false }, rateLimits: { enabled: false } });
  let number = 0;
  await fc.assert(
    fc.asyncProperty(rules, (rule) => check(emulator, rule, number++)),
    { numRuns: 250, seed: 20_261_121 },
  );
});
