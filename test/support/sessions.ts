// Signing in during tests: as a program, and as a browser that keeps cookies.

import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import type { Endpoint } from '../../src/http/endpoint.js';
import type { Emulator } from '../../src/index.js';
import { type Answer, call, type Platform } from './emulator.js';

export const user = '/api/v1/user';

/** Without any credentials. */
export const nobody = { authorization: '' };

/** A request with a session's token. */
export function callAs(
  emulator: Platform,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return call(emulator, method, path, body, { authorization: `Bearer ${token}`, ...headers });
}

/** A request with a cookie and nothing else; fetch would not let us choose Origin and Host. */
export function browse(
  emulator: Pick<Emulator, 'port'>,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; headers: Record<string, string | string[] | undefined>; text: string }> {
  return new Promise((resolve, reject) => {
    const host = `127.0.0.1:${emulator.port}`;
    const sent = request(
      { host: '127.0.0.1', port: emulator.port, path, method, headers: { host, ...headers } },
      (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () =>
          resolve({ status: res.statusCode ?? 0, headers: res.headers, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The fields that a browser sends with a form. */
export const form = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'content-type': 'application/x-www-form-urlencoded',
};

/** The `name=value` of a Set-Cookie header. */
export function cookieOf(header: string | string[] | null | undefined): string {
  const [first = ''] = [header ?? ''].flat();
  return first.split(';', 1)[0] ?? '';
}

/** The parts of a token, decoded. */
export function decode(token: string): [header: any, claims: any] {
  const [header = '', claims = ''] = token.split('.');
  const read = (part: string): any => JSON.parse(Buffer.from(part, 'base64url').toString());
  return [read(header), read(claims)];
}

/** A token as somebody else would make it. */
export function forge(header: object, claims: object, secret: string | undefined): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${secret === undefined ? '' : createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

export function refusalOf({ status, body }: Answer): [status: number, reason: unknown] {
  return [status, body.error?.details?.reason];
}

/** The headers that let the seeded user in where only people are: none where the key of every call will do. */
export function credentialsFor(
  { controls }: Pick<Emulator, 'controls'>,
  { auth }: Pick<Endpoint, 'auth'>,
): Record<string, string> {
  return auth === 'session' ? { authorization: `Bearer ${controls.sessions.create().token}` } : {};
}
