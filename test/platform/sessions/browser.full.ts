// Signing in with a real browser: an app on another origin, the command line's login, worlds, and pages that mean ill.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/index.js';
import { startChromium } from '../../support/chromium.js';

describe('a person with a browser', () => {
  let emulator: Emulator;
  let other: Server;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let app = '';
  let evil = '';

  beforeAll(async () => {
    other = createServer((_req, res) => {
      res.setHeader('content-type', 'text/html');
      res.end('<!doctype html><title>Another page</title><body></body>');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    [app, evil] = [`http://127.0.0.1:${port}`, `http://evil.example:${port}`];
    browser = await startChromium();
  });

  beforeEach(async () => {
    emulator = await createEmulator({
      seed: 'browser',
      clock: '2026-01-01T00:00:00Z',
      frozen: true,
      server: { corsOrigins: [app] },
    });
    context = await browser.newContext();
    context.setDefaultTimeout(120_000);
    page = await context.newPage();
  });

  afterEach(async () => {
    await context.close();
    await emulator.close();
  });

  afterAll(async () => {
    await browser?.close();
    other?.close();
  });

  const pick = (name: string): Promise<void> => page.getByRole('button', { name }).click();

  /** The sight that a script of the page gets of a request with the browser's cookies, or why it gets none. */
  const ask = (path: string, init: RequestInit = {}): Promise<string> =>
    page.evaluate(
      async ([address, options]) => {
        try {
          const response = await fetch(address, { credentials: 'include', ...options });
          return response.type === 'opaque' ? 'opaque' : `${response.status} ${await response.text()}`;
        } catch {
          return 'blocked';
        }
      },
      [emulator.url + path, init] as const,
    );

  it('signs in for an app of another origin, works there, and signs out', async () => {
    await page.goto(`${emulator.url}/auth/login?return_to=${encodeURIComponent(`${app}/home?a=1`)}`);
    await pick('Example Owner');
    await page.waitForURL(`${app}/home?a=1`);
    expect(await ask('/api/v1/user')).toContain('"email":"owner@example.test"');
    const created = await ask('/api/v1/api-keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"From the browser"}',
    });
    expect(created).toMatch(/^201 /);
    expect(await page.evaluate(() => document.cookie)).toBe('');

    await page.goto(`${emulator.url}/auth/logout?return_to=${encodeURIComponent(`${app}/bye`)}`);
    expect(await page.textContent('body')).toContain('You are signed in as Example Owner');
    await pick('Sign out');
    await page.waitForURL(`${app}/bye`);
    expect(await ask('/api/v1/user')).toMatch(/^401 /);
    expect((await context.cookies()).map(({ name }) => name)).toEqual([]);
    expect(emulator.controls.sessions.list().map(({ state }) => state)).toEqual(['revoked']);
  });

  it('lets a command line sign in', async () => {
    const path = '/api/auth/cli-session';
    const poll = async (): Promise<any> => (await emulator.fetch(`${path}/from-the-shell`)).json();
    await emulator.fetch(path, { method: 'POST', body: '{"sessionId":"from-the-shell"}' });
    await page.goto(`${emulator.url}/auth/cli-login?session=from-the-shell`);
    await pick('Example Owner');
    await page.waitForURL(`${emulator.url}/auth/cli-login?session=from-the-shell`);
    expect(await poll()).toEqual({ status: 'pending' });
    await pick('Give it a key');
    await page.waitForURL(`${emulator.url}${path}/from-the-shell/complete`);
    expect(await page.textContent('h1')).toBe('Done');
    const { apiKey } = await poll();
    const user = await emulator.fetch('/api/v1/user', { headers: { authorization: `Bearer ${apiKey}` } });
    expect(((await user.json()) as any).data.email).toBe('owner@example.test');
    expect((await poll()).apiKey).toBeUndefined();
    await page.goBack();
    await pick('Give it a key');
    await page.waitForURL(`${emulator.url}${path}/from-the-shell/complete`);
    expect(await page.textContent('body')).toContain('was completed before');
  });

  it('has a session for each world', async () => {
    const world = await emulator.createWorld({ id: 'blue' });
    await page.goto(`${world.url}/auth/login`);
    await pick('Example Owner');
    await page.waitForURL(`${world.url}/auth/login`);
    expect(await page.textContent('body')).toContain('You are signed in as Example Owner');
    const read = async (url: string): Promise<string | null> => {
      await page.goto(`${url}/api/v1/user`);
      return page.textContent('body');
    };
    expect(await read(world.url)).toContain(`"id":"${world.userId}"`);
    expect(await read(emulator.url)).toContain('no credentials were sent');
    await page.goto(`${emulator.url}/auth/login`);
    await pick('Example Owner');
    await page.waitForURL(`${emulator.url}/auth/login`);
    expect(await read(world.url)).toContain(`"id":"${world.userId}"`);
    expect(await read(emulator.url)).toContain(`"id":"${emulator.userId}"`);
  });

  it('is at home on a world’s own port', async () => {
    const { port } = await emulator.controls.worlds.create({ id: 'green', port: 0 });
    await page.goto(`http://127.0.0.1:${port}/auth/login`);
    await pick('Example Owner');
    await page.waitForURL('**/auth/login');
    const answer = await page.goto(`http://127.0.0.1:${port}/api/v1/user`);
    expect(answer?.status()).toBe(200);
  });

  describe('on a page that means ill', () => {
    beforeEach(async () => {
      await page.goto(`${emulator.url}/auth/login`);
      await pick('Example Owner');
      await page.waitForURL(`${emulator.url}/auth/login`);
      await page.goto(evil);
    });

    const keys = (): number => emulator.controls.requests.list({ operation: 'keys.create', status: 201 }).total;

    it('gives nothing away', async () => {
      expect(await ask('/api/v1/user')).toBe('blocked');
      expect(await ask('/auth/login')).toBe('blocked');
      expect(await ask('/api/v1/user', { mode: 'no-cors' })).toBe('opaque');
      const framed = await page.evaluate(async (src) => {
        const frame = document.createElement('iframe');
        frame.src = src;
        document.body.append(frame);
        await new Promise((resolve) => frame.addEventListener('load', resolve));
        return frame.contentDocument === null ? 'another origin' : frame.contentDocument.title;
      }, `${emulator.url}/auth/login`);
      expect(framed).toBe('another origin');
      const frame = page.frames().find((each) => each !== page.mainFrame());
      expect(await frame?.getByRole('button').count()).toBe(0);
    });

    it('changes nothing', async () => {
      await ask('/api/v1/api-keys', { method: 'POST', body: '{"name":"stolen"}' });
      await ask('/api/v1/api-keys', { method: 'POST', body: '{"name":"stolen"}', mode: 'no-cors' });
      await ask('/auth/logout', { method: 'POST', mode: 'no-cors' });
      await ask('/auth/login', { method: 'POST', body: '{"email":"owner@example.test"}', mode: 'no-cors' });
      const submit = async (action: string, field: string, value: string, enctype: string): Promise<void> => {
        await page.goto(evil);
        await page.evaluate(
          ([url, name, text, type]) => {
            const form = Object.assign(document.createElement('form'), { method: 'post', action: url, enctype: type });
            form.append(Object.assign(document.createElement('input'), { name, value: text }));
            document.body.append(form);
            form.submit();
          },
          [emulator.url + action, field, value, enctype] as const,
        );
        await page.waitForURL(`${emulator.url}/**`);
      };
      await submit('/api/v1/api-keys', '{"name":"stolen","x":"', '"}', 'text/plain');
      await submit('/auth/logout', 'x', 'y', 'application/x-www-form-urlencoded');
      expect(await page.textContent('body')).toContain('comes from a page of another origin');
      await submit('/auth/login', 'email', 'owner@example.test', 'application/x-www-form-urlencoded');
      expect(await page.textContent('h1')).toBe('That did not work (403)');
      expect(keys()).toBe(0);
      expect(emulator.controls.sessions.list().map(({ state }) => state)).toEqual(['active']);
    });
  });

  it('is not signed in under a name that was rebound to this machine', async () => {
    const answer = await page.goto(`http://rebound.example:${emulator.port}/auth/login`);
    expect(answer?.status()).toBe(403);
    expect(await answer?.text()).toContain('--public-url');
    await page.goto(`http://rebound.example:${emulator.port}/api/health`);
    const status = await page.evaluate(
      async () => (await fetch('/auth/login', { method: 'POST', body: '{"email":"owner@example.test"}' })).status,
    );
    expect(status).toBe(403);
    expect(emulator.controls.sessions.list()).toEqual([]);
  });
});
