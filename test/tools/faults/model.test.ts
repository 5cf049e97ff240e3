// Generated rules: whatever is accepted does what it says, to a raw client and to the ledger; the rest says why not.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { errorTable } from '../../../src/core/errors.js';
import type { Emulator } from '../../../src/index.js';
import type { FaultRequest } from '../../../src/tools/faults/rule.js';
import { runsOf } from '../../support/campaign.js';
import { startEmulator } from '../../support/emulator.js';
import { create, type Seen, watch, watchOpen } from '../../support/faults.js';

const codes = Object.keys(errorTable) as (keyof typeof errorTable)[];
const bodies = fc.constantFrom<unknown>('text', { a: [1] }, null, '');

/** Parts of effects, most of them whole by themselves. */
const parts: fc.Arbitrary<object> = fc.oneof(
  fc.record({ error: fc.constantFrom(...codes) }),
  fc.record({ status: fc.constantFrom(204, 404, 418, 429, 500, 503, 504) }),
  fc.record({ status: fc.constantFrom(200, 302, 500), body: bodies }),
  fc.record({ body: bodies }),
  fc.record({ retryAfter: fc.constantFrom(0, 7) }),
  fc.record({ delay: fc.constantFrom(0, '10ms', { min: 0, max: 30 }) }),
  fc.record({ network: fc.constantFrom('reset', 'close', 'hang', 'truncate', 'malformed') }),
  fc.record({ network: fc.constant('drip'), delay: fc.constantFrom(0, 30) }),
);

const rules: fc.Arbitrary<FaultRequest> = fc
  .record({
    phase: fc.constantFrom(undefined, 'before', 'after', 'partial'),
    some: fc.array(parts, { minLength: 1, maxLength: 3 }),
  })
  .map(({ phase, some }) => ({
    match: { operation: 'containers.create' },
    ...(phase !== undefined && { phase }),
    effect: Object.assign({}, ...some),
  }));

interface Expected {
  end: Seen['end'];
  /** 0: no answer. */
  status: number;
  whole: boolean;
  charged: boolean;
}

/** The meaning of a rule that was accepted, told anew. */
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

async function check(emulator: Emulator, rule: FaultRequest): Promise<0 | 1> {
  const { faults, ledger, organizations } = emulator.controls;
  faults.clear();
  try {
    faults.add(rule);
  } catch (error) {
    expect((error as Error).message).toMatch(/^(effect|phase)/);
    return 0;
  }
  const expected = meaning(rule);
  organizations.credits(emulator.organizationId, { set: 100 });
  const before = ledger().length;
  const project_name = `p${before}`;
  const request = { ...create, body: { ...create.body, name: project_name, project_name } };
  // A response that hangs has begun when its status has come or, where none comes, when the rule has acted.
  const hangs = (text: string): boolean => (expected.status === 0 ? faults.list()[0]?.hits === 1 : text !== '');
  const seen = await (expected.end === 'open' ? watchOpen(emulator, request, hangs) : watch(emulator, request));
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
  return 1;
}

it('every generated rule that is accepted does what it says', async () => {
  const emulator = await startEmulator({ quotas: { enabled: false }, rateLimits: { enabled: false } });
  let accepted = 0;
  const property = fc.asyncProperty(rules, async (rule) => {
    accepted += await check(emulator, rule);
  });
  await fc.assert(property, { numRuns: runsOf(200) });
  expect(accepted).toBeGreaterThan(runsOf(60));
});
