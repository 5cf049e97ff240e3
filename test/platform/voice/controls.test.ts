// Voices and cloning jobs under control: finished, failed and waited for.

import { beforeEach, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, startWorld } from '../../support/emulator.js';
import { base, clone } from '../../support/voice.js';

let world: EmulatorWorld;
beforeEach(async () => {
  world = await startWorld();
});
const begin = async () => (await clone(world)).body as { id: string; job: { id: string } };

it('control finishes a cloning job now', async () => {
  const { id, job } = await begin();
  expect(world.controls.jobs.finish(job.id)).toMatchObject({ id: job.id, status: 'completed', progress: 100 });
  expect(world.controls.voices.list()).toMatchObject([{ id, name: 'Ada', ready: true, active: true }]);
  expect((await call(world, 'GET', `${base}/list`)).body.total).toBe(1);
  await world.controls.clock.advance('1h');
  expect(world.controls.ledger()).toHaveLength(2);
});

it('control fails a cloning job now, by its id or that of its voice: the voice is gone, the charge returns', async () => {
  const { id, job } = await begin();
  await world.controls.clock.advance('3s');
  expect(world.controls.jobs.fail(id, { mode: 'too-short' })).toMatchObject({
    id: job.id,
    status: 'failed',
    progress: 50,
    error: expect.stringContaining('too short'),
    refundedAt: '2026-01-01T00:00:03.000Z',
  });
  expect(world.controls.voices.list()).toEqual([]);
  expect(world.controls.ledger().at(-1)).toMatchObject({ type: 'refund', amount: 10, balanceAfter: 1_000 });
});

it('control finishes a cloning job that would have failed, and fails one that would have completed', async () => {
  world = await startWorld({ voice: { cloning: { failure: 'audio-quality' } } });
  const { id, job } = await begin();
  world.controls.jobs.finish(job.id);
  await world.controls.clock.advance('1h');
  expect((await call(world, 'GET', `${base}/${id}`)).body.voice.isActive).toBe(true);
  expect(world.controls.ledger()).toHaveLength(2);
});

it('control refuses to end a cloning job that has ended, and names the nearest of what is not there', async () => {
  const { job } = await begin();
  world.controls.jobs.finish(job.id);
  expect(() => world.controls.jobs.fail(job.id)).toThrow(/it has completed/);
  expect(() => world.controls.jobs.finish(job.id)).toThrow(/it has completed/);
  expect(() => world.controls.jobs.get(`${job.id}x`)).toThrow(new RegExp(`did you mean "${job.id}"`));
});

it('an await of a cloning job waits, with and without moving time', async () => {
  const { id, job } = await begin();
  const done = world.controls.await({ job: job.id, status: 'completed' });
  await world.controls.clock.advance('5s');
  expect(await done).toMatchObject({ id: job.id, status: 'completed' });
  const second = await begin();
  const jumped = await world.controls.await({ job: second.id, status: ['completed', 'failed'], advance: true });
  expect(jumped).toMatchObject({ id: second.job.id, status: 'completed' });
  expect(world.controls.clock.get().now).toBe('2026-01-01T00:00:10.000Z');
  expect(await world.controls.await({ job: id, status: 'completed' })).toMatchObject({ voiceId: id });
});

it('an await of a cloning job takes a status that a jump passed over as one that has come', async () => {
  const { job } = await begin();
  const passed = world.controls.await({ job: job.id, status: 'processing' });
  await world.controls.clock.advance('1h');
  expect((await passed).status).toBe('completed');
});

it('an await of a cloning job says at once what cannot come true, and what is no status', async () => {
  const { job } = await begin();
  world.controls.jobs.fail(job.id);
  await expect(world.controls.await({ job: job.id, status: 'completed' })).rejects.toThrow(
    /its plan leads to nothing else/,
  );
  await expect(world.controls.await({ job: job.id, status: 'done' as 'failed' })).rejects.toThrow(/status must be/);
  await expect(world.controls.await({ job: 'none', status: 'failed' })).rejects.toThrow(/no job of id/);
});
