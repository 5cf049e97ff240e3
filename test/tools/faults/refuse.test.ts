// A platform that restarts: it refuses connections for a while, where a run has the emulator for itself.

import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config/load.js';
import { eventually } from '../../support/eventually.js';
import { runWithControls } from '../../support/run-emulator.js';

async function start(isForItself: boolean) {
  const { config } = loadConfig({ file: null, settings: { server: { port: 0 }, data: { ephemeral: true } } });
  const running = await runWithControls({ config, isForItself });
  onTestFinished(() => running.close());
  const get = async (path = '/api/v1/credits/balance'): Promise<number | string> => {
    try {
      const answer = await fetch(running.url + path, { headers: { authorization: `Bearer ${running.apiKey}` } });
      await answer.text();
      return answer.status;
    } catch (error) {
      return ((error as Error).cause as { code: string }).code;
    }
  };
  const refuse = (delay: string) =>
    running.controls.faults.add({
      match: { operation: 'account.balance' },
      effect: { network: 'refuse', delay },
      when: { nth: 1 },
    });
  return { ...running, get, refuse };
}

it('refuses connections once a whole response is sent, and listens again on its port', async () => {
  const { get, refuse, controls } = await start(true);
  const { id } = refuse('1s');
  expect([await get(), await get()]).toEqual([200, 'ECONNREFUSED']);
  await eventually(async () => (await get()) === 200);
  expect(controls.faults.get(id)).toMatchObject({ phase: 'after', hits: 1 });
});

it('refuses at the entrances of tests, too', async () => {
  const { refuse, entrance, url, apiKey } = await start(true);
  refuse('10m');
  const { port } = await entrance(() => 'default');
  const at = Object.assign(new URL('/api/v1/credits/balance', url), { port: String(port) });
  const ask = () => fetch(at, { headers: { authorization: `Bearer ${apiKey}` } });
  expect((await ask()).status).toBe(200);
  await expect(ask()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});

it('can be closed while it refuses', async () => {
  const { get, refuse, close } = await start(true);
  refuse('10m');
  expect([await get(), await get()]).toEqual([200, 'ECONNREFUSED']);
  await close();
  expect(await get()).toBe('ECONNREFUSED');
});

it('does nothing where others may use the emulator, and says so', async () => {
  const { get, refuse, controls } = await start(false);
  const { id } = refuse('10m');
  expect([await get(), await get()]).toEqual([200, 200]);
  expect(controls.faults.get(id).hits).toBe(0);
  expect(JSON.stringify(controls.requests.list())).toContain('others may use this emulator');
});
