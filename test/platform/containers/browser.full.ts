// A container's pages in a real browser: wherever they are served, they cannot act as the platform, nor be rebound to.

import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { createEmulator, type Emulator } from '../../../src/index.js';
import { startChromium } from '../../support/chromium.js';
import { image } from '../../support/emulator.js';

/** A hostile app: its page tries all that a page can, its headers all that headers can. */
const page = `<!doctype html><title>before</title><body><a id="link" href="/_emulator/keys">keys</a><form id="form" method="post" action="/_emulator/clock/advance"><input name="by" value="1h"></form><script>
document.title = 'script ran';
window.results = (async () => {
  const tried = {};
  const attempt = async (name, act) => { try { tried[name] = String(await act()); } catch (error) { tried[name] = 'blocked'; } };
  const platform = new URLSearchParams(location.search).get('platform') ?? '';
  await attempt('keys', async () => (await fetch(platform + '/_emulator/keys')).status);
  await attempt('session', async () => (await fetch(platform + '/api/v1/user', { credentials: 'include' })).status);
  await attempt('login', async () => (await fetch(platform + '/auth/login', { method: 'POST', credentials: 'include', body: '{"email":"owner@example.test"}' })).text());
  await attempt('worker', async () => (await navigator.serviceWorker.register(location.pathname.replace(/[^/]*$/, 'sw.js'), { scope: '/' })).scope);
  await attempt('cookie', () => { document.cookie = 'session=forged; path=/'; document.cookie = 'session=forged; path=/; domain=localhost'; return document.cookie.includes('forged'); });
  await attempt('frame', () => new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.src = platform + '/auth/login';
    frame.onload = () => { try { resolve(frame.contentDocument.body.innerText.slice(0, 40) || 'empty'); } catch { resolve('closed'); } };
    document.body.append(frame);
  }));
  return tried;
})();
</script></body>`;

const worker = "self.addEventListener('fetch', (event) => event.respondWith(new Response('taken over')));";

function serve(req: IncomingMessage): { type: string; text: string } {
  return req.url?.endsWith('sw.js') === true
    ? { type: 'text/javascript', text: worker }
    : { type: 'text/html', text: page };
}

describe('a container’s page', () => {
  let app: Server;
  let browser: Browser;
  let context: BrowserContext;
  let tab: Page;
  let seen: string[] = [];
  const emulators: Emulator[] = [];

  beforeAll(async () => {
    app = createServer((req, res) => {
      seen.push(`${req.headers.host} ${req.url}`);
      const { type, text } = serve(req);
      res.writeHead(200, {
        'content-type': type,
        'content-security-policy': "default-src * 'unsafe-inline'",
        'service-worker-allowed': '/',
        'set-cookie': ['session=forged; Path=/', 'other=1; Path=/', 'wide=1; Path=/; Domain=localhost'],
      });
      res.end(text);
    });
    new WebSocketServer({ server: app }).on('connection', (socket) => socket.send('the app'));
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(async () => {
    // A browser for each test: one asks for a worker's script again after its tab has closed, and containers of two
    // tests have the same port.
    browser = await startChromium();
    context = await browser.newContext();
    context.setDefaultTimeout(120_000);
    tab = await context.newPage();
  });
  afterEach(async () => {
    await browser?.close();
    await Promise.all(emulators.splice(0).map((emulator) => emulator.close()));
  });
  afterAll(() => {
    app?.closeAllConnections();
    app?.close();
  });

  async function start(urlStyle: 'port' | 'path' | 'subdomain'): Promise<{ emulator: Emulator; url: string }> {
    const { port } = app.address() as AddressInfo;
    const emulator = await createEmulator({
      clock: '2026-01-01T00:00:00Z',
      frozen: true,
      containers: { timing: 'instant', urlStyle, upstreams: { web: port } },
    });
    emulators.push(emulator);
    const headers = { authorization: `Bearer ${emulator.apiKey}` };
    const body = JSON.stringify({ name: 'web', project_name: 'web', ecr_image_uri: image });
    const created = await emulator.fetch('/api/v1/containers', { method: 'POST', headers, body });
    const { data } = (await created.json()) as { data: { id: string } };
    const got = await emulator.fetch(`/api/v1/containers/${data.id}`, { headers });
    const { url } = ((await got.json()) as { data: { url: string } }).data;
    await context.addCookies([
      { ...cookiePair(emulator.controls.sessions.create().cookie), url: `${emulator.url}/`, httpOnly: true },
    ]);
    return { emulator, url };
  }

  const cookiePair = (cookie: string): { name: string; value: string } => {
    const [name = '', value = ''] = cookie.split('=');
    return { name, value };
  };
  const cookiesOf = async (url: string): Promise<string[]> =>
    (await context.cookies(url)).map(({ name, value }) => `${name}=${value.length > 20 ? 'real' : value}`).sort();

  it('of the path style runs no script and leaves nothing behind', async () => {
    const { emulator, url } = await start('path');
    await tab.goto(`${url}/`);
    expect(await tab.title()).toBe('before');
    expect(await cookiesOf(emulator.url)).toEqual(['session=real']);
    // A click of the person is a request of nobody's origin; a form is not sent at all.
    await tab.click('#link');
    await tab.waitForLoadState();
    expect(await tab.textContent('body')).toContain('The control plane refused this request');
    expect(emulator.controls.clock.get().now).toBe('2026-01-01T00:00:00.000Z');
    // Nor does a worker's script do anything for a page of the platform.
    await tab.goto(`${emulator.url}/auth/login`);
    const registered = await tab.evaluate(
      (script) =>
        navigator.serviceWorker.register(script, { scope: '/' }).then(
          ({ scope }) => scope,
          () => 'refused',
        ),
      `${new URL(url).pathname}/sw.js`,
    );
    expect(registered).toBe('refused');
  });

  it.each(['port', 'subdomain'] as const)('of style %s has an origin of its own, and reads no token', async (style) => {
    const { emulator, url } = await start(style);
    await tab.goto(`${url}/?platform=${emulator.url}`);
    expect(await tab.title()).toBe('script ran');
    const tried = await tab.evaluate(() => (globalThis as unknown as { results: Promise<object> }).results);
    expect(tried).toMatchObject({ keys: 'blocked', login: 'blocked', frame: 'closed' });
    expect(emulator.controls.sessions.list()).toHaveLength(1);
    const taken = await tab.goto(`${emulator.url}/auth/login`);
    expect(await taken?.text()).not.toBe('taken over');
    // Under the path that it would have in the path style there is nothing.
    const slug = `${emulator.organizationId.slice(0, 8)}-web`;
    expect((await tab.goto(`${emulator.url}/_containers/${slug}/`))?.status()).toBe(404);
    if (style === 'subdomain') expect(await cookiesOf(emulator.url)).toEqual(['session=real']);
  });

  it('is not reached under a name that was rebound to this machine', async () => {
    const { emulator, url } = await start('port');
    const port = new URL(url).port;
    seen = [];
    for (const target of [port, String(emulator.port)]) {
      const answer = await tab.goto(`http://rebound.example:${target}/`);
      expect(answer?.status()).toBe(403);
      expect(await tab.evaluate(() => fetch('/api/v1/models').then(({ status }) => status))).toBe(403);
    }
    const heard = await tab.evaluate(
      (ws) =>
        new Promise((resolve) => {
          const socket = new WebSocket(ws);
          socket.onmessage = ({ data }) => resolve(data);
          socket.onerror = () => resolve('refused');
        }),
      `ws://127.0.0.1:${port}/`,
    );
    expect(heard).toBe('refused');
    expect(seen).toEqual([]);
  });

  it('talks to its own app by WebSocket', async () => {
    const { url } = await start('port');
    await tab.goto(`${url}/`);
    const heard = await tab.evaluate(
      () =>
        new Promise((resolve) => {
          const socket = new WebSocket(`ws://${location.host}/`);
          socket.onmessage = ({ data }) => resolve(data);
          socket.onerror = () => resolve('refused');
        }),
    );
    expect(heard).toBe('the app');
  });
});
