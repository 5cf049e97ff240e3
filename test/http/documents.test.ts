// The documents of worlds: of their own settings, made once, and sent as often as they are asked for.

import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { createDocuments } from '../../src/http/documents.js';
import { call, startEmulator } from '../support/emulator.js';

it('the document describes the settings of the world that is asked, under its base URL', async () => {
  const emulator = await startEmulator();
  const settings = {
    service: { legacyVoiceProvider: 'other' },
    prices: { image: 0.25 },
    rateLimits: { multiplier: 3 },
    errors: { style: 'flat' },
  };
  const world = await emulator.createWorld({ id: 'own', scenario: { settings } });
  const [own, first] = await Promise.all(
    [world, emulator].map(async (each) => (await call(each, 'GET', '/openapi.json')).body),
  );
  expect(own.servers).toEqual([{ url: world.url }]);
  expect(first.servers).toEqual([{ url: emulator.url }]);
  const voices = (document: typeof own) =>
    Object.keys(document.paths).filter((path) => /^\/api\/(other|elevenlabs)\//.test(path));
  expect(voices(own).every((path) => path.startsWith('/api/other/'))).toBe(true);
  expect(voices(own)).toHaveLength(voices(first).length);
  const image = (document: typeof own) => document.paths['/api/v1/images/generations'].post;
  expect(image(own)['x-price'].settings).toMatchObject({ 'prices.image': 0.25 });
  expect(image(own)['x-rate-limit'].all.limit).toBe(3 * image(first)['x-rate-limit'].all.limit);
  expect(own.components.schemas.Error).not.toEqual(first.components.schemas.Error);
});

it('the document is made once for equal settings, whoever asks', () => {
  const make = vi.fn((settings: { name: string }, url: string) => ({ title: settings.name, servers: [{ url }] }));
  const documentOf = createDocuments(JSON.stringify, make);
  const names = ['a', 'a', 'b', 'a'];
  const texts = names.map((name, n) => String(documentOf({ name }, `http://host-${n}`)));
  expect(texts.map((text) => JSON.parse(text))).toEqual(
    names.map((title, n) => ({ title, servers: [{ url: `http://host-${n}` }] })),
  );
  expect(make).toHaveBeenCalledTimes(2);
});

it('the emulator answers others at once while a client asks for 2,000 documents, and forgets it when it leaves', async () => {
  const emulator = await startEmulator();
  const before = process.memoryUsage().rss;
  const request = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const socket = connect(emulator.port, '127.0.0.1', () => socket.pause().write(request.repeat(2_000)));
  socket.on('error', () => {});
  for (let n = 0; n < 20; n++) expect((await emulator.fetch('/api/health')).status).toBe(200);
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  socket.destroy();
  expect((await emulator.fetch('/api/health')).status).toBe(200);
});
