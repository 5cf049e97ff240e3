// An emulator that is being closed, as clients see it.

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { call, startEmulator } from '../support/emulator.js';
import { eventually } from '../support/eventually.js';

it('an emulator that closes answers what clients send over kept connections, and then ends these', async () => {
  const emulator = await startEmulator();
  // Loads what reads bodies: on a busy machine that may take longer than answers are waited for.
  await call(emulator, 'POST', '/api/v1/app/agents', { name: 'Bob' });
  const { faults } = emulator.controls;
  faults.add({ match: { operation: 'agents.create' }, when: { times: 1 }, phase: 'after', effect: { delay: 1 } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (method: string, path: string): ClientRequest =>
    request(emulator.url + path, { method, agent, headers: { 'x-api-key': emulator.apiKey } });
  const answerTo = async (sent: ClientRequest): Promise<IncomingMessage> => {
    const [answer] = await once(sent, 'response');
    return answer.resume();
  };
  const slow = send('POST', '/api/v1/app/agents');
  slow.write('{"name": ');
  const second = answerTo(send('GET', '/api/v1/containers').end());
  await eventually(() => faults.list()[0]?.hits === 1);
  const closed = emulator.close();
  slow.end('"Ada"}');

  expect(await answerTo(slow)).toMatchObject({ statusCode: 201, headers: { connection: 'keep-alive' } });
  expect(await second).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
  await closed;
});

it('a closed emulator leaves no timer that would keep the process from ending', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const emulator = await startEmulator();
  await call(emulator, 'GET', '/_emulator/health');
  const before = timers();
  await emulator.close();
  expect(timers()).toBeLessThanOrEqual(before);
});

it('an emulator that closes leaves no file of an upload that is still coming', async () => {
  const emulator = await startEmulator();
  const left = (): string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith(`cloudemu-upload-${process.pid}-`));
  const before = left();
  const headers = {
    'x-api-key': emulator.apiKey,
    'content-type': 'multipart/form-data; boundary=x',
    'content-length': '1000000',
  };
  const upload = request(`${emulator.url}/api/v1/knowledge/upload-file`, { method: 'POST', headers });
  upload.on('error', () => {});
  upload.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nbegun');
  await eventually(() => left().length > before.length);
  await emulator.close();
  await eventually(() => left().length === before.length);
});
