// Faulted connections as clients see them: raw sockets, Node's fetch and curl.

import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import type { Emulator } from '../../src/index.js';
import { image } from './emulator.js';
import { works } from './tools.js';

/** How a connection ended: what came, and then what. */
export interface Seen {
  text: string;
  end: 'reset' | 'closed' | 'open';
}

export interface RawRequest {
  method?: string;
  path?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Long enough for a busy machine; what hangs is given less. */
const patience = 5_000;

/** The bytes of a request. */
export function requestText(
  emulator: Emulator,
  { method = 'GET', path = '/api/v1/containers', body, headers = {} }: RawRequest,
): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const all: Record<string, string> = {
    Host: `127.0.0.1:${emulator.port}`,
    Authorization: `Bearer ${emulator.apiKey}`,
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(content)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${content}`;
}

/** Sends a request on a connection of its own and watches it until it ends or so many milliseconds are over. */
export function watch(emulator: Emulator, request: RawRequest, patienceMs = patience): Promise<Seen> {
  return watchSocket(send(emulator, request), patienceMs);
}

/** Watches, as `watch` does, what stays open: until nothing has come for a while after it began. */
export function watchOpen(emulator: Emulator, request: RawRequest, hasBegun: (text: string) => boolean): Promise<Seen> {
  return watchSocket(send(emulator, request), patience, hasBegun);
}

/** Watches, as `watch` does, a stream that goes on: until nothing has come for a while after its first event. */
export function watchEvents(emulator: Emulator, path: string): Promise<Seen> {
  return watchOpen(emulator, { path }, (text) => text.includes('data: '));
}

function send(emulator: Emulator, request: RawRequest): Socket {
  const socket = connect(emulator.port, '127.0.0.1');
  socket.write(requestText(emulator, { ...request, headers: { Connection: 'close', ...request.headers } }));
  return socket;
}

/** Watches what comes on a connection. */
export function watchSocket(
  socket: Socket,
  patienceMs = patience,
  hasBegun: (text: string) => boolean = () => false,
): Promise<Seen> {
  return new Promise((resolve) => {
    let text = '';
    let quietTurns = 0;
    const done = (end: Seen['end']): void => {
      clearTimeout(timer);
      clearInterval(turns);
      resolve({ text, end });
      socket.destroy();
    };
    const timer = setTimeout(() => done('open'), patienceMs);
    // At least 300 ms, counted in turns of the loop: the emulator shares it, and on a busy machine both have few.
    const turns = setInterval(() => {
      if (hasBegun(text) && ++quietTurns > 30) done('open');
    }, 10);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      quietTurns = 0;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code === 'ECONNRESET' ? 'reset' : 'closed'));
    socket.on('end', () => done('closed'));
  });
}

/** The result of a request with Node's fetch: the answer's status and text, or the error's code. */
export async function fetched(
  emulator: Emulator,
  { method = 'GET', path = '/api/v1/containers', body, headers = {} }: RawRequest,
  patienceMs = patience,
): Promise<{ status?: number; text?: string; error?: string; headers?: Headers }> {
  const seen: { status?: number; headers?: Headers } = {};
  try {
    const response = await emulator.fetch(path, {
      method,
      headers: { authorization: `Bearer ${emulator.apiKey}`, ...headers },
      signal: AbortSignal.timeout(patienceMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    seen.status = response.status;
    seen.headers = response.headers;
    return { ...seen, text: await response.text() };
  } catch (error) {
    const { cause, name } = error as { name: string; cause?: { code?: string } };
    return { ...seen, error: cause?.code ?? name };
  }
}

/** Whether there is a curl. */
export const hasCurl = works(['curl', '--version']);

/** The result of some requests with curl on one connection: its exit code and what it printed. */
export function curl(
  emulator: Emulator,
  args: string[],
  paths: string[] = ['/api/v1/containers'],
  patienceMs = patience,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const urls = paths.map((path) => `http://127.0.0.1:${emulator.port}${path}`);
  const all = [
    '-sS',
    '-m',
    String(patienceMs / 1_000),
    '-H',
    `Authorization: Bearer ${emulator.apiKey}`,
    ...args,
    ...urls,
  ];
  return new Promise((resolve) => {
    execFile('curl', all, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** A create that works. */
export const create = {
  method: 'POST',
  path: '/api/v1/containers',
  body: { name: 'web', project_name: 'web', ecr_image_uri: image },
};
