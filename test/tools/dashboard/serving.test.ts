// The dashboard's page, assets and cookie: who gets them, with which headers.

import { createHash, createHmac } from 'node:crypto';
import { request } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { real } from '../../../src/core/real-time.js';
import type { Emulator } from '../../../src/index.js';
import { closeEmulators, startEmulator } from '../../support/emulator.js';

afterEach(closeEmulators);
afterEach(() => void vi.restoreAllMocks());

interface Given {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** A request with exactly these headers; redirects are not followed. */
function ask(
  { port }: Pick<Emulator, 'port'>,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Given> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the page', () => {
  it('has a strict policy, no inline script or style, and assets that never change', async () => {
    const emulator = await startEmulator();
    const { status, headers, text } = await ask(emulator, '/_emulator/');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(text).not.toMatch(/<style|style=|<script(?![^>]* src=)|https?:/);
    const assets = [...text.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(assets).toHaveLength(2);
    for (const path of assets) {
      const asset = await ask(emulator, `/_emulator/${path}`);
      expect(asset.status).toBe(200);
      expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(asset.headers['content-type']).toMatch(path?.endsWith('.js') ? /^text\/javascript/ : /^text\/css/);
    }
  });

  it.each([
    ['', '/'],
    ['/reference/', '/reference'],
  ])('at /_emulator%s is the one at /_emulator%s, with its query', async (asked, page) => {
    const emulator = await startEmulator();
    await emulator.controls.worlds.create({ id: 'blue' });
    for (const world of ['', '/w/blue']) {
      const { status, headers } = await ask(emulator, `${world}/_emulator${asked}?document=control`, {
        headers: browser,
      });
      expect([status, headers.location]).toEqual([302, `${emulator.url}${world}/_emulator${page}?document=control`]);
      expect((await ask(emulator, `${world}/_emulator${page}`)).status).toBe(200);
    }
  });

  it('of the API reference has the same policy and its own code', async () => {
    const emulator = await startEmulator();
    const page = await ask(emulator, '/_emulator/');
    const { status, headers, text } = await ask(emulator, '/_emulator/reference');
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toBe(page.headers['content-security-policy']);
    expect(text).not.toMatch(/<style|style=|<script(?![^>]* src=)|https?:/);
    const assets = [...text.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(assets).toHaveLength(2);
    for (const path of assets) {
      expect(page.text).not.toContain(path);
      expect((await ask(emulator, `/_emulator/${path}`)).status).toBe(200);
    }
    await emulator.controls.worlds.create({ id: 'blue' });
    expect((await ask(emulator, '/w/blue/_emulator/reference')).text).toBe(text);
    expect((await ask(emulator, '/_emulator/reference', { method: 'POST' })).status).toBe(405);
  });

  it('is served in every world that exists, and in no other', async () => {
    const emulator = await startEmulator();
    await emulator.controls.worlds.create({ id: 'blue' });
    expect((await ask(emulator, '/w/blue/_emulator/')).status).toBe(200);
    expect((await ask(emulator, '/w/none/_emulator/')).status).toBe(404);
  });

  it('serves only its own files', async () => {
    const emulator = await startEmulator();
    for (const name of ['index.html', '../index.html', '..%2fmain.cjs', 'package.json', ''])
      expect((await ask(emulator, `/_emulator/assets/${name}`)).status, name).not.toBe(500);
    for (const name of ['..%2fmain.cjs', '..%2f..%2fpackage.json', 'none.js'])
      expect((await ask(emulator, `/_emulator/assets/${name}`)).status, name).toBe(404);
    expect((await ask(emulator, '/_emulator/', { method: 'POST' })).status).toBe(405);
  });
});

describe('a browser that opens the address', () => {
  it('is sent to the dashboard of its world; programs get the 404', async () => {
    const emulator = await startEmulator();
    await emulator.controls.worlds.create({ id: 'blue' });
    const sent = await ask(emulator, '/', { headers: browser });
    expect(sent.status).toBe(302);
    expect(sent.headers.location).toBe(`http://127.0.0.1:${emulator.port}/_emulator/`);
    expect((await ask(emulator, '/w/blue', { headers: browser })).headers.location).toMatch(/\/w\/blue\/_emulator\/$/);
    expect((await ask(emulator, '/_emulator', { headers: browser })).headers.location).toMatch(/\/_emulator\/$/);
    expect((await ask(emulator, '/', { headers: { accept: '*/*' } })).status).toBe(404);
    expect(emulator.controls.requests.list().requests.map(({ status }) => status)).toEqual([404]);
  });

  it('may follow a link from another site; requests of the page must come from its own origin', async () => {
    const emulator = await startEmulator();
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await ask(emulator, '/_emulator/', { headers: link })).status).toBe(200);
    expect((await ask(emulator, '/_emulator/clock', { headers: link })).status).toBe(403);
    expect((await ask(emulator, '/_emulator/', { headers: { host: 'rebound.example' } })).status).toBe(403);
  });
});

describe('beyond loopback', () => {
  const host = 'cloudemu:4747';
  const origin = `http://${host}`;
  const open = (): Promise<Emulator> => startEmulator({ publicUrl: origin, controlToken: 'let-me-in' });
  const signIn = (emulator: Emulator, token: string, headers = {}): Promise<Given> =>
    ask(emulator, '/_emulator/session', {
      method: 'POST',
      headers: { host, origin, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ token }),
    });

  it('the token is asked for once; a cookie that scripts cannot read and that does not contain it replaces it', async () => {
    const emulator = await open();
    expect((await ask(emulator, '/_emulator/clock', { headers: { host } })).status).toBe(401);
    expect((await signIn(emulator, 'guessed')).status).toBe(401);
    const taken = await signIn(emulator, 'let-me-in');
    expect(taken.status).toBe(204);
    const sets = taken.headers['set-cookie'] as string[];
    const [cookie = ''] = (sets[0] ?? '').split(';');
    expect(cookie).toMatch(/^emulator-control=\d{13}\.[0-9a-f]{64}$/);
    expect(sets).toEqual(
      ['/_emulator', '/w'].map((path) => `${cookie}; Path=${path}; Max-Age=43200; HttpOnly; SameSite=Strict`),
    );
    expect((await ask(emulator, '/_emulator/clock', { headers: { host, cookie: `a=b; ${cookie}` } })).status).toBe(200);
    expect((await ask(emulator, '/_emulator/clock', { headers: { host, cookie: `${cookie}0` } })).status).toBe(401);
  });

  it('the cookie ends after twelve hours of wall time', async () => {
    const emulator = await open();
    const [set = ''] = (await signIn(emulator, 'let-me-in')).headers['set-cookie'] as string[];
    const [cookie = ''] = set.split(';');
    const read = async (sent: string): Promise<number> =>
      (await ask(emulator, '/_emulator/clock', { headers: { host, cookie: sent } })).status;
    const later = (ms: number): void => void vi.spyOn(real, 'now').mockReturnValue(Date.now() + ms);
    const twelveHours = 12 * 3_600_000;
    later(twelveHours - 60_000);
    expect(await read(cookie)).toBe(200);
    later(twelveHours + 60_000);
    expect(await read(cookie)).toBe(401);
    // Its end cannot be put off by whoever has it.
    expect(await read(cookie.replace(/\d{13}/, (end) => String(Number(end) + twelveHours)))).toBe(401);
  });

  it('the cookie does not follow from the token, and another token ends it', async () => {
    const emulator = await open();
    const [set = ''] = (await signIn(emulator, 'let-me-in')).headers['set-cookie'] as string[];
    const [cookie = ''] = set.split(';');
    const [end = '', signature] = cookie.replace('emulator-control=', '').split('.');
    const guesses = [`dashboard let-me-in`, 'let-me-in', `${end} let-me-in`, `${end}let-me-in`];
    expect(guesses.map((guess) => createHash('sha256').update(guess).digest('hex'))).not.toContain(signature);
    expect(guesses.map((guess) => createHmac('sha256', 'let-me-in').update(guess).digest('hex'))).not.toContain(
      signature,
    );
    const other = await startEmulator({ publicUrl: origin, controlToken: 'another-one' });
    expect((await ask(other, '/_emulator/clock', { headers: { host, cookie } })).status).toBe(401);
  });

  it('the cookie is for dashboards alone: of worlds, under the path of a proxy, and on the port of a world', async () => {
    const emulator = await startEmulator({ publicUrl: `${origin}/cloud/`, controlToken: 'let-me-in' });
    const world = await emulator.controls.worlds.create({ id: 'blue', port: 0 });
    const pathsOf = async (at: string, port = emulator.port): Promise<(string | undefined)[]> => {
      const body = JSON.stringify({ token: 'let-me-in' });
      const headers = { host, origin, 'content-type': 'application/json' };
      const taken = await ask({ port }, at, { method: 'POST', headers, body });
      return (taken.headers['set-cookie'] as string[]).map((set) => /Path=([^;]+)/.exec(set)?.[1]);
    };
    expect(await pathsOf('/_emulator/session')).toEqual(['/cloud/_emulator', '/cloud/w']);
    expect(await pathsOf('/w/blue/_emulator/session')).toEqual(['/cloud/_emulator', '/cloud/w']);
    expect(await pathsOf('/_emulator/session', world.port ?? 0)).toEqual(['/_emulator', '/w']);
  });

  it('the cookie allows changes only to the page’s own origin', async () => {
    const emulator = await open();
    const [set = ''] = (await signIn(emulator, 'let-me-in')).headers['set-cookie'] as string[];
    const [cookie = ''] = set.split(';');
    const freeze = (headers: object): Promise<Given> =>
      ask(emulator, '/_emulator/clock/freeze', { method: 'POST', headers: { host, cookie, ...headers } });
    expect((await freeze({})).status).toBe(403);
    expect((await freeze({ origin: 'http://evil.example' })).status).toBe(403);
    expect((await freeze({ origin })).status).toBe(200);
    expect((await signIn(emulator, 'let-me-in', { origin: 'http://evil.example' })).status).toBe(403);
  });
});
