// How long a request may take to come: its headers a minute, its body as long as it takes.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type Handlers, type Listener, listen, timeLimits } from '../../src/http/listen.js';

const listeners: Listener[] = [];
afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close())));

// Half a second for what is a minute, and looked at often enough: headers that are sent at once arrive within it, however
// busy the machine is.
const short = { ...timeLimits, headersTimeout: 500, connectionsCheckingInterval: 20 };

async function open(): Promise<number> {
  const handlers: Handlers = {
    async request(req, res) {
      let bytes = 0;
      for await (const chunk of req) bytes += (chunk as Buffer).length;
      res.end(`${bytes} bytes`);
    },
    upgrade: (_req, socket) => socket.destroy(),
    unreadable: (error, socket) => socket.end(`${error.status} ${error.code}`),
  };
  const listener = await listen('127.0.0.1', 0, handlers, short);
  listeners.push(listener);
  return listener.port;
}

it('the limits of time are a minute for headers and none for bodies', () => {
  expect(timeLimits).toMatchObject({ headersTimeout: 60_000, requestTimeout: 0 });
  // Node changes some limits by others: these are those that it makes of ours.
  const { headersTimeout, requestTimeout } = createServer(timeLimits);
  expect({ headersTimeout, requestTimeout }).toEqual({ headersTimeout: 60_000, requestTimeout: 0 });
});

it('the limits of time refuse headers that arrive too late', async () => {
  const socket = connect(await open(), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n');
  let answer = '';
  socket.on('data', (data) => (answer += data));
  await once(socket, 'close');
  expect(answer).toBe('408 REQUEST_TIMEOUT');
});

it('the limits of time let a body arrive for longer than headers may', async () => {
  const port = await open();
  const slow = connect(port, '127.0.0.1');
  slow.write('PUT / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nConnection: close\r\n\r\nab');
  // When one that began later has been given up, the slow one has outlasted the limit.
  const late = connect(port, '127.0.0.1');
  late.write('GET /');
  await once(late.resume(), 'close');
  let answer = '';
  slow.on('data', (data) => (answer += data));
  slow.write('cd');
  await once(slow, 'close');
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*4 bytes/);
});
