// Instants that clients send: read in every way in which they are written, on the clock that they are meant on.

import { expect, it } from 'vitest';
import { call, deploy, startEmulator } from '../support/emulator.js';
import { mint } from '../support/keys.js';
import { openStream } from '../support/sse.js';

const keys = '/api/v1/api-keys';
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

it.each([
  '2026-01-01T00:00:03Z',
  '2026-01-01T00:00:03',
  '2026-01-01T00:00:03.000000000Z',
  '2026-01-01T01:00:03+0100',
  '2026-01-01T01:00:03+01:00',
  '20260101T000003Z',
])('the beginning of logs may be %s', async (since) => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('20s');
  const all = (await call(emulator, 'GET', `/api/v1/containers/${id}/logs`)).body.logs;
  const from = all.filter((line: any) => line.timestamp >= '2026-01-01T00:00:03.000Z');
  expect(from.length).toBeLessThan(all.length);
  const { status, body } = await call(
    emulator,
    'GET',
    `/api/v1/containers/${id}/logs?since=${encodeURIComponent(since)}`,
  );
  expect([status, body.logs]).toEqual([200, from]);
  expect(body.data.filters.since).toBe(since);
});

it('a client that adds a nanosecond to a line’s time gets what follows the line', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('20s');
  const path = `/api/v1/containers/${id}/logs`;
  const all = (await call(emulator, 'GET', path)).body.logs;
  const { timestamp } = all[2];
  const { body } = await call(emulator, 'GET', `${path}?since=${timestamp.replace('Z', '000001Z')}`);
  expect(body.logs).toEqual(all.filter((line: any) => line.timestamp > timestamp));
});

it.each(['yesterday', '2026-02-30', '1767225600', ''])('the beginning of logs may not be %j', async (since) => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  for (const path of ['logs', 'logs/stream']) {
    const { status, body } = await call(emulator, 'GET', `/api/v1/containers/${id}/${path}?since=${since}`);
    expect([status, body.error.details[0].path]).toEqual([400, 'query.since']);
  }
});

it('a stream of logs begins where the request says', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  await emulator.controls.clock.advance('20s');
  const since = '2026-01-01T00:00:15';
  const { logs } = (await call(emulator, 'GET', `/api/v1/containers/${id}/logs?since=${since}`)).body;
  const headers = { authorization: `Bearer ${emulator.apiKey}` };
  const stream = await openStream(`${emulator.url}/api/v1/containers/${id}/logs/stream?since=${since}`, headers);
  const events = await stream.until(logs.length + 1);
  expect(events.flatMap(({ data }) => (data.type === 'log' ? [data.data] : []))).toEqual(logs);
  stream.close();
});

it('the expiry of a key is taken from the client’s own clock, however far virtual time is ahead', async () => {
  const emulator = await startEmulator({ frozen: false, clock: undefined });
  await emulator.controls.clock.advance('30d');
  const expires_at = inAnHour();
  const { id, value, record } = await mint(emulator, { expires_at });
  expect(record.expires_at).toBe(expires_at);
  const use = () => emulator.fetch(keys, { headers: { authorization: `Bearer ${value}` } });
  await emulator.controls.clock.advance('59m');
  expect((await use()).status).toBe(200);
  await emulator.controls.clock.advance('2m');
  expect((await use()).status).toBe(401);
  // A key that has ended shows when it did: the clock was advanced to that.
  const shown = (await call(emulator, 'GET', `${keys}/${id}`)).body.apiKey.expires_at;
  expect(Date.parse(shown)).toBeLessThanOrEqual(Date.now());
});

it.each([
  [0, '1h'],
  [60, '60h'],
])('a key lasts at speed %d for %s of virtual time, if that is an hour for the client', async (speed, lasts) => {
  const emulator = await startEmulator({ clock: '2030-01-01T00:00:00Z' });
  if (speed > 0) emulator.controls.clock.resume({ speed });
  const { value } = await mint(emulator, { expires_at: inAnHour() });
  const use = async () => (await emulator.fetch(keys, { headers: { authorization: `Bearer ${value}` } })).status;
  await emulator.controls.clock.advance(lasts === '1h' ? '59m' : '58h');
  expect(await use()).toBe(200);
  await emulator.controls.clock.advance('3h');
  expect(await use()).toBe(401);
});

it('an expiry of a key is in virtual time where the settings say so', async () => {
  const emulator = await startEmulator({ clock: { start: '2030-01-01T00:00:00Z', exposed: 'virtual' } });
  const ahead = await call(emulator, 'POST', keys, { name: 'a', expires_at: '2030-01-01T00:10:00Z' });
  expect([ahead.status, ahead.body.apiKey.expires_at]).toEqual([201, '2030-01-01T00:10:00.000Z']);
  const past = await call(emulator, 'POST', keys, { name: 'a', expires_at: inAnHour() });
  expect(past.body.error.details[0].message).toBe('must be in the future: it is 2030-01-01T00:00:00.000Z');
});

it.each(['2026-02-30T00:00:00Z', '2026-01-02T00:00:00', '2026-01-02', '2026-01-02T00:00:00+0100', 'garbage'])(
  'the clock does not take %j for a time to move or skew to',
  async (to) => {
    const emulator = await startEmulator();
    const { clock } = emulator.controls;
    const before = clock.get();
    await expect(clock.advance({ to })).rejects.toThrow('to must be an ISO 8601 time with its zone');
    expect(() => clock.skew({ to })).toThrow('to must be an ISO 8601 time with its zone');
    await expect(emulator.createWorld({ clock: to })).rejects.toThrow('clock');
    expect(clock.get()).toEqual(before);
  },
);
