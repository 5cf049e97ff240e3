// Documents of the newer platform: uploaded, listed, found by their words, deleted; and files that wait to become some.

import { describe, expect, it } from 'vitest';
import { scorer } from '../../../src/platform/documents/api.js';
import { itFull } from '../../support/campaign.js';
import { call, startWorld } from '../../support/emulator.js';
import { formOf } from '../../support/voice.js';

const base = '/api/v1/documents';

type World = Awaited<ReturnType<typeof startWorld>>;

const add = async (world: World, content: string, more: object = {}) => {
  const { status, body } = await call(world, 'POST', base, { content, ...more });
  expect([status, body.message]).toEqual([200, 'Document uploaded successfully']);
  return body.document;
};
const newAgent = async (world: World) =>
  (await call(world, 'POST', '/api/v1/app/agents', { name: 'Reader' })).body.agent.id as string;

it('a document is created, listed, shown and deleted', async () => {
  const world = await startWorld();
  const document = await add(world, 'The lighthouse is green.', { filename: 'a/lights..md', contentType: 'text/x-md' });
  const at = Date.parse('2026-01-01T00:00:00Z');
  const { id: userId } = (await call(world, 'GET', '/api/v1/user')).body.data;
  expect(document).toEqual({
    id: expect.any(String),
    content: { text: 'The lighthouse is green.' },
    createdAt: at,
    metadata: {
      ...{ type: 'document', timestamp: at, scope: 'user-private', scopedToEntityId: userId, addedBy: userId },
      ...{ addedByRole: 'USER', addedFrom: 'upload', source: 'upload', uploadedBy: userId, uploadedAt: at },
      ...{ filename: 'a-lights.md', fileName: 'a-lights.md', originalFilename: 'a/lights..md' },
      ...{ fileSize: 24, contentType: 'text/x-md' },
    },
  });
  const other = await add(world, 'Another one');
  const listed = (await call(world, 'GET', base)).body;
  expect(listed).toEqual({ success: true, documents: [other, document], total: 2 });
  expect((await call(world, 'GET', `${base}?limit=1&offset=1`)).body).toMatchObject({
    documents: [document],
    total: 1,
  });
  expect((await call(world, 'GET', `${base}/${document.id}`)).body).toEqual({ success: true, document });
  expect((await call(world, 'GET', `${base}/check`)).body).toEqual({ hasDocuments: true, count: 2 });
  expect((await call(world, 'DELETE', `${base}/${document.id}`)).body).toEqual({
    success: true,
    message: 'Document deleted successfully',
  });
  for (const method of ['GET', 'DELETE']) {
    const gone = await call(world, method, `${base}/${document.id}`);
    expect([gone.status, gone.body.error.message]).toEqual([404, 'Document not found']);
  }
});

it('documents cost nothing, and knowledge shows the same ones', async () => {
  const world = await startWorld();
  const before = (await call(world, 'GET', '/api/v1/credits/balance')).body;
  const document = await add(world, 'One text for both');
  await call(world, 'POST', `${base}/query`, { query: 'text' });
  const { documents } = (await call(world, 'GET', '/api/v1/knowledge')).body;
  expect(documents.map(({ id }: any) => id)).toEqual([document.id]);
  expect((await call(world, 'GET', '/api/v1/credits/balance')).body).toEqual(before);
});

it('documents of an agent are apart from those of none, and need an agent of the caller’s own', async () => {
  const world = await startWorld();
  const characterId = await newAgent(world);
  const forAgent = await add(world, 'for the agent', { characterId });
  const plain = await add(world, 'for nobody');
  expect(forAgent.metadata.characterId).toBe(characterId);
  expect(plain.metadata).not.toHaveProperty('characterId');
  const ids = async (query: string) =>
    (await call(world, 'GET', `${base}${query}`)).body.documents.map(({ id }: any) => id);
  expect(await ids('')).toEqual([plain.id]);
  expect(await ids(`?characterId=${characterId}`)).toEqual([forAgent.id]);
  const found = await call(world, 'POST', `${base}/query`, { query: 'for the', characterId });
  expect(found.body.results.map(({ id }: any) => id)).toEqual([forAgent.id]);
  const unknown = '7b6d1c3e-0f0a-4a55-9a9b-2f6f3c8f5d10';
  for (const [method, path, body] of [
    ['GET', `${base}?characterId=${unknown}`, undefined],
    ['GET', `${base}/check?characterId=${unknown}`, undefined],
    ['POST', base, { content: 'x', characterId: unknown }],
    ['POST', `${base}/query`, { query: 'x', characterId: unknown }],
    ['POST', `${base}/submit`, { characterId: unknown, files: [{ blobUrl: 'x', filename: 'x' }] }],
  ] as const) {
    const refused = await call(world, method, path, body);
    expect([path, refused.status, refused.body.error.message]).toEqual([path, 404, 'Character not found']);
  }
  const stranger = world.controls.organizations.create({});
  const theirs = { authorization: `Bearer ${stranger.apiKey}` };
  expect((await call(world, 'GET', `${base}/${plain.id}`, undefined, theirs)).status).toBe(404);
  expect((await call(world, 'GET', base, undefined, theirs)).body.total).toBe(0);
});

describe('a query', () => {
  it('scores a text that has the whole of it 1, others by the share of its words, and leaves the rest out', async () => {
    const world = await startWorld();
    const texts = ['The GREEN lighthouse.', 'a lighthousekeeper', 'green paint on a light house', 'nothing of it'];
    const documents = [];
    for (const content of texts) documents.push(await add(world, content));
    const { body } = await call(world, 'POST', `${base}/query`, { query: 'green Lighthouse' });
    const halves = [documents[1].id, documents[2].id].sort();
    expect(body.results.map(({ id, similarity }: any) => [id, similarity])).toEqual([
      [documents[0].id, 1],
      [halves[0], 0.5],
      [halves[1], 0.5],
    ]);
    expect(body.total).toBe(3);
    expect(body.results[0]).toMatchObject({ content: texts[0], metadata: { filename: 'document.txt' } });
    expect((await call(world, 'POST', `${base}/query`, { query: 'light house', limit: 1 })).body.total).toBe(1);
  });

  it.each([
    ['a b c', 'nothing', 0],
    ['a b', 'x a b x', 1],
    ['one two three one', 'two', 1 / 3],
    ['on', 'none', 1],
    ['one x two', 'only one here', 1 / 2],
  ])('"%s" in "%s" scores %f', (query, text, similarity) => {
    expect(scorer(query)(text)).toBeCloseTo(similarity, 10);
  });

  itFull('goes through long texts for as many words as it may have', async () => {
    const world = await startWorld();
    const content = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa '.repeat(6_000);
    await add(world, content);
    const query = Array.from({ length: 900 }, (_, n) => `aaaaaaa${n}`)
      .join(' ')
      .slice(0, 10_000);
    const result = await call(world, 'POST', `${base}/query`, { query });
    expect([result.status, result.body.total]).toEqual([200, 0]);
    const tooLong = await call(world, 'POST', `${base}/query`, { query: 'a'.repeat(10_001) });
    expect([tooLong.status, tooLong.body.error.details[0].path]).toEqual([400, 'query']);
  });
});

it('files are uploaded as documents', async () => {
  const world = await startWorld();
  const form = formOf({
    files: [Buffer.from('<p>Hello &amp; goodbye</p>'), 'a.html'],
    file1: [Buffer.from('B'), 'b.txt'],
  });
  const { status, body } = await call(world, 'POST', `${base}/upload-file`, form);
  expect([status, body.message, body.successCount, body.failedCount]).toEqual([
    200,
    'Successfully uploaded 2 file(s)',
    2,
    0,
  ]);
  expect(body.documents.map((one: any) => [one.metadata.filename, one.content.text.trim()])).toEqual([
    ['a.html', 'Hello & goodbye'],
    ['b.txt', 'B'],
  ]);
  const half = Buffer.alloc(3 * 1_024 * 1_024, 'a ');
  const both = formOf({ files: [half, 'a.txt'], file1: [half, 'b.txt'] });
  expect((await call(world, 'POST', `${base}/upload-file`, both)).status).toBe(413);
  expect((await call(world, 'POST', `${base}/upload-file`, formOf({}))).status).toBe(400);
});

describe('a file that is uploaded in advance', () => {
  const upload = async (world: World, text = 'Waiting text', headers = {}) =>
    (await call(world, 'POST', `${base}/pre-upload`, formOf({ files: [Buffer.from(text), 'w.txt'] }), headers)).body;

  it('becomes a document when it is submitted, once', async () => {
    const world = await startWorld();
    const characterId = await newAgent(world);
    const { files, successCount } = await upload(world);
    expect([successCount, files[0]]).toEqual([
      1,
      {
        ...{ id: expect.any(String), filename: 'w.txt', contentType: 'text/plain', size: 12 },
        ...{
          blobUrl: expect.stringContaining('/documents-pre-upload/'),
          uploadedAt: Date.parse('2026-01-01T00:00:00Z'),
        },
      },
    ]);
    expect((await call(world, 'GET', base)).body.total).toBe(0);
    const { blobUrl } = files[0];
    const file = { blobUrl, filename: 'renamed.md', contentType: 'text/markdown', size: 12 };
    const submitted = await call(world, 'POST', `${base}/submit`, {
      characterId,
      files: [file, file, { blobUrl: 'https://elsewhere.example/x', filename: 'x' }],
    });
    expect(submitted.status).toBe(200);
    expect(submitted.body).toMatchObject({
      success: false,
      successCount: 1,
      failedCount: 2,
      results: [
        {
          blobUrl,
          status: 'success',
          document: { content: { text: 'Waiting text' }, metadata: { filename: 'renamed.md', characterId } },
        },
        { blobUrl, status: 'error', error: 'File not found' },
        { blobUrl: 'https://elsewhere.example/x', status: 'error', error: 'Invalid blobUrl' },
      ],
    });
    const again = await call(world, 'POST', `${base}/submit`, { characterId, files: [file] });
    expect(again.body).toMatchObject({ success: false, results: [{ error: 'File not found' }] });
    expect((await call(world, 'GET', `${base}?characterId=${characterId}`)).body.total).toBe(1);
  });

  it('can be deleted by whoever uploaded it', async () => {
    const world = await startWorld();
    const [{ blobUrl }] = (await upload(world)).files;
    const stranger = { authorization: `Bearer ${world.controls.organizations.create({}).apiKey}` };
    expect((await call(world, 'DELETE', `${base}/pre-upload`, { blobUrl }, stranger)).status).toBe(403);
    expect((await call(world, 'DELETE', `${base}/pre-upload`, { blobUrl })).body).toEqual({ success: true });
    expect((await call(world, 'DELETE', `${base}/pre-upload`, { blobUrl })).body).toEqual({ success: true });
    const bad = await call(world, 'DELETE', `${base}/pre-upload`, { blobUrl: 'nothing' });
    expect([bad.status, bad.body.error.details[0].path]).toEqual([400, 'blobUrl']);
    const characterId = await newAgent(world);
    const files = [{ blobUrl, filename: 'w.txt' }];
    expect((await call(world, 'POST', `${base}/submit`, { characterId, files })).body.failedCount).toBe(1);
  });

  itFull('waits with at most 99 others of its organization', async () => {
    const world = await startWorld();
    for (let round = 0; round < 10; round++) {
      const files = Array.from({ length: 10 }, (_, n) => [`file${n}`, [Buffer.from('w'), `${n}.txt`]] as const);
      const form = formOf({ files: [Buffer.from('w'), '0.txt'], ...Object.fromEntries(files.slice(1)) } as never);
      expect((await call(world, 'POST', `${base}/pre-upload`, form)).body.successCount).toBe(10);
    }
    const refused = await upload(world);
    expect(refused.error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: 'files' }] });
  });
});
