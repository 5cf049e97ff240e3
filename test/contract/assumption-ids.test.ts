// The ledger of assumptions has the ids that users look for, and answers are marked with them.

import { expect, it } from 'vitest';
import { assumptions, shownAssumption } from '../../src/http/assumptions.js';
import { declaredEndpoints } from '../../src/platform/surface.js';
import { call, startWorld } from '../support/emulator.js';
import { pay } from '../support/payments.js';

const ids = async (method: string, path: string, body?: unknown, headers = {}, settings = {}) => {
  const world = await startWorld(settings);
  const answer = await call(world, method, path, body, headers);
  return (answer.headers.get('x-emulator-assumption') ?? '').split(', ');
};

it.each<[id: string, method: string, path: string, body?: unknown, headers?: object, settings?: object]>([
  ['bodies', 'POST', '/api/v1/app/agents', '{"name": "a", "name": "b"}'],
  ['bodies', 'POST', '/api/v1/app/agents', 'no json'],
  ['inputs', 'POST', '/api/v1/app/agents', { name: 'a', nmae: 'b' }],
  ['inputs', 'GET', '/api/v1/containers?tial=1'],
  ['inputs', 'POST', '/api/v1/app/agents', { name: '' }],
  ['guesses', 'GET', '/api/marketplace/characters', undefined, {}, { strict: { guesses: true } }],
  ['money', 'GET', '/api/v1/credits/balance'],
  ['cors', 'GET', '/api/v1/containers', undefined, { origin: 'http://localhost:3000' }],
  ['account.workFunction', 'PATCH', '/api/v1/user', { work_function: 'anything' }],
  ['images.limits', 'POST', '/api/v1/generate-image', { prompt: 'x'.repeat(5_000) }],
  ['videos.model', 'POST', '/api/v1/generate-video', { prompt: 'x', model: 'nobody/knows' }],
])('an assumption marks %s on %s %s', async (id, method, path, body, headers, settings) => {
  expect(await ids(method, path, body, headers, settings)).toContain(id);
  const world = await startWorld();
  const ledger = world.controls.assumptions() as { id: string }[];
  expect(ledger.map((entry) => entry.id)).toContain(id);
});

it('the price of the settings is what credits are sold at', async () => {
  const world = await startWorld({ credits: { perDollar: 100, seeded: 0 } });
  const refused = await call(world, 'POST', '/api/v1/voice/tts', { text: 'Hello', voiceId: 'EXAVITQu4vr4xnSDxMaL' });
  expect(refused.body).toMatchObject({ requiredCredits: 1, accepts: [{ maxAmountRequired: '10000' }] });
  const bought = await pay(world, { path: '/api/v1/topup/10' });
  expect(bought.body).toMatchObject({ amount: 10, newBalance: 1_000 });
  const { pricing } = (await call(world, 'GET', '/api/v1/credits/summary')).body;
  expect(pricing.creditsPerDollar).toBe(100);
});

// What no answer of a platform could show.
const coversNothing: Record<string, string> = {
  'containers.url': 'the address is on this machine, and what answers there is the container of the client',
  guesses: 'strict mode is the emulator’s: the answer also names the guess that it refuses',
  'time.exposed': 'a platform has no virtual time',
};

const behaviours = 'precedence|price|refund|window|quota|stages|idempotency|deletion';
const pointer = '/[\\w*/]+';
const place = `status(?: \\d(?:\\d\\d|xx))?|header [a-z*][a-z*-]*|order ${pointer}|${pointer}|${behaviours}`;
const grammar = new RegExp(`^(?:(?<operation>[a-zA-Z0-9]+\\.[a-zA-Z*]+) )?(?:${place})$`);

it.each(Object.entries(assumptions))('%s covers places of an answer', (id, { covers }) => {
  expect(covers.length === 0).toBe(id in coversNothing);
  expect(new Set(covers).size).toBe(covers.length);
  const ids = declaredEndpoints.map((endpoint) => endpoint.id);
  for (const cover of covers) {
    const operation = grammar.exec(cover)?.groups;
    expect(operation, `${cover} is no cover`).toBeDefined();
    const named = operation?.operation?.replaceAll('.', '\\.').replaceAll('*', '.*') ?? '.*';
    expect(
      ids.some((one) => new RegExp(`^${named}$`).test(one)),
      `${cover} names an operation`,
    ).toBe(true);
  }
});

it('what an assumption covers is not shown to users', () => {
  expect(shownAssumption('errors.402')).toEqual({ level: 'body', text: assumptions['errors.402'].text });
});

it('an assumption about a whole operation covers status, body and headers', () => {
  const whole = Object.values(assumptions).filter(({ level }) => level === 'operation');
  for (const { covers } of whole) expect(covers).toEqual(expect.arrayContaining(['status', '/**', 'header *']));
});
