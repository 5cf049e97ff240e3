// The profile elizacloud-v1 where the public server differs from its documentation.

import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../src/index.js';
import { call, startWorld } from '../support/emulator.js';
import { clone, sarah, say } from '../support/voice.js';

const start = (options = {}) => startWorld({ profile: 'elizacloud-v1', ...options });

it('the lines of a log are documented as they are limited, and otherwise in the profile spec', async () => {
  const limitOf = async (emulator: EmulatorWorld) => {
    const { paths } = (await call(emulator, 'GET', '/openapi.json')).body;
    const { parameters } = paths['/api/v1/containers/{id}/logs'].get;
    return parameters.find(({ name }: { name: string }) => name === 'limit').schema.maximum;
  };
  expect([await limitOf(await start()), await limitOf(await startWorld())]).toEqual([500, 10_000]);
});

describe('cloning a voice', () => {
  it('is answered when it is done', async () => {
    const emulator = await start();
    const { status, body } = await clone(emulator);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      success: true,
      status: 'completed',
      voice: { status: 'completed', isActive: true },
      job: { status: 'completed', progress: 100 },
      creditsDeducted: 0.5,
      estimatedCompletionTime: expect.any(String),
    });
    expect((await say(emulator, 'Hello', { voiceId: body.id })).audio.length).toBeGreaterThan(0);
    expect((await call(emulator, 'GET', '/api/v1/voice/jobs')).body.jobs).toEqual([]);
  });

  it('is under way in the profile spec, even if it takes no time', async () => {
    const emulator = await startWorld({ voice: { cloning: { timing: 'instant' } } });
    expect((await clone(emulator)).body.status).toBe('processing');
  });
});

describe('text to speech', () => {
  it('is sent in chunks without its length', async () => {
    const { audio, headers } = await say(await start(), 'Hello');
    expect([headers.get('content-length'), headers.get('transfer-encoding')]).toEqual([null, 'chunked']);
    expect(headers.get('content-type')).toBe('audio/mpeg');
    const spec = await say(await startWorld(), 'Hello', { modelId: 'eleven_flash_v2_5' });
    expect(spec.headers.get('content-length')).toBe(String(audio.length));
  });

  it('ignores what tunes a voice', async () => {
    const tuning = { stability: 7, similarity_boost: 'high' };
    expect((await say(await start(), 'Hello', tuning)).audio.length).toBeGreaterThan(0);
    const spec = await call(await startWorld(), 'POST', '/api/v1/voice/tts', {
      text: 'x',
      voiceId: sarah,
      ...tuning,
    });
    expect(spec.body.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'stability',
      'similarity_boost',
    ]);
  });
});
