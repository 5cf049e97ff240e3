// The client of the control plane: an answer of whatever server, or none, is told as what it is.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { createClient } from '../../src/cli/client.js';
import { findTarget } from '../../src/cli/target.js';
import { createEmulator } from '../../src/index.js';
import { runHere } from '../support/command-here.js';

const open: Server[] = [];
const never = new AbortController().signal;
afterEach(() => {
  vi.restoreAllMocks();
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function clientOf(answer: Parameters<typeof createServer>[1], patienceMs = 10_000) {
  const server = createServer(answer as never).listen(0, '127.0.0.1');
  open.push(server);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, client: createClient(await findTarget({ url }), patienceMs) };
}

it.each([
  ['is a page', 200, '<html>'],
  ['is another API', 404, '{"error": "no such thing"}'],
  ['has no error to tell', 500, '{"error": null}'],
  ['is an array', 200, '[]'],
  ['is null', 200, 'null'],
  ['has no such field', 200, '{"status": "ready"}'],
])('the client of the control plane rejects a server that %s: it is not cloudemu', async (_, status, body) => {
  const { url, client } = await clientOf((_req, res) => res.writeHead(status).end(body));
  await expect(client.health()).rejects.toThrow(
    `The server at ${url} (--url) is not cloudemu: ${url}/_emulator/health returned ${status}.`,
  );
});

it.each([
  ['clock', '/clock'],
  ['container show web', '/containers/web'],
  ['requests follow', '/health'],
  ['await container web', '/health'],
])('the client’s %s rejects a server that answers everything with an object', async (line, path) => {
  const { url } = await clientOf((_req, res) => res.end('{"hello": "world"}'));
  const { code, stdout, stderr } = await runHere([...line.split(' '), '--url', url]);
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    `The server at ${url} (--url) is not cloudemu: ${url}/_emulator${path} returned 200.\n`,
  ]);
});

it('the client of the control plane reports a server that listens and sends nothing, from the beginning or half-way', async () => {
  const silent = await clientOf(() => {}, 300);
  await expect(silent.client.health()).rejects.toThrow(`${silent.url} (--url) has not answered for 300ms.`);
  const slow = await clientOf((_req, res) => res.write('{"status"'), 300);
  await expect(slow.client.health()).rejects.toThrow(`${slow.url} (--url) has not answered for 300ms.`);
});

it('the client of the control plane reports a server that sends nothing as soon where a response may take long', async () => {
  const asked: string[] = [];
  const { url } = await clientOf(({ url: path = '' }) => void asked.push(path));
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => (ms === 5_000 ? AbortSignal.abort() : never));
  for (const line of ['verdicts', 'clock', 'reset', 'scenario apply rate-limited-burst']) {
    const { code, stderr } = await runHere([...line.split(' '), '--url', url]);
    expect([code, stderr]).toEqual([1, `${url} (--url) has not answered for 5s.\n`]);
  }
  // Nothing was changed before anybody was heard.
  expect(asked.filter((path) => path !== '/_emulator/health')).toEqual([]);
});

it('the client of the control plane waits longer than that for the response of a server that is there', async () => {
  let asked = 0;
  const { client } = await clientOf((_req, res) => {
    asked++;
    res.end('{"version": "1"}');
  });
  await client.health();
  await client.health();
  // Once for all calls.
  expect(asked).toBe(3);
});

it('the client of the control plane reports a server that closes the connection', async () => {
  const { url, client } = await clientOf((req) => req.socket.destroy());
  await expect(client.health()).rejects.toThrow(`No emulator answers at ${url} (--url).`);
});

it.each([['siwe'], ['payment']])(
  'the client of the control plane reports a server that closes the connection in the midst of wallet sign %s',
  async (what) => {
    const { url } = await clientOf((req, res) => {
      if (req.url?.startsWith('/_emulator/') !== true) return req.socket.destroy();
      res.end(JSON.stringify({ skewMs: 0, privateKey: `0x${'1'.repeat(64)}` }));
    });
    const { code, stderr } = await runHere(['wallet', 'sign', what, '--url', url]);
    expect([code, stderr]).toEqual([1, `No emulator answers at ${url} (--url). \`cloudemu start\` runs one.\n`]);
  },
);

it('the client of the control plane says that no emulator runs here where none was named', async () => {
  const local = 'http://127.0.0.1:2';
  await expect(createClient({ ...(await findTarget({})), local }).health()).rejects.toThrow(
    `No emulator runs in this directory, and none answers at ${local}. \`cloudemu start\` starts one; --url names one elsewhere.`,
  );
});

it('the client of the control plane reports all problems of a call, a line each', async () => {
  const details = [
    { path: 'a', message: 'must be b', received: '"c"', suggestion: 'b' },
    { path: 'd', message: 'is unknown' },
  ];
  const error = { code: 'VALIDATION_ERROR', message: 'Invalid', requestId: 'control', details };
  const { client } = await clientOf((_req, res) => res.writeHead(400).end(JSON.stringify({ error })));
  await expect(client.call('GET', '/x')).rejects.toMatchObject({
    exitCode: 2,
    message: 'a must be b, got "c"; did you mean b?\nd is unknown',
  });
});

it('the client of the control plane names the world in the URL, whatever the URL named', async () => {
  const url = async (given: string, world?: string): Promise<string> => (await findTarget({ url: given, world })).url;
  expect(await url('http://127.0.0.1:1/w/a/')).toBe('http://127.0.0.1:1/w/a');
  expect(await url('http://127.0.0.1:1', 'b')).toBe('http://127.0.0.1:1/w/b');
  expect(await url('http://127.0.0.1:1/w/a', 'b c')).toBe('http://127.0.0.1:1/w/b%20c');
});

it('the client of the control plane changes nothing at the usual port unless it is named', async () => {
  const emulator = await createEmulator();
  const guessed = { ...(await findTarget({})), local: emulator.url };
  const client = createClient(guessed);
  const refusal = /^No emulator runs in this directory\. To change the one at \S+, name it: with --url/;
  await expect(client.call('POST', '/clock/freeze')).rejects.toThrow(refusal);
  await expect(client.call('DELETE', '/requests')).rejects.toThrow(refusal);
  const advance = { operation: 'agents.list', count: 1, advance: true };
  await expect(client.call('POST', '/await', advance)).rejects.toThrow(refusal);
  expect(await client.call('GET', '/clock')).toMatchObject({ frozen: false });
  const named = createClient(await findTarget({ url: emulator.url }));
  expect(await named.call('POST', '/clock/freeze')).toMatchObject({ frozen: true });
  await emulator.close();
});
