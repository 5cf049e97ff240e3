// Pictures as openai’s client reads them, and as a decoder does.

import { execFileSync } from 'node:child_process';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { Emulator } from '../../src/index.js';
import { call, startEmulator } from '../support/emulator.js';
import { readPng } from '../support/pictures.js';

const path = '/api/v1/images/generations';
const prompt = 'A lighthouse at night';

function openai({ url, apiKey }: Emulator): OpenAI {
  return new OpenAI({ baseURL: `${url}/api/v1`, apiKey, maxRetries: 0 });
}

const fromBase64 = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64');

describe('openai', () => {
  it('gets the requested number of pictures in the requested size', async () => {
    const emulator = await startEmulator();
    const { data } = await openai(emulator).images.generate({ model: 'gpt-image-1', prompt, n: 3, size: '1536x1024' });
    const pictures = (data ?? []).map(({ b64_json }) => readPng(fromBase64(b64_json)));
    expect(pictures.map(({ width, height }) => [width, height])).toEqual(Array(3).fill([1536, 1024]));
    expect(new Set((data ?? []).map(({ b64_json }) => b64_json)).size).toBe(3);
  });

  it('downloads the same picture from a URL without a key', async () => {
    const emulator = await startEmulator();
    const { images } = openai(emulator);
    const packed = await images.generate({ model: 'dall-e-3', prompt });
    const linked = await images.generate({ model: 'dall-e-3', prompt, response_format: 'url' });
    const [{ url = '', b64_json } = {}] = linked.data ?? [];
    expect(b64_json).toBeUndefined();
    const file = await fetch(url);
    expect(file.headers.get('content-type')).toBe('image/png');
    expect(file.headers.get('cache-control')).toContain('immutable');
    expect(file.headers.get('content-security-policy')).toContain('sandbox');
    expect(Buffer.from(await file.arrayBuffer()).toString('base64')).toBe(packed.data?.[0]?.b64_json);
  });

  it('is refused by the content policy when a queued reply says so, and is not charged', async () => {
    const fixtures = [{ match: { text: '*violence*' }, reply: { error: 'CONTENT_POLICY' as const } }];
    const emulator = await startEmulator({ replies: { fixtures } });
    const before = emulator.controls.ledger().length;
    const refused = await openai(emulator)
      .images.generate({ model: 'dall-e-3', prompt: 'graphic violence' })
      .catch((thrown) => thrown);
    expect(refused).toBeInstanceOf(OpenAI.BadRequestError);
    expect(refused).toMatchObject({ code: 'CONTENT_POLICY', type: 'invalid_request_error' });
    expect(emulator.controls.ledger()).toHaveLength(before);
    expect((await openai(emulator).images.generate({ model: 'dall-e-3', prompt })).data).toHaveLength(1);
  });
});

it('a queued refusal is used once, and queued texts are left to conversations', async () => {
  const emulator = await startEmulator();
  const { replies } = emulator.controls;
  replies.add({ model: 'gpt-image-*', error: 'CONTENT_POLICY' });
  const statuses = [];
  for (let i = 0; i < 2; i++) statuses.push((await call(emulator, 'POST', path, { prompt })).status);
  expect([statuses, replies.list()]).toEqual([[400, 200], []]);
  replies.add({ text: 'Sunny' });
  expect((await call(emulator, 'POST', path, { prompt })).status).toBe(200);
  expect(replies.list()).toHaveLength(1);
});

it('the platform’s own clients get local addresses of pictures', async () => {
  const emulator = await startEmulator();
  const { body } = await call(emulator, 'POST', '/api/v1/generate-image', {
    prompt,
    numImages: 2,
    aspectRatio: '16:9',
  });
  expect(body.numImages).toBe(2);
  expect(body.images[0]).toMatchObject({ mimeType: 'image/png', width: 1368, height: 768 });
  const file = Buffer.from(await (await fetch(body.images[1].url)).arrayBuffer());
  expect(file.length).toBe(body.images[1].fileSize);
  expect(readPng(file)).toMatchObject({ width: 1368, height: 768 });
});

it('addresses of pictures hold the world’s prefix, and no world serves another’s', async () => {
  const emulator = await startEmulator();
  const world = await emulator.createWorld({ id: 'other', seed: 'other' });
  const { body } = await call(world, 'POST', path, { prompt, response_format: 'url' });
  const [{ url }] = body.data;
  expect(url).toContain('/w/other/api/v1/generated/');
  expect((await fetch(url)).status).toBe(200);
  expect((await fetch(url.replace('/w/other', ''))).status).toBe(404);
});

it('only pictures that were generated are served', async () => {
  const emulator = await startEmulator();
  const { body } = await call(emulator, 'POST', path, { prompt, response_format: 'url' });
  const { pathname } = new URL(body.data[0].url);
  for (const wrong of [pathname.replace('1024x', '2048x'), pathname.replace('.png', '.mp4'), `${pathname}x`])
    expect((await call(emulator, 'GET', wrong)).status).toBe(404);
});

it('a picture is a symmetric pattern in colours of the prompt, which other decoders read', async () => {
  const emulator = await startEmulator();
  const { body } = await call(emulator, 'POST', path, { prompt, size: '300x200' });
  const file = fromBase64(body.data[0].b64_json);
  const { pixel } = readPng(file);
  for (const [x, y] of [
    [10, 10],
    [140, 90],
    [70, 190],
  ] as const)
    expect(pixel(x, y)).toEqual(pixel(299 - x, y));
  const colours = new Set(
    Array.from({ length: 100 }, (_, i) => String(pixel((i % 10) * 30 + 5, Math.floor(i / 10) * 20 + 5))),
  );
  expect(colours.size).toBeGreaterThan(1);
  let told = '';
  try {
    told = execFileSync('file', ['-'], { input: file }).toString();
  } catch {
    return; // Not every machine has it.
  }
  expect(told).toContain('PNG image data, 300 x 200, 8-bit colormap');
});

it('each picture is charged', async () => {
  const emulator = await startEmulator();
  await call(emulator, 'POST', path, { prompt, n: 3 });
  expect(emulator.controls.ledger().at(-1)).toMatchObject({
    amount: -0.12,
    operation: 'images.generate',
    priceRule: 'image 0.04 x 3',
  });
});

it.each([
  [{}, 'prompt'],
  [{ prompt: ' ' }, 'prompt'],
  [{ prompt, size: '1024' }, 'size'],
  [{ prompt, size: '8x8' }, 'size'],
  [{ prompt, size: '9999x9999' }, 'size'],
  [{ prompt, aspectRatio: '1:0' }, 'aspectRatio'],
  [{ prompt, n: 11 }, 'n'],
  [{ prompt, model: 'dall-e-3', n: 2 }, 'n'],
  [{ prompt, model: 'gpt-4o' }, 'model'],
  [{ prompt, stream: true }, 'stream'],
  [{ prompt: 'x'.repeat(4_001), model: 'dall-e-2' }, 'prompt'],
])('a request for pictures is refused where it is wrong (%#)', async (body, field) => {
  const answer = await call(await startEmulator(), 'POST', path, body);
  expect([answer.status, answer.body.error.details?.[0].path]).toEqual([400, field]);
});
