// Fake timers of a test, in the process of the emulator: requests are answered, streams go on, and it closes.

import { request } from 'node:http';
import FakeTimers from '@sinonjs/fake-timers';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createEmulator, type Emulator } from '../../src/index.js';
import { image } from '../support/emulator.js';

const all = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] as const;
const clocks = [...all, 'Date', 'performance', 'hrtime', 'queueMicrotask'] as const;

const fakes: [name: string, install: () => () => void][] = [
  [
    'Vitest',
    () => {
      vi.useFakeTimers({ toFake: [...clocks], now: new Date('2001-01-01T00:00:00Z') });
      return () => vi.useRealTimers();
    },
  ],
  [
    'Sinon and Jest',
    () => {
      const clock = FakeTimers.install({ toFake: [...clocks], now: new Date('2001-01-01T00:00:00Z') });
      return () => clock.uninstall();
    },
  ],
];

let uninstall = (): void => {};
let emulator: Emulator;
afterEach(() => uninstall());
beforeAll(() => expect(vi.isFakeTimers()).toBe(false));

function post(path: string, body: unknown, accept = 'application/json'): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json', accept };
    const sent = request(emulator.url + path, { method: 'POST', headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

it.each(fakes)(
  'fake timers of %s hold up nothing: bodies, streams, jumps, faults with a delay, stored worlds, and the end',
  async (_, install) => {
    emulator = await createEmulator({ seed: 'test', frozen: true });
    uninstall = install();
    const container = { name: 'web', project_name: 'web', ecr_image_uri: image };
    expect((await post('/api/v1/containers', container)).status).toBe(202);
    await emulator.controls.clock.advance('10m');
    emulator.controls.clock.resume();
    const chat = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hello' }] };
    const { status, text } = await post('/api/v1/chat/completions', chat, 'text/event-stream');
    expect([status, text]).toEqual([200, expect.stringContaining('[DONE]')]);
    emulator.controls.faults.add({
      match: { operation: 'containers.create' },
      effect: { delay: 20, error: 'INTERNAL_ERROR' },
    });
    expect((await post('/api/v1/containers', { ...container, name: 'b', project_name: 'b' })).status).toBe(500);
    await emulator.close();
  },
);

it.each(fakes)('fake timers of %s let virtual time go on, whatever time they set', async (_, install) => {
  emulator = await createEmulator({ seed: 'test' });
  const before = Date.parse(emulator.controls.clock.get().now);
  uninstall = install();
  const passed = (): number => Date.parse(emulator.controls.clock.get().now) - before;
  while (passed() < 30) await post('/_emulator/await', {}).catch(() => undefined);
  expect(passed()).toBeLessThan(60_000);
  await emulator.close();
});
