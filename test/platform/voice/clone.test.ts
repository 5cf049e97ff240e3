// Cloning a voice: what it needs, what it costs, and how its job goes on over time.

import { expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { call, startEmulator } from '../../support/emulator.js';
import { base, clone, formOf, sample, say } from '../../support/voice.js';

const get = (emulator: Emulator, id: string) => call(emulator, 'GET', `${base}/${id}`);
const listed = async (emulator: Emulator, query = ''): Promise<string[]> =>
  (await call(emulator, 'GET', `${base}/list${query}`)).body.voices.map(({ id }: { id: string }) => id);
const jobs = async (emulator: Emulator, query = '') => (await call(emulator, 'GET', `${base}/jobs${query}`)).body.jobs;
const balance = async (emulator: Emulator): Promise<number> =>
  (await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance;

it('cloning a voice returns the voice, its job, the charge, and how to poll', async () => {
  const emulator = await startEmulator();
  const { status, body, headers } = await clone(emulator, {
    description: 'Warm',
    settings: '{"stability":0.7}',
    file1: [sample('voice.mp3'), 'second.mp3'],
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    success: true,
    name: 'Ada',
    status: 'processing',
    voice: {
      id: body.id,
      elevenlabsVoiceId: expect.stringMatching(/^[A-Za-z0-9]{20}$/),
      name: 'Ada',
      description: 'Warm',
      cloneType: 'instant',
      status: 'processing',
      sampleCount: 2,
      totalAudioDurationSeconds: 5,
      isActive: false,
      usageCount: 0,
      settings: { stability: 0.7 },
      creationCost: 10,
      samples: [
        { fileName: 'voice.wav', format: 'wav', durationSeconds: 2.5 },
        { fileName: 'second.mp3', format: 'mp3', durationSeconds: 2.5 },
      ],
    },
    job: { voiceId: body.id, voiceName: 'Ada', jobType: 'instant', status: 'pending', progress: 0 },
    creditsDeducted: 10,
    creditsRemaining: 990,
    estimatedCompletionTime: '5s',
    polling: { endpoint: '/api/v1/voice/jobs', intervalMs: 500, expectedDurationMs: 5_000 },
  });
  expect(headers.get('x-emulator-warning')).toContain('1 to 5 minutes');
  expect(emulator.controls.ledger().at(-1)).toMatchObject({
    amount: -10,
    operation: 'voice.clone',
    subject: body.job.id,
  });
});

it('a cloned voice can be read at once, is listed and speaks when its job has completed', async () => {
  const emulator = await startEmulator();
  const { id } = (await clone(emulator)).body;
  expect((await get(emulator, id)).body.voice).toMatchObject({ isActive: false, status: 'processing' });
  expect(await listed(emulator)).toEqual([]);
  expect(await listed(emulator, '?includeInactive=true')).toEqual([]);
  expect(await jobs(emulator)).toMatchObject([{ status: 'pending', progress: 0, startedAt: null }]);
  const early = await call(emulator, 'POST', `${base}/tts`, { text: 'x', voiceId: id });
  expect([early.status, early.body.error.message]).toEqual([400, expect.stringContaining('still being cloned')]);

  await emulator.controls.clock.advance('1s');
  expect(await jobs(emulator)).toMatchObject([
    { status: 'processing', progress: 0, startedAt: '2026-01-01T00:00:01.000Z' },
  ]);
  await emulator.controls.clock.advance('3s');
  expect(await jobs(emulator)).toMatchObject([{ status: 'processing', progress: 75 }]);
  await emulator.controls.clock.advance('1s');
  expect(await jobs(emulator)).toEqual([]);
  expect(await jobs(emulator, '?all=true')).toMatchObject([
    { status: 'completed', progress: 100, completedAt: '2026-01-01T00:00:05.000Z', errorMessage: null },
  ]);
  expect(await listed(emulator)).toEqual([id]);
  const { voice } = (await get(emulator, id)).body;
  expect(voice).toMatchObject({ isActive: true, status: 'completed' });
  await say(emulator, 'Hello', { voiceId: id });
  await say(emulator, 'Hello', { voiceId: voice.elevenlabsVoiceId });
  expect((await get(emulator, voice.elevenlabsVoiceId)).body.voice).toMatchObject({
    id,
    usageCount: 2,
    lastUsedAt: '2026-01-01T00:00:05.000Z',
  });
});

it('a cloned voice is the same after one jump as after many steps', async () => {
  const [jump, steps] = [await startEmulator(), await startEmulator()];
  for (const emulator of [jump, steps]) await clone(emulator, {}, { 'x-emulator-failure': 'too-short' });
  await jump.controls.clock.advance('1m');
  for (let i = 0; i < 60; i++) await steps.controls.clock.advance('1s');
  expect(await jobs(steps, '?all=true')).toEqual(await jobs(jump, '?all=true'));
  expect(steps.controls.ledger()).toEqual(jump.controls.ledger());
});

it('a cloned voice is gone and refunded, once, at the instant at which its job fails', async () => {
  const emulator = await startEmulator({ voice: { cloning: { failure: 'audio-quality' } } });
  const { id, job } = (await clone(emulator)).body;
  expect(await balance(emulator)).toBe(990);
  await emulator.controls.clock.advance('10m');
  expect(await balance(emulator)).toBe(1_000);
  expect(emulator.controls.ledger().at(-1)).toMatchObject({
    type: 'refund',
    amount: 10,
    subject: job.id,
    at: '2026-01-01T00:00:05.000Z',
  });
  expect((await get(emulator, id)).status).toBe(404);
  expect(await jobs(emulator)).toEqual([]);
  expect(await jobs(emulator, '?all=true')).toMatchObject([
    { id: job.id, status: 'failed', progress: 99, errorMessage: expect.stringContaining('Audio quality') },
  ]);
  await emulator.controls.clock.advance('10m');
  expect(await balance(emulator)).toBe(1_000);
});

it('a cloning job fails as the request says itself', async () => {
  const emulator = await startEmulator();
  await clone(emulator, {}, { 'x-emulator-failure': 'provider-error' });
  const typo = await clone(emulator, {}, { 'x-emulator-failure': 'audio-qualty' });
  expect(decodeURIComponent(typo.headers.get('x-emulator-warning') ?? '')).toContain('did you mean audio-quality?');
  await emulator.controls.clock.advance('1m');
  expect(emulator.controls.jobs.list().map(({ status }) => status)).toEqual(['completed', 'failed']);
});

it.each([
  ['instant', 0],
  ['fast', 5_000],
  ['realistic', 30_000],
  [{ pending: '10s', processing: '50s' }, 60_000],
] as const)('a cloning job takes as long as the settings say: %j', async (timing, ms) => {
  const emulator = await startEmulator({ voice: { cloning: { timing } } });
  const { id, polling } = (await clone(emulator)).body;
  expect(polling.expectedDurationMs).toBe(ms);
  if (ms > 0) await emulator.controls.clock.advance(ms - 1);
  expect((await get(emulator, id)).body.voice.isActive).toBe(ms === 0);
  if (ms > 0) await emulator.controls.clock.advance(1);
  expect((await get(emulator, id)).body.voice.isActive).toBe(true);
});

it('a cloning job takes as long as deployments, where it has no setting of its own; professional clones longer', async () => {
  const instant = await startEmulator({ timing: 'instant' });
  expect((await clone(instant)).body.polling.expectedDurationMs).toBe(0);
  const realistic = await startEmulator({ timing: 'realistic' });
  expect((await clone(realistic, { cloneType: 'professional' })).body.estimatedCompletionTime).toBe('45m');
});

it('a cloning job keeps its plan when the settings change', async () => {
  const emulator = await startEmulator();
  await clone(emulator);
  await emulator.controls.scenarios.apply(
    { settings: { voice: { cloning: { failure: 'too-short' } } } },
    { merge: true },
  );
  await emulator.controls.clock.advance('1m');
  expect(emulator.controls.jobs.list()[0]?.status).toBe('completed');
});

it.each<[object, string[]]>([
  [{ name: '' }, ['name']],
  [{ name: 'x'.repeat(101) }, ['name']],
  [{ cloneType: 'quick' }, ['cloneType']],
  [{ settings: '{' }, ['settings']],
  [{ settings: '[]' }, ['settings']],
  [{ file0: Buffer.alloc(0) }, ['file0']],
  [{ file1: Buffer.from('text') }, ['file1']],
  [{ file0: Buffer.from('text'), fileX: Buffer.from('text') }, ['file0', 'fileX']],
])('a wrong request to clone a voice is 400 that names the fields (%#)', async (fields, paths) => {
  const emulator = await startEmulator();
  const { status, body } = await clone(emulator, fields as Record<string, string>);
  expect(status).toBe(400);
  expect(body.error.details.map(({ path }: { path: string }) => path)).toEqual(paths);
  expect(emulator.controls.voices.list()).toEqual([]);
  expect(await balance(emulator)).toBe(1_000);
});

it('a request to clone a voice is refused with all that is missing, and takes ten samples at most', async () => {
  const emulator = await startEmulator();
  const post = (fields: Parameters<typeof formOf>[0]) => call(emulator, 'POST', `${base}/clone`, formOf(fields));
  expect((await post({ file0: sample() })).body.error.details).toMatchObject([{ path: 'name' }, { path: 'cloneType' }]);
  expect((await post({ name: 'A', cloneType: 'instant' })).body.error.message).toContain('file0 is required');
  const other = await post({ name: 'A', cloneType: 'instant', sample: sample() });
  expect(other.body.error.details[1]).toMatchObject({ path: 'sample', suggestion: 'file0' });
  const many = (count: number) =>
    post({
      name: 'A',
      cloneType: 'instant',
      ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`file${i}`, sample('voice.mp3')])),
    });
  expect((await many(10)).body.voice.sampleCount).toBe(10);
  expect((await many(11)).body.error.message).toContain('at most 10 files');
});
