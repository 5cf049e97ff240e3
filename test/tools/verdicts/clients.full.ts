// Verdicts and coverage of real clients against a running emulator.

import { expect, it } from 'vitest';
import { connect } from '../../../src/client.js';
import type { Emulator } from '../../../src/index.js';
import { call, deploy, startEmulator, startWorld } from '../../support/emulator.js';
import { callWith } from '../../support/keys.js';
import { naive, type SampleClient, wellBehaved } from '../../support/sample-clients.js';
import { openStream } from '../../support/sse.js';
import { base, clone } from '../../support/voice.js';

/** A day on which something goes wrong in each of the ways that a client must bear. */
async function onABadDay(client: SampleClient): Promise<Emulator> {
  const emulator = await startEmulator();
  const { faults } = emulator.controls;
  faults.add({
    match: { operation: 'containers.create' },
    when: { times: 1 },
    phase: 'after',
    effect: { network: 'reset' },
  });
  faults.add({
    match: { operation: 'containers.get' },
    when: { nth: 3 },
    effect: { error: 'RATE_LIMITED', retryAfter: 30 },
  });
  faults.add({ match: { operation: 'agents.list' }, when: { times: 7 }, effect: { error: 'SERVICE_UNAVAILABLE' } });
  expect(await client(emulator)).toEqual({ status: 'running', agents: 0 });
  return emulator;
}

function verdictsOf({ controls }: Emulator): Record<string, string> {
  return Object.fromEntries(controls.verdicts().verdicts.map(({ rule, verdict }) => [rule, verdict]));
}

const neither = {
  'no-secret-in-url': 'pass',
  'no-live-key': 'pass',
  'no-expired-credential': 'pass',
  'no-unknown-fields': 'pass',
  'faults-all-fired': 'pass',
  'streams-closed': 'not-exercised',
  'quiet-after-end': 'not-exercised',
};

it('the verdicts pass a well-behaved client', async () => {
  const emulator = await onABadDay(wellBehaved);
  expect(verdictsOf(emulator)).toEqual({
    ...neither,
    'retry-after-obeyed': 'pass',
    'poll-interval-obeyed': 'pass',
    'backoff-grows': 'pass',
    'no-duplicate-create': 'pass',
  });
  expect(emulator.controls.verdicts()).toMatchObject({ fail: 0, complete: true, dropped: 0 });
});

it('the verdicts fail a naive client by exactly the rules that it breaks', async () => {
  const emulator = await onABadDay(naive);
  expect(verdictsOf(emulator)).toEqual({
    ...neither,
    'retry-after-obeyed': 'fail',
    'poll-interval-obeyed': 'fail',
    'backoff-grows': 'fail',
    'no-duplicate-create': 'fail',
  });
  const { verdicts } = emulator.controls.verdicts();
  for (const { verdict, evidence } of verdicts) expect(evidence.length > 0).toBe(verdict === 'fail');
  const duplicate = verdicts.find(({ rule }) => rule === 'no-duplicate-create')?.evidence;
  expect(duplicate).toMatchObject([{ operation: 'containers.create', method: 'POST', path: '/api/v1/containers' }]);
});

it('the verdicts measure waits by the wall clock as well', async () => {
  const emulator = await startEmulator({ rateLimits: { perKey: 2 } });
  const list = (): Promise<{ status: number }> => call(emulator, 'GET', '/api/v1/containers');
  const { controls } = emulator;
  controls.faults.add({ when: { times: 1 }, effect: { error: 'RATE_LIMITED', retryAfter: 1 } });
  expect((await list()).status).toBe(429);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect((await list()).status).toBe(200);
  expect(verdictsOf(emulator)).toMatchObject({ 'retry-after-obeyed': 'pass' });
});

it('the verdicts judge by true limits, for every operation of the key', async () => {
  const emulator = await startEmulator({ rateLimits: { perKey: 1 } });
  await call(emulator, 'GET', '/api/v1/containers');
  await call(emulator, 'GET', '/api/v1/containers');
  expect(verdictsOf(emulator)).toMatchObject({ 'retry-after-obeyed': 'pass' });
  await emulator.controls.clock.advance('59s');
  await call(emulator, 'GET', '/api/v1/credits/balance');
  expect(verdictsOf(emulator)).toMatchObject({ 'retry-after-obeyed': 'fail' });
});

it('the verdicts see who does not wait by connections that the test has used before', async () => {
  const { url } = await startEmulator();
  const results: (string | undefined)[] = [];
  for (const id of ['first', 'second']) {
    // The same pool of connections sets the fault and sends the client's requests, as in `cloudemu/vitest`.
    const world = await connect({ url }).createWorld({ id });
    const headers = { authorization: `Bearer ${world.apiKey}` };
    await world.controls.faults.add({
      match: { operation: 'containers.list' },
      when: { times: 1 },
      effect: { status: 429, retryAfter: 30 },
    });
    for (const status of [429, 200]) {
      const response = await world.fetch('/api/v1/containers', { headers });
      expect(response.status).toBe(status);
      await response.text();
    }
    const { verdicts } = await world.controls.verdicts();
    results.push(verdicts.find(({ rule }) => rule === 'retry-after-obeyed')?.verdict);
  }
  expect(results).toEqual(['fail', 'fail']);
});

it('the verdicts hold no burst against a client that was sent before the limit was known', async () => {
  const emulator = await startEmulator({ rateLimits: { perKey: 4 } });
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, page) => call(emulator, 'GET', `/api/my-agents/characters?page=${page + 1}`)),
  );
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(4);
  expect(verdictsOf(emulator)).toMatchObject({ 'retry-after-obeyed': 'pass', 'backoff-grows': 'not-exercised' });
});

it('the verdicts find secrets in URLs, live keys, expired keys and unknown fields', async () => {
  const emulator = await startEmulator();
  const expiring = emulator.controls.keys.create({ expiresIn: '10s' }).apiKey;
  await callWith(emulator, expiring, 'GET', '/api/v1/containers');
  await emulator.controls.clock.advance('10s');
  await callWith(emulator, expiring, 'GET', '/api/v1/containers');
  expect(verdictsOf(emulator)).toMatchObject({
    'no-secret-in-url': 'pass',
    'no-live-key': 'pass',
    'no-expired-credential': 'pass',
    'no-unknown-fields': 'pass',
  });
  await callWith(emulator, expiring, 'GET', '/api/v1/containers');
  await callWith(emulator, `ek_live_${'0'.repeat(64)}`, 'GET', '/api/v1/containers');
  await call(emulator, 'GET', `/api/v1/containers?api_key=${emulator.apiKey}`);
  await call(emulator, 'POST', '/api/v1/app/agents', { name: 'one', boi: 'text' });
  expect(verdictsOf(emulator)).toMatchObject({
    'no-secret-in-url': 'fail',
    'no-live-key': 'fail',
    'no-expired-credential': 'fail',
    'no-unknown-fields': 'fail',
  });
  const text = JSON.stringify(emulator.controls.verdicts());
  expect(text).toContain('did you mean bio?');
  expect(text).not.toContain(emulator.apiKey);
  expect(text).not.toContain('00000000');
});

it('the verdicts see a log stream that is opened again and again, and none in one opened again after a wait', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  const open = () =>
    openStream(`${emulator.url}/api/v1/containers/${id}/logs/stream`, { authorization: `Bearer ${emulator.apiKey}` });
  for (let times = 0; times < 4; times++) (await open()).close();
  await expect.poll(() => verdictsOf(emulator)['streams-closed']).toBe('pass');
  for (let times = 0; times < 30; times++) (await open()).close();
  await expect.poll(() => verdictsOf(emulator)['streams-closed']).toBe('fail');
});

it('the verdicts see streams that stay open, and polling that goes on after the end', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator, { ecr_image_uri: 'r/a:fail-exec-format' });
  const events = await openStream(`${emulator.url}/api/v1/containers/${id}/logs/stream`, {
    authorization: `Bearer ${emulator.apiKey}`,
  });
  expect(verdictsOf(emulator)).toMatchObject({ 'streams-closed': 'fail', 'quiet-after-end': 'not-exercised' });
  await emulator.controls.clock.advance('1m');
  const look = async (): Promise<void> => {
    await emulator.controls.clock.advance('5s');
    await call(emulator, 'GET', `/api/v1/containers/${id}`);
  };
  for (let i = 0; i < 3; i++) await look();
  events.close();
  await expect.poll(() => verdictsOf(emulator)['streams-closed']).toBe('pass');
  expect(verdictsOf(emulator)).toMatchObject({ 'quiet-after-end': 'pass' });
  await look();
  expect(verdictsOf(emulator)).toMatchObject({ 'quiet-after-end': 'fail' });
});

it('the verdicts judge only what came since', async () => {
  const emulator = await startEmulator();
  await call(emulator, 'GET', '/api/v1/containers?pge=2');
  await emulator.controls.clock.advance('1h');
  const { headers } = await call(emulator, 'GET', '/api/v1/containers');
  const { controls } = emulator;
  expect(controls.verdicts()).toMatchObject({ requests: 2, fail: 1 });
  for (const since of ['10m', headers.get('x-request-id') ?? '', '2026-01-01T00:30:00Z'])
    expect(controls.verdicts({ since })).toMatchObject({ requests: 1, fail: 0 });
  expect(controls.coverage({ since: '10m' }).totals.operations.met).toBe(1);
  expect(() => controls.verdicts({ since: 'yesterday' })).toThrow(/since must be/);
});

it('the verdicts say when the journal has let go of something', async () => {
  const emulator = await startEmulator({ data: { journal: 10 } });
  for (let i = 0; i < 14; i++) await call(emulator, 'GET', '/api/v1/containers');
  expect(emulator.controls.verdicts()).toMatchObject({ requests: 10, complete: false, dropped: 4 });
  expect(emulator.controls.coverage()).toMatchObject({ complete: false, dropped: 4 });
  const { headers } = await call(emulator, 'GET', '/api/v1/containers');
  await call(emulator, 'GET', '/api/v1/containers');
  const since = headers.get('x-request-id') ?? '';
  expect(emulator.controls.verdicts({ since })).toMatchObject({ requests: 2, complete: true, dropped: 6 });
});

it('the coverage lists what was called, and is the same over HTTP', async () => {
  const emulator = await onABadDay(wellBehaved);
  await call(emulator, 'GET', '/nowhere');
  const { controls } = emulator;
  const coverage = controls.coverage();
  const of = (operation: string) => coverage.operations.find((one) => one.operation === operation);
  expect(of('containers.create')).toMatchObject({ requests: 1, statuses: { 0: 1 }, errors: [] });
  expect(of('containers.create')?.neverMet).toContain('INSUFFICIENT_CREDITS');
  expect(of('agents.list')?.errors).toEqual([{ code: 'SERVICE_UNAVAILABLE', count: 7, forced: 7 }]);
  expect(of('containers.get')?.neverMet).not.toContain('RATE_LIMITED');
  expect(of('agents.clone')).toMatchObject({ requests: 0 });
  expect(coverage).toMatchObject({ unmatched: 1, totals: { operations: { met: 4 }, errors: { met: 3 } } });
  expect((await call(emulator, 'GET', '/_emulator/coverage')).body).toEqual(coverage);
  expect((await call(emulator, 'GET', '/_emulator/verdicts?since=1')).body).toEqual(controls.verdicts({ since: 1 }));
  const refused = await call(emulator, 'GET', '/_emulator/verdicts?since=nonsense');
  expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'since']);
});

it.each([`${base}/jobs`, 'voice'])('poll-interval-obeyed judges polls of jobs at %s', async (where) => {
  const world = await startWorld();
  const { id, polling } = (await clone(world)).body;
  const judged = () => world.controls.verdicts().verdicts.find(({ rule }) => rule === 'poll-interval-obeyed');
  const look = () => call(world, 'GET', where === 'voice' ? `${base}/${id}` : where);
  await look();
  expect(judged()?.verdict).toBe('not-exercised');
  await world.controls.clock.advance(polling.intervalMs);
  await look();
  expect(judged()?.verdict).toBe('pass');
  await world.controls.clock.advance(100);
  await look();
  expect(judged()?.verdict, 'one extra read').toBe('pass');
  for (let n = 0; n < 3; n++) await look();
  expect(judged()).toMatchObject({ verdict: 'fail' });
  const early = judged()?.evidence ?? [];
  for (const { message } of early) expect(message).toContain('500 ms is advised');
  await world.controls.clock.advance('1m');
  await look();
  await look();
  expect(judged()?.evidence).toHaveLength(early.length);
});

it('faults-all-fired asks for no optional fault, and counts one that has fired', async () => {
  const world = await startWorld();
  const { faults, verdicts } = world.controls;
  const result = (): object | undefined => verdicts().verdicts.find(({ rule }) => rule === 'faults-all-fired');
  faults.add({ match: { operation: 'containers.create' }, effect: { status: 503 }, optional: true });
  expect(result()).toMatchObject({ verdict: 'not-exercised' });
  faults.add({ match: { operation: 'containers.list' }, effect: { status: 503 }, optional: true });
  await call(world, 'GET', '/api/v1/containers');
  expect(result()).toMatchObject({ verdict: 'pass', summary: '1 fault set, and each has fired.' });
});
