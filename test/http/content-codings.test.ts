// Bodies that are sent compressed: HTTP writes the names of codings in any case.

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { closeEmulators, startWorld } from '../support/emulator.js';

afterEach(closeEmulators);

const body = '{"name":"a key"}';

it.each([
  ['gzip', gzipSync(body)],
  ['GZIP', gzipSync(body)],
  ['X-Gzip', gzipSync(body)],
  ['Deflate', deflateSync(body)],
  ['Br', brotliCompressSync(body)],
  ['Identity', Buffer.from(body)],
])('a body with Content-Encoding: %s is read', async (coding, bytes) => {
  const world = await startWorld();
  const answer = await world.fetch('/api/v1/api-keys', {
    method: 'POST',
    headers: { authorization: `Bearer ${world.apiKey}`, 'content-encoding': coding },
    body: new Uint8Array(bytes),
  });
  expect(answer.status).toBe(201);
  expect(await answer.json()).toMatchObject({ apiKey: { name: 'a key' } });
});

it('a body with any other coding is refused, with the name of every one that is read', async () => {
  const world = await startWorld();
  const answer = await world.fetch('/api/v1/api-keys', {
    method: 'POST',
    headers: { authorization: `Bearer ${world.apiKey}`, 'content-encoding': 'zstd' },
    body,
  });
  expect(answer.status).toBe(415);
  expect(await answer.text()).toContain('use gzip, deflate, br or none');
});
