// The guard of the control plane, when the emulator listens on an address of its own: that Host passes, with the token.

import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.js';
import { configSchema } from '../../src/config/schema.js';
import { ApiError } from '../../src/core/errors.js';
import { guardControls } from '../../src/http/control-guard.js';

interface Asking {
  host: string;
  from?: string;
  headers?: Record<string, string>;
}

/** 200 when the guard lets a request pass, else the status of its refusal. */
function statusOf(server: ConfigInput['server'], { host, from = '192.168.1.9', headers = {} }: Asking): number {
  const all: Record<string, string> = { host, ...headers };
  const ctx = {
    protocol: 'http',
    get: (name: string) => all[name] ?? '',
    req: { socket: { remoteAddress: from }, rawHeaders: [] },
  } as unknown as Context;
  try {
    guardControls(ctx, configSchema.parse({ server }));
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

const token = { authorization: 'Bearer let-me-in' };

describe.each([
  ['192.168.1.5', '192.168.1.5:4747'],
  ['fd00::5', '[fd00::5]:4747'],
  ['FD00:0::5', '[fd00::5]:4747'],
  ['DevBox.lan', 'devbox.lan:4747'],
])('listening on %s', (host, asked) => {
  const server = { host, controlToken: 'let-me-in' };

  it('the control plane accepts that Host with the token', () => {
    expect(statusOf(server, { host: asked, headers: token })).toBe(200);
    expect(statusOf(server, { host: asked, headers: { 'x-emulator-token': 'let-me-in' } })).toBe(200);
  });

  it('the control plane requires the token, even from this machine', () => {
    expect(statusOf(server, { host: asked })).toBe(401);
    expect(statusOf(server, { host: asked, from: '127.0.0.1' })).toBe(401);
    expect(statusOf(server, { host: asked, headers: { authorization: 'Bearer wrong' } })).toBe(401);
  });

  it('the control plane refuses every request when no token is set', () => {
    expect(statusOf({ host }, { host: asked, headers: token })).toBe(403);
  });

  it('the control plane refuses other Hosts and pages of other origins, token or not', () => {
    expect(statusOf(server, { host: 'rebound.example:4747', headers: token })).toBe(403);
    expect(statusOf(server, { host: '192.168.1.6:4747', headers: token })).toBe(403);
    expect(statusOf(server, { host: '', headers: token })).toBe(403);
    expect(statusOf(server, { host: asked, headers: { ...token, origin: 'https://evil.example' } })).toBe(403);
  });
});

it('the control plane refuses an invalid Host when it listens on all addresses', () => {
  for (const host of ['', 'a b', '[', '192.168.1.5:4747'])
    expect(statusOf({ host: '::', controlToken: 'let-me-in' }, { host, headers: token })).toBe(403);
});
