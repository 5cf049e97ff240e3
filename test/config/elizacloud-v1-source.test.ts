// The profile elizacloud-v1 where the public server differs from its documentation.

import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../src/index.js';
import { call, deploy, startWorld } from '../support/emulator.js';
import { clone, sarah, say } from '../support/voice.js';

const start = (options = {}) => startWorld({ profile: 'elizacloud-v1', ...options });

describe('logs', () => {
  async function running(options = {}): Promise<{ emulator: EmulatorWorld; logs: string }> {
    const emulator = await start({ timing: 'instant', ...options });
    const { id } = await deploy(emulator);
    await emulator.controls.clock.advance('1h');
    return { emulator, logs: `/api/v1/containers/${id}/logs` };
  }

  it.each(['3', '0', 'all'])('tell a hundred lines whatever tail says: %s', async (tail) => {
    const { emulator, logs } = await running();
    const answer = await call(emulator, 'GET', `${logs}?tail=${tail}`);
    expect([answer.status, answer.body.data.total, answer.body.data.filters.limit]).toEqual([200, 100, 100]);
    expect(answer.headers.get('x-emulator-warning')).toBe('tail is ignored here: limit says how many lines are wanted');
  });

  it.each([
    [1, 1],
    [500, 500],
  ])('tell as many lines as limit says, %d, beside any tail', async (limit, lines) => {
    const { emulator, logs } = await running();
    const { body } = await call(emulator, 'GET', `${logs}?limit=${limit}&tail=7`);
    expect([body.data.total, body.data.logs.length, body.data.hasLogs]).toEqual([lines, lines, true]);
  });

  it.each([0, 501])('are refused beyond 1 to 500 lines: %d', async (limit) => {
    const { emulator, logs } = await running();
    const answer = await call(emulator, 'GET', `${logs}?limit=${limit}`);
    expect([answer.status, answer.body.details[0].path]).toEqual([400, 'query.limit']);
  });

  it('are documented so, and otherwise in the profile spec', async () => {
    const limitOf = async (emulator: EmulatorWorld) => {
      const { paths } = (await call(emulator, 'GET', '/openapi.json')).body;
      const { parameters } = paths['/api/v1/containers/{id}/logs'].get;
      return parameters.find(({ name }: { name: string }) => name === 'limit').schema.maximum;
    };
    expect([await limitOf(await start()), await limitOf(await startWorld())]).toEqual([500, 10_000]);
  });
});

describe('usage', () => {
  it('reports the credits of the week, which ends on Monday at 00:00 UTC', async () => {
    const emulator = await start();
    await deploy(emulator);
    const { body } = await call(emulator, 'GET', '/api/quotas/usage');
    const global = { used: 15, limit: 1000, periodEnd: '2026-01-05T00:00:00.000Z' };
    expect([body.success, body.data]).toEqual([true, { global, modelSpecific: {} }]);
    await emulator.controls.clock.advance({ to: '2026-01-05T00:00:00Z' });
    const next = (await call(emulator, 'GET', '/api/quotas/usage')).body.data.global;
    expect(next.periodEnd).toBe('2026-01-12T00:00:00.000Z');
    expect(next.used).toBeLessThan(15);
  });
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

describe('errors of models', () => {
  it.each([
    ['/api/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }] }, 'model'],
    ['/api/v1/chat/completions', { model: 'gpt-4o' }, 'messages'],
    ['/api/v1/responses', { model: 'gpt-4o' }, 'input'],
    ['/api/v1/embeddings', {}, 'input'],
  ])('%s names a parameter that is missing: %j', async (path, body, param) => {
    const answer = await call(await start(), 'POST', path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({
      type: 'invalid_request_error',
      code: 'missing_required_parameter',
      param,
    });
  });

  it('calls an empty input of embeddings an invalid value', async () => {
    const answer = await call(await start(), 'POST', '/api/v1/embeddings', { input: '' });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_value']);
  });

  it('tells embeddings that the balance is too low', async () => {
    const emulator = await start({ credits: { seeded: 0 } });
    const answer = await call(emulator, 'POST', '/api/v1/embeddings', { input: 'Hello' });
    expect([answer.status, answer.body.error.code]).toEqual([402, 'insufficient_balance']);
  });
});

describe('a key that is switched off', () => {
  async function asked(emulator: EmulatorWorld) {
    const made = await call(emulator, 'POST', '/api/v1/api-keys', { name: 'CLI' });
    await call(emulator, 'PATCH', `/api/v1/api-keys/${made.body.apiKey.id}`, { is_active: false });
    return call(emulator, 'GET', '/api/v1/user', undefined, { authorization: `Bearer ${made.body.plainKey}` });
  }

  it('is 403', async () => {
    const { status, body } = await asked(await start());
    expect([status, body.error, body.code]).toEqual([403, 'API key is inactive', 'access_denied']);
  });

  it('is 401 in the profile spec', async () => {
    const { status, body } = await asked(await startWorld());
    expect([status, body.error.code]).toEqual([401, 'UNAUTHORIZED']);
  });
});
