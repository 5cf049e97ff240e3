// Large documents: what they cost is bounded, and others have their turn while they are taken in, searched and removed.

import { describe, expect, it } from 'vitest';
import { makeFragments, mostFragments } from '../../../src/platform/knowledge/fragments.js';
import { wordsOf } from '../../../src/platform/models/embeddings/vector.js';
import { zipOf } from '../../support/archives.js';
import { call, startWorld } from '../../support/emulator.js';
import { watchTurns } from '../../support/turns.js';
import { formOf } from '../../support/voice.js';

const base = '/api/v1/knowledge';
const line = (n: number): string =>
  `Line ${n} says little, in some more words, so that it is of a usual length. `.repeat(3);
const long = (lines: number): string => Array.from({ length: lines }, (_, n) => `${line(n)}\n\n`).join('');

it('knowledge takes in, searches and removes a long document while others have their turn', async () => {
  const world = await startWorld();
  const content = `${long(1_200)}The lighthouse is green.`;
  const kept = await watchTurns(() => call(world, 'POST', base, { content, filename: 'long.txt' }));
  expect(kept.result.status).toBe(201);
  const { id, fragmentCount } = kept.result.body.document;
  expect(fragmentCount).toBe(1_201);
  expect(kept.turns).toBeGreaterThan(3);
  expect((await call(world, 'GET', `${base}/${id}`)).body.document.content).toBe(content);
  const ask = () => call(world, 'POST', `${base}/query`, { query: 'Which colour has the lighthouse?', limit: 1 });
  const first = await ask();
  expect(first.body.results[0].content).toBe('The lighthouse is green.');
  expect((await ask()).body).toEqual(first.body);
  expect((await call(world, 'DELETE', `${base}/${id}`)).status).toBe(200);
  expect((await call(world, 'GET', `${base}/${id}`)).status).toBe(404);
  expect((await ask()).body.count).toBe(0);
});

it('knowledge shows nothing of a long document before all of it is there', async () => {
  const world = await startWorld();
  const uploading = call(world, 'POST', base, { content: long(1_500), filename: 'long.txt' });
  let isDone = false;
  void uploading.then(() => {
    isDone = true;
  });
  const seen = new Set<number>();
  while (!isDone) seen.add((await call(world, 'GET', base)).body.documents[0]?.fragmentCount ?? 0);
  expect([...seen].filter((count) => count !== 0 && count !== 1_500)).toEqual([]);
  expect((await call(world, 'GET', base)).body.documents[0].fragmentCount).toBe(1_500);
});

describe('an organization', () => {
  it(`has at most ${mostFragments} fragments`, async () => {
    await expect(makeFragments([long(10)], mostFragments - 9)).rejects.toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining(`${mostFragments} fragments`),
      }),
    );
    expect((await makeFragments([long(10)], mostFragments - 10))[0]).toHaveLength(10);
  });

  it('counts them over its documents', async () => {
    const world = await startWorld();
    const answer = await call(
      world,
      'POST',
      `${base}/upload-file`,
      formOf({
        files: [Buffer.from(long(3)), 'a.txt'],
        file1: [Buffer.from(long(4)), 'b.txt'],
      }),
    );
    expect(answer.body.data.map(({ fragmentCount }: any) => fragmentCount)).toEqual([3, 4]);
  });
});

it('knowledge searches three times the length of a text at most, whatever it becomes in another spelling', () => {
  const words = wordsOf('\ufdfa'.repeat(100));
  expect(words.join('').length).toBeLessThanOrEqual(300);
  expect(words.length).toBeGreaterThan(10);
});

it('knowledge unpacks 40 MB of one upload at most', async () => {
  const world = await startWorld();
  const xml = `<w:document><w:p><w:r><w:t>Words.</w:t></w:r></w:p>${' '.repeat(15 * 1_024 * 1_024)}</w:document>`;
  const file = zipOf({ 'word/document.xml': xml });
  const files = (count: number) =>
    formOf(Object.fromEntries(Array.from({ length: count }, (_, n) => [`files${n}`, [file, `${n}.docx`]] as const)));
  const send = (count: number) => call(world, 'POST', `${base}/upload-file`, files(count));
  expect((await send(2)).status).toBe(201);
  const refused = await send(3);
  expect([refused.status, refused.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(refused.body.error.message).toContain('bytes of unpacked documents');
});
