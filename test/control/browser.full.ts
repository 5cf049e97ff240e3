// A page of another origin, in a real browser, and a rebound host name reach nothing of the control plane.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../src/index.js';
import { startChromium } from '../support/chromium.js';

describe('a web page of another origin', () => {
  let emulator: Emulator;
  let foreign: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    emulator = await createEmulator({ seed: 'browser', clock: '2026-01-01T00:00:00Z', frozen: true });
    foreign = createServer((_req, res) => {
      res.setHeader('content-type', 'text/html');
      res.end('<!doctype html><title>A foreign page</title><body></body>');
    });
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    browser = await startChromium();
    page = await browser.newPage();
  });

  afterAll(async () => {
    await browser?.close();
    foreign?.close();
    await emulator?.close();
  });

  const visit = (host: string, port: number): Promise<unknown> => page.goto(`http://${host}:${port}/`);
  const foreignPort = (): number => (foreign.address() as AddressInfo).port;
  const now = (): string => emulator.controls.clock.get().now;

  /** The sight that a script of the page gets of a request, or why it gets none. */
  const ask = (url: string, init: RequestInit): Promise<string> =>
    page.evaluate(
      async ([address, options]) => {
        try {
          const response = await fetch(address, options);
          return response.type === 'opaque' ? 'opaque' : `${response.status} ${await response.text()}`;
        } catch {
          return 'blocked';
        }
      },
      [url, init] as const,
    );

  it('reads nothing', async () => {
    await visit('127.0.0.1', foreignPort());
    for (const path of ['health', 'keys', 'clock', 'requests', 'config', 'openapi.json']) {
      expect(await ask(`${emulator.url}/_emulator/${path}`, {})).toBe('blocked');
      expect(await ask(`${emulator.url}/_emulator/${path}`, { mode: 'no-cors' })).toBe('opaque');
    }
    const included = await page.evaluate(async (url) => {
      const load = (tag: string, name: string): Promise<string> =>
        new Promise((resolve) => {
          const element = document.createElement(tag);
          element.setAttribute(name, url);
          element.onload = () => resolve('loaded');
          element.onerror = () => resolve('refused');
          document.body.append(element);
        });
      return [await load('script', 'src'), await load('img', 'src')];
    }, `${emulator.url}/_emulator/keys`);
    expect(included).toEqual(['refused', 'refused']);
  });

  it('changes nothing, not even with requests that need no preflight', async () => {
    await visit('127.0.0.1', foreignPort());
    const body = JSON.stringify({ by: '1h' });
    const advance = `${emulator.url}/_emulator/clock/advance`;
    const headers = { 'content-type': 'text/plain' };
    await ask(advance, { method: 'POST', body, headers, mode: 'no-cors' });
    await ask(advance, { method: 'POST', body, headers });
    await ask(advance, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    await page.evaluate(
      ([url, text]) => {
        navigator.sendBeacon(url as string, text as string);
      },
      [advance, body],
    );
    await page.evaluate((url) => {
      const form = document.createElement('form');
      form.method = 'post';
      form.action = url;
      form.enctype = 'text/plain';
      const field = document.createElement('input');
      field.name = '{"by":"1h","x":"';
      field.value = '"}';
      form.append(field);
      document.body.append(form);
      form.submit();
    }, advance);
    await page.waitForURL(`${emulator.url}/**`);
    expect(await page.textContent('body')).toContain('The control plane refused this request');
    expect(now()).toBe('2026-01-01T00:00:00.000Z');
  });

  it('gets nowhere under a host name that was rebound to this machine', async () => {
    await visit('rebound.example', emulator.port);
    expect(await ask('/_emulator/keys', {})).toMatch(/^403 /);
    expect(await ask('/_emulator/clock/advance', { method: 'POST', body: '{"by":"1h"}' })).toMatch(/^403 /);
    expect(now()).toBe('2026-01-01T00:00:00.000Z');
  });
});
