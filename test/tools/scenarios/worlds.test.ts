// Scenarios in worlds of their own, in the settings, behind the control operations.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema.js';
import { ConfigError, createEmulator } from '../../../src/index.js';
import { openWorld } from '../../../src/world/world.js';
import { tempDir } from '../../support/command.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';
import { openStream } from '../../support/sse.js';

const ask = async (url: string, door: string): Promise<any> => (await fetch(`${url}/_emulator/${door}`)).json();

describe('a world', () => {
  it('begins with a scenario, by name or as a document', async () => {
    const { controls } = await startEmulator();
    const named = await controls.worlds.create({ id: 'a', scenario: 'quota-reached' });
    const given = await controls.worlds.create({
      id: 'b',
      scenario: { clock: { start: '2031-01-01T00:00:00Z' }, data: { credits: 2 } },
    });
    expect((await ask(named.baseUrl, 'containers')).total).toBe(5);
    expect(given).toMatchObject({ now: '2031-01-01T00:00:00.000Z', frozen: true });
    expect((await ask(given.baseUrl, 'organizations')).organizations[0].credits).toBe(2);
    await fetch(`${given.baseUrl}/_emulator/clock/advance`, { method: 'POST', body: '{"by":"1h"}' });
    await fetch(`${given.baseUrl}/_emulator/reset`, { method: 'POST' });
    expect((await ask(given.baseUrl, 'clock')).now).toBe('2031-01-01T00:00:00.000Z');
    const plain = await controls.worlds.create({ id: 'c' });
    expect((await ask(plain.baseUrl, 'containers')).total).toBe(0);
    expect((await ask(plain.baseUrl, 'faults')).total).toBe(0);
  });

  it('has the clock and the seed that are asked for expressly', async () => {
    const { controls } = await startEmulator({ frozen: false });
    const scenario = { seed: 'a', clock: { start: '2031-01-01T00:00:00Z', speed: 10 } };
    const own = await controls.worlds.create({ scenario });
    expect(own).toMatchObject({ frozen: false });
    const asked = await controls.worlds.create({
      scenario,
      seed: 'b',
      clock: { start: '2032-01-01T00:00:00Z', frozen: true },
    });
    expect(asked).toMatchObject({ now: '2032-01-01T00:00:00.000Z', frozen: true });
    expect(asked.apiKey).not.toBe(own.apiKey);
  });

  it('begins its time with the first request of a client where its scenario says so', async () => {
    const { controls, fetch: send } = await startEmulator();
    const scenario = { clock: { start: '2031-01-01T00:00:00Z', waits: true, speed: 20 } };
    const { baseUrl } = await controls.worlds.create({ id: 'late', scenario });
    expect(await ask(baseUrl, 'clock')).toEqual({
      now: '2031-01-01T00:00:00.000Z',
      speed: 0,
      frozen: true,
      skewMs: 0,
      waits: true,
    });
    expect((await ask(baseUrl, 'requests')).requests).toEqual([]);
    await send('/w/late/_emulator/scenarios/waiting/save', { method: 'POST' });
    const saved = await controls.scenarios.get('waiting');
    expect(saved).toMatchObject({ document: { clock: { waits: true, speed: 20 } } });
    await fetch(`${baseUrl}/api/v1/containers`);
    expect(await ask(baseUrl, 'clock')).toMatchObject({ speed: 20, frozen: false });
    await fetch(`${baseUrl}/_emulator/reset`, { method: 'POST' });
    expect(await ask(baseUrl, 'clock')).toMatchObject({ frozen: true, waits: true });
    await fetch(`${baseUrl}/_emulator/clock/freeze`, { method: 'POST' });
    await fetch(`${baseUrl}/api/v1/containers`);
    expect(await ask(baseUrl, 'clock')).not.toHaveProperty('waits');
    const both = { clock: { waits: true, frozen: true } };
    await expect(controls.worlds.create({ scenario: both })).rejects.toThrow('clock.waits must be left out beside');
  });

  it('shows clients virtual time where its scenario says so, and others show them wall time', async () => {
    const emulator = await startEmulator({ frozen: false });
    const scenario = { clock: { start: '2031-01-01T00:00:00Z' }, settings: { clock: { exposed: 'virtual' } } };
    const virtual = await emulator.controls.worlds.create({ scenario });
    const wall = await emulator.controls.worlds.create({ scenario: { clock: scenario.clock } });
    const yearOf = async ({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) => {
      const answer = await fetch(`${baseUrl}/api/v1/containers`, { headers: { 'x-api-key': apiKey } });
      return answer.headers.get('x-ratelimit-reset')?.slice(0, 4);
    };
    expect([await yearOf(virtual), await yearOf(wall)]).toEqual(['2031', String(new Date().getFullYear())]);
    await fetch(`${virtual.baseUrl}/_emulator/reset`, { method: 'POST' });
    expect(await yearOf(virtual)).toBe('2031');
  });

  it('is not made with a scenario that is wrong or unknown', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await expect(controls.worlds.create({ scenario: 'rough-dya' })).rejects.toThrow(/did you mean "rough-day"/);
    await expect(controls.worlds.create({ scenario: { containers: [{ mode: 'x' }] } })).rejects.toThrow(/failure mode/);
    const clash = { data: { containers: [{ project_name: 'a' }, { project_name: 'b', name: 'a' }] } };
    await expect(controls.worlds.create({ scenario: clash })).rejects.toThrow(/data.containers\[1\]/);
    const answer = await call(emulator, 'POST', '/_emulator/worlds', { scenario: { faluts: [] } });
    expect([answer.status, answer.body.error.details]).toMatchObject([400, [{ path: 'scenario.faluts' }]]);
    expect(controls.worlds.list()).toHaveLength(1);
    expect(await controls.worlds.create()).toMatchObject({ id: 'w1' });
  });
});

describe('the setting', () => {
  it('is what every new world begins with, unless its request says otherwise', async () => {
    const emulator = await startEmulator({ scenario: 'quota-reached' });
    const { controls } = emulator;
    expect((await call(emulator, 'GET', '/api/v1/containers')).body.data).toHaveLength(5);
    expect(controls.scenarios.expectations().scenario).toBe('quota-reached');
    const same = await controls.worlds.create();
    expect((await ask(same.baseUrl, 'containers')).total).toBe(5);
    const none = await controls.worlds.create({ scenario: null });
    expect((await ask(none.baseUrl, 'containers')).total).toBe(0);
  });

  it('may name a file', async () => {
    const file = join(tempDir(), 'mine.json');
    writeFileSync(file, '{"title": "Mine", "seed": "own", "data": {"credits": 3}}');
    const emulator = await startEmulator({ scenario: file });
    expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body).toEqual({ balance: 3 });
    const seedless = await createEmulator({ scenario: file });
    const other = await createEmulator({ scenario: file });
    expect(seedless.apiKey).toBe(other.apiKey);
    expect(seedless.apiKey).not.toBe(emulator.apiKey);
    await Promise.all([seedless.close(), other.close()]);
  });

  it('is only for a world that is new', async () => {
    const dataDir = tempDir();
    const first = await createEmulator({ dataDir, scenario: 'quota-reached' });
    first.controls.containers.stop(first.controls.containers.list()[0]?.id ?? '');
    await first.close();
    const second = await createEmulator({ dataDir, scenario: 'crowded-account' });
    expect(second.controls.containers.list().map(({ status }) => status)).toContain('stopped');
    expect(second.controls.containers.list()).toHaveLength(5);
    await second.controls.reset();
    expect(second.controls.containers.list().map(({ status }) => status)).not.toContain('stopped');
    await second.close();
  });

  it.each([
    ['hapy-path', /^scenario: There is no scenario "hapy-path"; did you mean "happy-path"\?$/],
    ['./none.json', /^scenario: .*none.json: there is no such file$/],
    ['test/../package.json', /^scenario: name is unknown/],
  ])('with %s is refused before anything is written', async (scenario, message) => {
    const dataDir = tempDir();
    const error = await createEmulator({ dataDir, scenario }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).problems[0]).toMatch(message);
    const emulator = await createEmulator({ dataDir, scenario: 'quota-reached' });
    expect(emulator.controls.containers.list()).toHaveLength(5);
    await emulator.close();
  });
});

describe('over HTTP', () => {
  it('scenarios are listed, shown, applied, merged and saved', async () => {
    const emulator = await startEmulator();
    const list = await call(emulator, 'GET', '/_emulator/scenarios');
    expect(list.body.scenarios).toEqual(emulator.controls.scenarios.list());
    const shown = await call(emulator, 'GET', '/_emulator/scenarios/rough-day');
    expect(shown.body).toEqual(emulator.controls.scenarios.get('rough-day'));
    const applied = await call(emulator, 'POST', '/_emulator/scenarios/quota-reached');
    expect(applied.body).toMatchObject({ name: 'quota-reached', merged: false, apiKey: emulator.apiKey });
    const merged = await call(emulator, 'POST', '/_emulator/scenarios', {
      faults: [{ effect: { delay: 1 } }],
      merge: true,
    });
    expect(merged.body).toMatchObject({ name: null, merged: true });
    expect(emulator.controls.containers.list()).toHaveLength(5);
    expect(emulator.controls.faults.list()).toHaveLength(1);
    const saved = await call(emulator, 'POST', '/_emulator/scenarios/mine/save', { title: 'Mine' });
    expect(saved.body).toMatchObject({ name: 'mine', source: 'memory', document: { title: 'Mine' } });
    expect((await call(emulator, 'POST', '/_emulator/scenarios/mine')).status).toBe(200);
  });

  it('an open log stream reports a new scenario, and what was there is gone', async () => {
    const emulator = await startEmulator();
    const { id } = await deploy(emulator);
    const stream = await openStream(`${emulator.url}/api/v1/containers/${id}/logs/stream`, {
      authorization: `Bearer ${emulator.apiKey}`,
    });
    await emulator.controls.scenarios.apply('happy-path');
    await expect.poll(() => stream.messages.some(({ data }) => data.type === 'reset')).toBe(true);
    stream.close();
    expect((await call(emulator, 'GET', `/api/v1/containers/${id}`)).status).toBe(404);
  });
});

it.each([
  ['its scenario', { scenario: 'quota-reached' }, 5],
  ['what every world has', {}, 0],
])('a data directory whose first start was killed before it was filled gets %s', async (_, options, containers) => {
  const dataDir = tempDir();
  // All that is written before a world is filled.
  const world = openWorld({
    id: 'default',
    config: configSchema.parse({ seed: 'test' }),
    file: join(dataDir, 'world.db'),
    effects: {},
  });
  world.close();
  const emulator = await startEmulator({ dataDir, seed: 'test', ...options });
  expect(emulator.controls.containers.list()).toHaveLength(containers);
  expect((await call(emulator, 'GET', '/api/v1/containers')).status).toBe(200);
  emulator.controls.keys.create({ name: 'kept' });
  await emulator.close();
  // The template is filled once.
  const again = await startEmulator({ dataDir, seed: 'test', ...options });
  expect(again.apiKey).toBe(emulator.apiKey);
  expect(again.controls.keys.list().map(({ name }) => name)).toContain('kept');
});
