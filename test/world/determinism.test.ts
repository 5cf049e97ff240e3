// Time as a function: jumping equals polling, and one seed with one sequence of requests gives equal bytes.

import { expect, it } from 'vitest';
import { sampleOf } from '../support/campaign.js';
import { call, deploy, type Platform, startEmulator, startWorld } from '../support/emulator.js';

const views = ['', '/logs?tail=10000', '/metrics', '/health', '/deployments'];

async function everything(emulator: Platform, id: string): Promise<string[]> {
  const answers: string[] = [];
  for (const view of views) {
    const { body } = await call(emulator, 'GET', `/api/v1/containers/${id}${view}`);
    // Addresses differ: two emulators cannot have one port.
    answers.push(JSON.stringify(body).replace(/http:\/\/127\.0\.0\.1:\d+/g, 'URL'));
  }
  return answers;
}

it.each(sampleOf(['fail-oom-later', 'v1', 'fail-exec-format', 'fail-flapping-health']))(
  'the emulator answers the same after one jump of ten minutes as after polling through them (%s)',
  async (tag) => {
    const [jumped, polled] = [await startWorld({ timing: 'realistic' }), await startWorld({ timing: 'realistic' })];
    const image = `127.0.0.1/acme/web:${tag}`;
    const [a, b] = [await deploy(jumped, { ecr_image_uri: image }), await deploy(polled, { ecr_image_uri: image })];
    for (let minute = 0; minute < 3; minute++) {
      await jumped.controls.clock.advance('10m');
      for (let i = 0; i < 60; i++) {
        await polled.controls.clock.advance('10s');
        await call(polled, 'GET', `/api/v1/containers/${b.id}${views[i % views.length]}`);
      }
      expect(await everything(polled, b.id)).toEqual(await everything(jumped, a.id));
    }
    const refunds = (emulator: Platform) =>
      emulator.controls.ledger().map(({ at, amount, type }) => ({ at, amount, type }));
    expect(refunds(polled)).toEqual(refunds(jumped));
  },
);

it('two runs with one seed, one frozen clock, one public URL and one sequence of requests give equal bodies', async () => {
  const run = async (): Promise<string[]> => {
    const emulator = await startEmulator({ publicUrl: 'http://cloud.test:4747', containers: { urlStyle: 'path' } });
    const bodies: string[] = [];
    const send = async (method: string, path: string, body?: unknown): Promise<any> => {
      const answer = await call(emulator, method, path, body);
      bodies.push(answer.text);
      return answer.body;
    };
    await send('GET', '/api/v1/containers/credentials');
    const { data } = await send('POST', '/api/v1/containers', {
      name: 'a',
      project_name: 'a',
      ecr_image_uri: 'r/a:1',
      nope: 1,
    });
    await send('POST', '/api/v1/containers', { name: 'a', project_name: 'b', ecr_image_uri: 'r/a:1' });
    await send('GET', '/api/v1/nothing');
    await emulator.controls.clock.advance('1m');
    for (const view of views) await send('GET', `/api/v1/containers/${data.id}${view}`);
    await send('GET', '/api/v1/containers/quota');
    await send('DELETE', `/api/v1/containers/${data.id}`);
    return bodies;
  };
  expect(await run()).toEqual(await run());
});

it('another seed gives other ids and keys', async () => {
  const [one, other] = [await startWorld({ seed: 'one' }), await startWorld({ seed: 'other' })];
  expect(one.apiKey).not.toBe(other.apiKey);
  expect((await deploy(one)).id).not.toBe((await deploy(other)).id);
});
