// Generated from the registry: every error that an endpoint can answer, injected by a fault rule, is answered as declared.

import { expect, it } from 'vitest';
import { type ErrorCode, errorTable } from '../../src/core/errors.js';
import type { Endpoint } from '../../src/http/endpoint.js';
import { errorsOf } from '../../src/http/openapi.js';
import { pathsOf } from '../../src/http/routes.js';
import { errorEnvelope } from '../../src/http/wire.js';
import { isTried, itFull } from '../support/campaign.js';
import { call } from '../support/contract-call.js';
import { type Answer, startWorld } from '../support/emulator.js';
import { expectAll } from '../support/matrix.js';
import { newer, settingsOf, surface } from '../support/surface.js';

const nobody = '00000000-0000-4000-8000-000000000000';

/** The errors that any server may answer, declared or not. */
const always: ErrorCode[] = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'];

function expectInjected(answer: Answer, code: ErrorCode, rule: string, name: string): void {
  expect([answer.status, answer.body.error?.code], name).toEqual([errorTable[code].status, code]);
  expect(errorEnvelope.safeParse(answer.body).error?.issues ?? [], name).toEqual([]);
  const { headers, body } = answer;
  expect(body.error.requestId, name).toBe(headers.get('x-request-id'));
  expect(headers.get('x-emulator-fault'), name).toBe(rule);
  expect(headers.get('x-emulator-assumption'), name).toContain('errors.envelope');
  for (const header of ['limit', 'remaining', 'reset', 'policy'])
    expect(headers.get(`x-ratelimit-${header}`), `${name} ${header}`).not.toBeNull();
  if (code === 'RATE_LIMITED') expect(headers.get('retry-after'), name).toBe(String(body.error.retryAfter));
  if (answer.status === 402) expect(body, name).toMatchObject({ x402Version: 1, accepts: [{ scheme: 'exact' }] });
  if (code === 'INSUFFICIENT_CREDITS') expect(body.requiredCredits, name).toBeGreaterThan(0);
  if (code === 'VALIDATION_ERROR') expect(body.error.details, name).toMatchObject([{ path: expect.any(String) }]);
}

async function inject(endpoint: Endpoint, path: string, row: number): Promise<void> {
  const world = await startWorld({ rateLimits: { enabled: false }, ...settingsOf(endpoint) });
  const { faults } = world.controls;
  // One of eight codes of each endpoint, others for the next; the full run takes all.
  const codes = [...new Set([...errorsOf(endpoint), ...always])].filter((_, column) => isTried(row, column, 8));
  const { id: operation, method } = endpoint;
  const rules = codes.map((error) =>
    faults.add({ match: { operation, method }, when: { times: 1 }, effect: { error } }),
  );
  for (const [i, code] of codes.entries()) {
    const name = `${method} ${path} ${code}`;
    expect(rules[i]?.notes, name).toEqual([]);
    const answer = await call(world, method, path.replace(/\{\w+\}/g, nobody), endpoint.example);
    expectInjected(answer, code, rules[i]?.id ?? '', name);
  }
  expect(faults.neverFired()).toEqual([]);
  expect(faults.list().every(({ state, seen, hits }) => state === 'spent' && seen >= 1 && hits === 1)).toBe(true);
}

itFull('an endpoint answers each injected error that it declares, as declared', () =>
  expectAll(
    [...surface, ...newer].flatMap((endpoint, row) =>
      pathsOf(endpoint).map(
        (path) =>
          [
            `${endpoint.id} (${endpoint.method} ${path}, ${endpoint.profiles?.join() ?? 'all'})`,
            { endpoint, path, row },
          ] as const,
      ),
    ),
    ({ endpoint, path, row }) => inject(endpoint, path, row),
  ),
);

it('an endpoint answers every injected code of the table, though it never would', async () => {
  const world = await startWorld();
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    world.controls.faults.clear();
    const { id, notes } = world.controls.faults.add({ match: { operation: 'usage.get' }, effect: { error: code } });
    expectInjected(await call(world, 'GET', '/api/quotas/usage'), code, id, code);
    expect(notes.length).toBe(
      [...errorsOf(surface.find((one) => one.id === 'usage.get')!), ...always].includes(code) ? 0 : 1,
    );
  }
});
