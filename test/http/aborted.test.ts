// Clients that leave before their request has been read: nothing waits for them, and nothing of theirs stays.

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { drained } from '../../src/http/file-part.js';
import { peekBody, readUnread } from '../../src/http/unread-body.js';
import { runsOf } from '../support/campaign.js';
import { tempDir } from '../support/command.js';
import { startEmulator } from '../support/emulator.js';
import { eventually } from '../support/eventually.js';

/** Sends the beginning of a request and leaves at once. */
function abort(port: number, start: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(start, () => socket.destroy()));
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}

const rounds = runsOf(20);

it(`the emulator ends ${rounds * 10} uploads that are aborted at once, and takes away their directories`, async () => {
  const dir = tempDir();
  vi.stubEnv('TMPDIR', dir);
  try {
    const emulator = await startEmulator({ rateLimits: { enabled: false } });
    const form = `POST /api/v1/voice/stt HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${emulator.apiKey}\r\nContent-Type: multipart/form-data; boundary=a\r\nContent-Length: 100000\r\n\r\n--a\r\nContent-Disposition: form-data; name="audio"; filename="a.mp3"\r\n\r\nID3`;
    for (let n = 0; n < rounds; n++) await Promise.all(Array.from({ length: 10 }, () => abort(emulator.port, form)));
    await eventually(
      () => emulator.controls.requests.list({ operation: 'voice.stt', limit: 1_000 }).requests.length === rounds * 10,
    );
    await eventually(() => readdirSync(dir).length === 0);
  } finally {
    vi.unstubAllEnvs();
  }
});

it('the emulator waits for no byte of a client that has left already', async () => {
  const req = new IncomingMessage(new Socket());
  req.headers = { 'content-length': '20' };
  req.push('{"name":');
  req.destroy();
  await once(req, 'close');
  expect(await peekBody(req)).toBeUndefined();
  expect(await readUnread(req)).toBeUndefined();
  const res = new ServerResponse(req);
  res.destroy();
  await drained(res);
});
