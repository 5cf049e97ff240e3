// Long bodies: forms whose boundaries make many parts, and what is sent after a refusal.

import { Hash } from 'node:crypto';
import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { hashForm } from '../../src/http/form-parts.js';
import { call, startEmulator } from '../support/emulator.js';

const mega = 1_024 * 1_024;

/** The hash of a text that comes in pieces of so many bytes. */
function hashOf(boundary: string, text: string, pieceBytes: number): string | undefined {
  const hash = hashForm(`multipart/form-data; boundary=${boundary}`);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) hash?.update(bytes.subarray(at, at + pieceBytes));
  return hash?.digest();
}

const formOf = (boundary: string, value: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="name"\r\n\r\n${value}\r\n--${boundary}--\r\n`;

it('equal parts of forms have equal hashes, whatever their boundary and however they come', () => {
  const whole = hashOf('a', formOf('a', 'banana -- a --a'), 1_000);
  for (const boundary of ['b', '----WebKitFormBoundaryX', 'x'.repeat(70)])
    for (const pieceBytes of [1, 3, 7, 1_000])
      expect(hashOf(boundary, formOf(boundary, 'banana -- a --a'), pieceBytes)).toBe(whole);
  expect(hashOf('a', formOf('a', 'banana -- b --a'), 1_000)).not.toBe(whole);
  // RFC 2046 knows no such form: it is hashed as any other body.
  expect(hashOf('x'.repeat(71), '', 1)).toBeUndefined();
});

it.each([
  ['the boundary', 'a'],
  ['the delimiter', '\r\n--a'],
])('a form that consists of %s costs no more than one of few parts', (_, repeated) => {
  const hash = hashForm('multipart/form-data; boundary=a');
  const update = vi.spyOn(Hash.prototype, 'update');
  const piece = Buffer.from(repeated.repeat(Math.floor((64 * 1_024) / repeated.length)));
  for (let pieces = 0; pieces < 32; pieces++) hash?.update(piece);
  const calls = update.mock.calls.length;
  update.mockRestore();
  expect(calls).toBeLessThan(1_200);
});

it('forms with boundaries of 70 characters are taken, and longer ones refused by their length', async () => {
  const emulator = await startEmulator();
  const send = (boundary: string, contentType = `multipart/form-data; boundary=${boundary}`) =>
    call(emulator, 'POST', '/api/v1/voice/stt', formOf(boundary, 'x'), { 'content-type': contentType });
  const taken = await send('x'.repeat(70));
  expect(taken.body.error.message).toContain('audio');
  const long = 'x'.repeat(71);
  for (const type of [undefined, `multipart/form-data; note="; boundary=a"; boundary="${long}"`]) {
    const { status, body } = await send(long, type);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  }
  const { body } = await send(long);
  expect(body.error.details[0]).toMatchObject({
    path: 'headers.content-type',
    message: 'must name a boundary of at most 70 characters (RFC 2046), got 71',
  });
});

/** The answer to a client that sends so many bytes, and how many of them the emulator takes before the connection ends. */
function post(port: number, path: string, headers: string, length: number): Promise<{ heard: string; sent: number }> {
  return new Promise((resolve) => {
    let heard = '';
    let sent = 0;
    const piece = Buffer.from('\r\n--a'.repeat(100_000));
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=a\r\n${headers}Content-Length: ${length}\r\n\r\n`,
      );
      goOn();
    });
    const goOn = (error?: Error | null): void => {
      if (error != null) return;
      if (sent >= length) return void socket.end();
      const bytes = piece.subarray(0, length - sent);
      socket.write(bytes, (failure) => {
        if (failure == null) sent += bytes.length;
        goOn(failure);
      });
    };
    socket.on('data', (data) => {
      heard += String(data);
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve({ heard, sent }));
  });
}

it('refused requests are answered at once, and their bodies read to the end, up to 64 MB', async () => {
  const { port } = await startEmulator();
  const refused: [path: string, headers: string, status: number][] = [
    ['/api/v1/containers', 'X-API-Key: ek_test_unknown\r\n', 401],
    ['/api/v1/voice/clone', 'Connection: close\r\n', 401],
    ['/nowhere', '', 404],
    ['/_emulator/reset', 'Origin: http://foreign.example\r\n', 403],
    ['/v2/a/b/blobs/uploads/', 'Connection: close\r\n', 401],
  ];
  const answers = refused.map(async ([path, headers, status]) => {
    const whole = await post(port, path, headers, 20 * mega);
    const { heard, sent } = await post(port, path, headers, 120 * mega);
    // The systems on both sides hold what is on its way already.
    return [path, whole.sent === 20 * mega && heard.startsWith(`HTTP/1.1 ${status}`), sent < 100 * mega];
  });
  expect(await Promise.all(answers)).toEqual(refused.map(([path]) => [path, true, true]));
});
