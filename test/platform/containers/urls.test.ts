// Addresses of running containers: own port, path, subdomain; the echo; the user's own upstream.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { call, deploy, getContainer, startEmulator } from '../../support/emulator.js';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

/** The user's own app: tells what it got, streams, and echoes WebSockets. */
async function startUpstream(): Promise<{ port: number; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((req, res) => {
    seen.push(req);
    if (req.url === '/events') {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: one\n\n');
      res.once('close', () => res.end());
      return;
    }
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () =>
      res.writeHead(201, { 'x-app': 'mine' }).end(`${req.method} ${req.url} ${Buffer.concat(chunks)}`),
    );
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    sockets.close();
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

it('a container has no address before it runs, and the same one from then on', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  expect((await getContainer(emulator, id)).url).toBeNull();
  await emulator.controls.clock.advance('1m');
  const { url, load_balancer_url } = await getContainer(emulator, id);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(load_balancer_url).toBe(url);
  expect((await call(emulator, 'GET', '/api/v1/containers')).body.data[0].url).toBe(url);
});

it('the list of deployments shows the address, though nothing was read before', async () => {
  const emulator = await startEmulator({ timing: 'instant' });
  const { id } = await deploy(emulator);
  const { container } = (await call(emulator, 'GET', `/api/v1/containers/${id}/deployments`)).body.data;
  expect(container.load_balancer_url).toMatch(/^http:/);
  expect(container.load_balancer_url).toBe((await getContainer(emulator, id)).url);
});

it('the address closes with the container', async () => {
  const emulator = await startEmulator({ timing: 'instant' });
  const name = 'closes-its-address';
  const { id } = await deploy(emulator, { name });
  const { url } = await getContainer(emulator, id);
  const isThere = () =>
    fetch(`${url}/echo`, { headers: { connection: 'close' } }).then(
      async (response) => (await response.text()).includes(name),
      () => false,
    );
  expect(await isThere()).toBe(true);
  await call(emulator, 'DELETE', `/api/v1/containers/${id}`);
  // Another emulator may already have taken the port: its containers have other names.
  expect(await isThere()).toBe(false);
});

it('a container answers the configured health path, and escapes what it echoes as a page', async () => {
  const emulator = await startEmulator({ timing: 'instant' });
  const { id } = await deploy(emulator, { name: '<script>alert(1)</script>', health_check_path: '/up' });
  const { url } = await getContainer(emulator, id);
  expect(await (await fetch(`${url}/up`)).json()).toEqual({ status: 'ok' });
  const page = await (await fetch(`${url}/?<b>`, { headers: { accept: 'text/html' } })).text();
  expect(page).not.toContain('<script>');
  expect(page).not.toContain('<b>');
});

it('a container is served under a path, in a sandbox', async () => {
  const emulator = await startEmulator({ timing: 'instant', containers: { urlStyle: 'path' } });
  const { id } = await deploy(emulator, { project_name: 'My App' });
  const { url } = await getContainer(emulator, id);
  expect(url).toBe(`${emulator.url}/_containers/${emulator.organizationId.slice(0, 8)}-my-app`);
  const answer = await fetch(`${url}/a/b?c=d`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-security-policy')).toBe('sandbox');
  expect(await answer.json()).toMatchObject({ path: '/a/b', query: '?c=d' });
  expect((await fetch(`${emulator.url}/_containers/none/`)).status).toBe(404);
});

it('a container is served under a subdomain of localhost', async () => {
  const emulator = await startEmulator({ timing: 'instant', containers: { urlStyle: 'subdomain' } });
  const { id } = await deploy(emulator);
  const { url } = await getContainer(emulator, id);
  const { host } = new URL(url);
  expect(host).toBe(`${emulator.organizationId.slice(0, 8)}-web.localhost:${emulator.port}`);
  const { request } = await import('node:http');
  const status = await new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: emulator.port, path: '/health', headers: { host } }, (res) =>
      resolve(res.resume().statusCode),
    )
      .on('error', reject)
      .end();
  });
  expect(status).toBe(200);
});

it('two projects of one slug have two addresses', async () => {
  const emulator = await startEmulator({ timing: 'instant', containers: { urlStyle: 'path' } });
  const one = await deploy(emulator, { name: 'one', project_name: 'My App' });
  const two = await deploy(emulator, { name: 'two', project_name: 'my_app' });
  const urls = [(await getContainer(emulator, one.id)).url, (await getContainer(emulator, two.id)).url];
  expect(new Set(urls).size).toBe(2);
  expect(((await (await fetch(urls[1])).json()) as { container: string }).container).toBe('two');
});

it('a container forwards HTTP to an upstream, without the platform’s credentials but with the app’s own', async () => {
  const upstream = await startUpstream();
  const emulator = await startEmulator({ timing: 'instant', containers: { upstreams: { web: upstream.port } } });
  const { id } = await deploy(emulator);
  const { url } = await getContainer(emulator, id);
  const answer = await fetch(`${url}/a?b=c`, {
    method: 'POST',
    body: 'hello',
    headers: {
      authorization: `Bearer ${emulator.apiKey}`,
      'x-api-key': emulator.apiKey,
      cookie: `${emulator.controls.sessions.create().cookie}; mine=1; session=its.own.one`,
    },
  });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('x-app')).toBe('mine');
  expect(await answer.text()).toBe('POST /a?b=c hello');
  const { headers } = upstream.seen[0] as IncomingMessage;
  expect(headers.authorization).toBeUndefined();
  expect(headers['x-api-key']).toBeUndefined();
  expect(headers.cookie).toBe('mine=1; session=its.own.one');
  await fetch(url, { headers: { authorization: 'Basic bWluZQ==' } });
  expect(upstream.seen[1]?.headers.authorization).toBe('Basic bWluZQ==');
  await fetch(url, { headers: { authorization: emulator.apiKey, cookie: `key=${emulator.apiKey}` } });
  expect(upstream.seen[2]?.headers).not.toMatchObject({ authorization: expect.anything() });
  expect(upstream.seen[2]?.headers.cookie).toBeUndefined();
});

it('a container forwards server-sent events as they come', async () => {
  const upstream = await startUpstream();
  const emulator = await startEmulator({ timing: 'instant', containers: { upstreams: { web: upstream.port } } });
  const { id } = await deploy(emulator);
  const { url } = await getContainer(emulator, id);
  const abort = new AbortController();
  const answer = await fetch(`${url}/events`, { signal: abort.signal });
  const first = await answer.body?.getReader().read();
  expect(new TextDecoder().decode(first?.value)).toBe('data: one\n\n');
  abort.abort();
});

it.each(['port', 'path'] as const)('a container forwards WebSockets (%s style)', async (urlStyle) => {
  const upstream = await startUpstream();
  const emulator = await startEmulator({
    timing: 'instant',
    containers: { urlStyle, upstreams: { web: upstream.port } },
  });
  const { id } = await deploy(emulator);
  const { url } = await getContainer(emulator, id);
  const socket = new WebSocket(`${url.replace('http', 'ws')}/live`);
  cleanups.push(() => socket.terminate());
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  const echoed = new Promise((resolve) => socket.on('message', (data) => resolve(String(data))));
  socket.send('hi');
  expect(await echoed).toBe('echo hi');
});

it('a container says that an upstream does not answer, and refuses WebSockets without one', async () => {
  const emulator = await startEmulator({ timing: 'instant', containers: { upstreams: { web: 1 } } });
  const { id } = await deploy(emulator);
  const { id: other } = await deploy(emulator, { name: 'b', project_name: 'b' });
  const answer = await fetch((await getContainer(emulator, id)).url);
  expect(answer.status).toBe(502);
  expect(await answer.text()).toContain('is your app running there?');
  const socket = new WebSocket((await getContainer(emulator, other)).url.replace('http', 'ws'));
  const status = await new Promise((resolve) =>
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode)).on('error', () => {}),
  );
  expect(status).toBe(503);
});
