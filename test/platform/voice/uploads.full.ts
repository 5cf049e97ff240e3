// Uploads that are wrong: each is told what was meant, and nothing of it stays.

import { readdirSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it, vi } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { call, startEmulator } from '../../support/emulator.js';
import { base, formOf, hear, sample } from '../../support/voice.js';

const stt = `${base}/stt`;
const mega = 1_024 * 1_024;
const boundary = 'b0undary';

const leftBehind = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('cloudemu-upload-'));

afterEach(() => vi.waitFor(() => expect(leftBehind()).toEqual([]), 15_000));

/** The part of a form that holds a file. */
function part(
  content: Buffer | string,
  headers = 'Content-Disposition: form-data; name="audio"; filename="a.wav"',
): Buffer {
  return Buffer.concat([Buffer.from(`--${boundary}\r\n${headers}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')]);
}
const end = `--${boundary}--\r\n`;

/** Sends bytes as they are. */
async function post(
  emulator: Emulator,
  body: Buffer | string,
  headers: Record<string, string> = {},
): Promise<[number, any]> {
  const answer = await emulator.fetch(stt, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${emulator.apiKey}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  return [answer.status, await answer.json()];
}

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const zip = Buffer.concat([Buffer.from('PK\x03\x04\x14\0\0\0\x08\0', 'latin1'), gzipSync(Buffer.alloc(8 * mega))]);

it.each<[string, Buffer, RegExp]>([
  ['an empty file', Buffer.alloc(0), /audio is empty/],
  ['a picture', png, /audio must be audio as mp3, wav, ogg, webm, m4a, flac/],
  ['a text', Buffer.from('hello '.repeat(1_000)), /must be audio/],
  ['a zip bomb that says it is MP3', zip, /must be audio/],
  ['a gzip bomb that says it is MP3', gzipSync(Buffer.alloc(16 * mega)), /must be audio/],
  ['AAC without a container', Buffer.from('fff150800c7ffcde'.repeat(50), 'hex'), /must be audio/],
  ['the head of a WAV file', sample('voice.wav').subarray(0, 44), /holds no sound/],
  ['the head of an M4A file', sample('voice.m4a').subarray(0, 2_000), /holds no sound/],
  ['the head of an Ogg file', sample('voice.ogg').subarray(0, 100), /holds no sound/],
  ['the head of a WebM file', sample('voice.webm').subarray(0, 60), /holds no sound/],
  ['the head of a FLAC file', sample('voice.flac').subarray(0, 20), /holds no sound/],
  ['an ID3 tag and nothing', Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1'), /holds no sound/],
])('an upload is 400 for %s', async (_, content, message) => {
  const emulator = await startEmulator();
  const { status, body } = await hear(emulator, content, 'song.mp3');
  expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(body.error.message).toMatch(message);
  expect(body.error.details[0]).toMatchObject({ path: 'audio', received: `"song.mp3", ${content.length} bytes` });
  expect(emulator.controls.ledger()).toHaveLength(1);
});

it('a truncated upload is refused with how long what is there of it plays', async () => {
  const emulator = await startEmulator();
  for (const name of ['voice.wav', 'voice.mp3', 'recorded.webm']) {
    const whole = sample(name);
    const { status, body } = await hear(emulator, whole.subarray(0, Math.floor(whole.length * 0.6)));
    expect([name, status]).toEqual([name, 200]);
    expect(body.duration_ms).toBeGreaterThan(800);
    expect(body.duration_ms).toBeLessThan(2_400);
  }
});

it('an upload is 400 for a file in the wrong field, and names the right one', async () => {
  const emulator = await startEmulator();
  const { status, body } = await call(emulator, 'POST', stt, formOf({ file: sample() }));
  expect(status).toBe(400);
  expect(body.error.details).toMatchObject([
    { path: 'audio', message: 'is required: a file' },
    { path: 'file', suggestion: 'audio' },
  ]);
  const text = await call(emulator, 'POST', stt, formOf({ audio: 'not a file' }));
  expect(text.body.error.details).toMatchObject([{ path: 'audio', message: /must be a file/ }]);
});

it.each<[string, Buffer | string, Record<string, string>, number, RegExp]>([
  [
    'JSON',
    '{"audio":"x"}',
    { 'content-type': 'application/json' },
    415,
    /multipart\/form-data, got "application\/json"/,
  ],
  ['no type', 'x', { 'content-type': '' }, 415, /multipart\/form-data/],
  ['raw audio', sample(), { 'content-type': 'audio/wav' }, 415, /got "audio\/wav"/],
  ['no boundary', part(sample()), { 'content-type': 'multipart/form-data' }, 400, /boundary not found/],
  ['an empty boundary', part(sample()), { 'content-type': 'multipart/form-data; boundary=' }, 400, /content-type/],
  ['a compressed form', gzipSync(part(sample())), { 'content-encoding': 'gzip' }, 415, /Content-Encoding, got "gzip"/],
  ['no part', end, {}, 400, /audio is required/],
  ['nothing', '', {}, 400, /ends too early/],
  ['no end', part(sample()), {}, 400, /ends too early/],
  ['a part that is cut off', part(sample()).subarray(0, 5_000), {}, 400, /ends too early/],
  ['another boundary', Buffer.from('--other\r\n\r\nx\r\n--other--'), {}, 400, /ends too early/],
  [
    'a part without a name',
    Buffer.concat([part('x', 'Content-Type: audio/wav'), Buffer.from(end)]),
    {},
    400,
    /audio is required/,
  ],
  [
    'a damaged header',
    Buffer.concat([part('x', 'Content-Disposition'), Buffer.from(end)]),
    {},
    400,
    /complete form|required/,
  ],
])('an upload with a form with %s is refused', async (_, body, headers, status, message) => {
  const emulator = await startEmulator();
  const [answered, { error }] = await post(emulator, body, headers);
  expect([answered, error.message]).toEqual([status, expect.stringMatching(message)]);
});

it('an upload survives what brings other parsers down', async () => {
  const emulator = await startEmulator();
  const disposition = 'Content-Disposition: form-data; name="audio"; filename="a.wav"';
  for (const headers of [
    'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: 7bit',
    `${disposition}\r\nContent-Transfer-Encoding: quoted-printable`,
    'Content-Disposition: form-data; name="__proto__"',
    'Content-Disposition: form-data; name="constructor"; filename="x"',
    'Content-Disposition: form-data; name="audio"; filename="../../../../etc/passwd"',
    'Content-Disposition: form-data; name="audio"; filename=""',
    `Content-Disposition: form-data; name="audio"; filename="${'filename="'.repeat(5_000)}`,
    `X-Long: ${'x'.repeat(200_000)}\r\n${disposition}`,
    `${disposition}\r\n${'X-Many: 1\r\n'.repeat(5_000)}X: 1`,
  ]) {
    const [status] = await post(emulator, Buffer.concat([part(sample('voice.mp3'), headers), Buffer.from(end)]));
    expect([headers.slice(0, 120), status]).toEqual([
      headers.slice(0, 120),
      expect.toSatisfy((n) => n === 200 || n === 400),
    ]);
  }
  const many = Buffer.concat([
    ...Array.from({ length: 2_000 }, (_, i) => part('x', `Content-Disposition: form-data; name="f${i}"`)),
    Buffer.from(end),
  ]);
  expect(await post(emulator, many)).toMatchObject([
    400,
    { error: { message: expect.stringContaining('too many parts') } },
  ]);
  const long = Buffer.concat([
    part('x'.repeat(70_000), 'Content-Disposition: form-data; name="languageCode"'),
    Buffer.from(end),
  ]);
  expect((await post(emulator, long))[0]).toBe(413);
});

/** Sends what a generator yields; resolves with the answer, however early it comes. */
function stream(
  emulator: Emulator,
  headers: Record<string, string | number>,
  pieces: Iterable<Buffer>,
  agent?: Agent,
): Promise<{ status: number; body: any; sent: number }> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    const req = request({
      host: '127.0.0.1',
      port: emulator.port,
      path: stt,
      method: 'POST',
      ...(agent !== undefined && { agent }),
      headers: {
        authorization: `Bearer ${emulator.apiKey}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        ...headers,
      },
    });
    req.on('response', (res: IncomingMessage) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () =>
        resolve({ status: res.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()), sent }),
      );
    });
    req.on('error', reject);
    void (async () => {
      for (const piece of pieces) {
        if (!req.write(piece)) await new Promise((drained) => req.once('drain', drained));
        sent += piece.length;
      }
      req.end();
    })();
  });
}

function* megabytes(count: number): Iterable<Buffer> {
  yield part('').subarray(0, -2);
  yield sample();
  const piece = Buffer.alloc(mega);
  for (let i = 0; i < count; i++) yield piece;
  yield Buffer.from(`\r\n${end}`);
}

it('an upload is 413 for 26 MB, before they are sent where the length is known', async () => {
  const emulator = await startEmulator();
  const form = formOf({ audio: Buffer.alloc(26 * mega + 100_000) });
  const whole = await call(emulator, 'POST', stt, form);
  expect([whole.status, whole.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const chunked = await stream(emulator, {}, megabytes(40), agent);
  expect([chunked.status, chunked.body.error.message]).toEqual([413, 'The file in "audio" is larger than 25 MB']);
  // The connection goes on with the next request.
  expect((await stream(emulator, {}, [part(sample()), Buffer.from(end)], agent)).status).toBe(200);
  const known = await stream(emulator, { 'content-length': 300 * mega }, [part('')]);
  expect([known.status, known.body.error.message]).toEqual([413, 'The body is larger than 25 MB']);
  agent.destroy();
});

it('an upload takes 25 MB', async () => {
  const emulator = await startEmulator();
  const { status, body } = await hear(emulator, Buffer.concat([sample(), Buffer.alloc(25 * mega - sample().length)]));
  expect([status, body.duration_ms]).toEqual([200, 2_500]);
});

it('an upload whose client goes away leaves nothing', async () => {
  const emulator = await startEmulator();
  const socket = connect(emulator.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `POST ${stt} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${emulator.apiKey}\r\nContent-Length: 900000\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\n\r\n`,
  );
  socket.write(part(sample()).subarray(0, 50_000));
  while (leftBehind().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.destroy();
  const { body } = await hear(emulator, sample());
  expect(body.duration_ms).toBe(2_500);
});

it('an upload leaves nothing where a fault takes the response, before and after', async () => {
  const emulator = await startEmulator();
  for (const phase of ['before', 'after'] as const) {
    emulator.controls.faults.add({
      match: { operation: 'voice.stt' },
      when: { times: 1 },
      phase,
      effect: { error: 'SERVICE_UNAVAILABLE' },
    });
    expect((await hear(emulator, sample())).status).toBe(503);
  }
  const refused = await call(emulator, 'POST', stt, formOf({ audio: sample() }), { authorization: '' });
  expect(refused.status).toBe(401);
});
