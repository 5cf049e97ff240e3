// Knowledge: documents go in, are listed and forgotten, and what is in them is found.

import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { zipOf } from '../../support/archives.js';
import { itFull } from '../../support/campaign.js';
import { type Answer, call, startWorld } from '../../support/emulator.js';
import { formOf } from '../../support/voice.js';

const base = '/api/v1/knowledge';

const texts = {
  'deploy.md': 'To deploy a container, push its image to the registry, create the container and poll until it runs.',
  'billing.md': 'Containers are billed by the day at midnight. Unpaid days are granted a grace of 48 hours.',
  'voice.md': 'Cloning a voice takes a few minutes. Text to speech answers an MP3 file.',
  'cats.txt': 'Cats sleep for most of the day, and hunt mice at dawn.',
};

async function upload(world: EmulatorWorld, fields: object = {}): Promise<string> {
  const answer = await call(world, 'POST', base, { content: 'x', ...fields });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.document.id;
}

async function library(): Promise<EmulatorWorld> {
  const world = await startWorld();
  for (const [filename, content] of Object.entries(texts)) await upload(world, { filename, content });
  return world;
}

const ask = (world: EmulatorWorld, query: string, more: object = {}): Promise<Answer> =>
  call(world, 'POST', `${base}/query`, { query, ...more });

describe('a query', () => {
  it.each([
    ['How do I deploy a container?', 'deploy.md'],
    ['deploying containers', 'deploy.md'],
    ['What happens when I cannot pay for a day?', 'billing.md'],
    ['text-to-speech', 'voice.md'],
    ['when do cats sleep', 'cats.txt'],
    ['cat', 'cats.txt'],
  ])('for %s finds %s first', async (query, name) => {
    const { body } = await ask(await library(), query);
    expect(body.results[0].documentName).toBe(name);
    const scores = body.results.map(({ score }: any) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(body.count).toBe(4);
  });

  it('gives a fragment its own words the best of scores', async () => {
    const { results } = (await ask(await library(), texts['voice.md'], { limit: 2 })).body;
    expect(results).toHaveLength(2);
    expect(results[0]).toMatchObject({
      score: 1,
      similarity: 1,
      content: texts['voice.md'],
      metadata: { position: 0 },
    });
  });

  it('leaves out what scores less than it wants', async () => {
    const { body } = await ask(await library(), 'cats', { minScore: 0.3 });
    expect(body.results.map(({ documentName }: any) => documentName)).toEqual(['cats.txt']);
  });

  it('finds the paragraph in a long document', async () => {
    const world = await startWorld();
    const filler = (n: number): string => `Paragraph ${n} tells of nothing much, at some length. `.repeat(5);
    const paragraphs = Array.from({ length: 60 }, (_, n) => filler(n));
    paragraphs[41] = `${filler(41)}The password of the lighthouse is kept under the green stone.`;
    await upload(world, { content: paragraphs.join('\n\n'), filename: 'long.txt' });
    const [first] = (await ask(world, 'Where is the lighthouse password?')).body.results;
    expect(first.content).toContain('under the green stone');
    expect(first.content.length).toBeLessThan(900);
  });

  it('finds only what an agent knows where one is named', async () => {
    const world = await startWorld();
    await upload(world, { content: 'The secret is blue.', characterId: 'a' });
    await upload(world, { content: 'The secret is red.', characterId: 'b' });
    const results = async (more: object) => (await ask(world, 'secret', more)).body.results.length;
    expect([await results({}), await results({ characterId: 'a' }), await results({ characterId: 'c' })]).toEqual([
      2, 1, 0,
    ]);
  });

  it('finds nothing of another organization', async () => {
    const world = await library();
    const { apiKey } = world.controls.organizations.create();
    const headers = { authorization: `Bearer ${apiKey}` };
    expect((await call(world, 'POST', `${base}/query`, { query: 'cats' }, headers)).body).toMatchObject({
      results: [],
      count: 0,
    });
    expect((await call(world, 'GET', base, undefined, headers)).body.total).toBe(0);
  });

  itFull('counts in its own limit of 60 a minute, and costs nothing', async () => {
    const world = await library();
    const before = world.controls.ledger().length;
    const statuses = [];
    for (let i = 0; i < 61; i++) statuses.push((await ask(world, 'x')).status);
    expect(statuses).toEqual([...Array(60).fill(200), 429]);
    expect(world.controls.ledger()).toHaveLength(before);
  });
});

describe('a document', () => {
  it('has metadata of at most 4,000 characters, since every result repeats them', async () => {
    const world = await startWorld();
    const metadata = (length: number) => ({ a: 'x'.repeat(length - '{"a":""}'.length) });
    await upload(world, { metadata: metadata(4_000) });
    const refused = await call(world, 'POST', base, { content: 'x', metadata: metadata(4_001) });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details[0]).toMatchObject({
      path: 'metadata',
      message: expect.stringContaining('at most 4000 characters'),
    });
  });

  it('is listed, shown with its text, and forgotten', async () => {
    const world = await startWorld();
    const content = `Käfer 😀\n\n${'A sentence. '.repeat(300)}`;
    const id = await upload(world, { content, filename: 'page.html', metadata: { source: 'test' } });
    const listed = (await call(world, 'GET', base)).body;
    expect(listed).toMatchObject({
      total: 1,
      count: 1,
      documents: [{ id, filename: 'page.html', type: 'text/html', metadata: { source: 'test' } }],
    });
    expect(listed.documents[0]).toMatchObject({
      size: Buffer.byteLength(content),
      uploadedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(listed.documents[0].fragmentCount).toBeGreaterThan(3);
    expect((await call(world, 'GET', `${base}/${id}`)).body.document.content).toBe(content);
    expect((await call(world, 'DELETE', `${base}/${id}`)).body.success).toBe(true);
    expect((await call(world, 'GET', `${base}/${id}`)).status).toBe(404);
    expect((await ask(world, 'sentence')).body.results).toEqual([]);
    expect(await upload(world)).not.toBe(id);
  });

  it.each([
    [{}, 'content'],
    [{ content: ' \n' }, 'content'],
    [{ content: 'a\u0000b' }, 'content'],
    [{ content: 'x'.repeat(5 * 1_024 * 1_024 + 1) }, 'content'],
    [{ content: 'x', filename: '' }, 'filename'],
    [{ content: 'x', metadata: [] }, 'metadata'],
  ])('with a mistake is refused (%#)', async (body, field) => {
    const answer = await call(await startWorld(), 'POST', base, body);
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, field]);
  });
});

describe('files', () => {
  const send = (world: EmulatorWorld, fields: Record<string, string | [Buffer, string]>): Promise<Answer> =>
    call(world, 'POST', `${base}/upload-file`, formOf(fields));

  it('are taken together, and their texts found', async () => {
    const world = await startWorld();
    const page = '<html><style>p{}</style><script>alert("no")</script><p>Whales &amp; dolphins sing.</p></html>';
    const answer = await send(world, {
      files: [Buffer.from('Owls hunt by night.'), 'owls.txt'],
      file2: [Buffer.from(page), 'sea.HTML'],
      characterId: 'keeper',
    });
    expect([answer.status, answer.body.successCount, answer.body.totalCount]).toEqual([201, 2, 2]);
    const { results } = (await ask(world, 'who sings', { characterId: 'keeper' })).body;
    expect(results[0]).toMatchObject({ documentName: 'sea.HTML', content: 'Whales & dolphins sing.' });
  });

  it('of Word are read', async () => {
    const world = await startWorld();
    const xml =
      '<w:document><w:p><w:r><w:t>Bees</w:t></w:r><w:r><w:t xml:space="preserve"> dance &amp; hum.</w:t></w:r></w:p></w:document>';
    await send(world, { files: [zipOf({ 'word/document.xml': xml }), 'bees.docx'] });
    expect((await ask(world, 'bees')).body.results[0].content).toBe('Bees dance & hum.');
  });

  it.each([
    ['a.pdf', Buffer.from('%PDF-1.7'), 'Unsupported file type'],
    ['a.exe', Buffer.from('MZ'), 'Unsupported file type'],
    ['noending', Buffer.from('x'), 'Unsupported file type'],
    ['a.txt', Buffer.alloc(0), 'is empty'],
    ['a.txt', Buffer.from('a\u0000b'), 'is not text'],
    ['a.docx', Buffer.from('PK nothing'), 'is not a complete .docx'],
    ['a.html', Buffer.from('<script>'.repeat(1_000)), 'has no text'],
  ])('%s is refused (%#), and nothing of its form is kept', async (name, content, message) => {
    const world = await startWorld();
    const answer = await send(world, { files: [Buffer.from('fine'), 'fine.txt'], file1: [content, name] });
    expect([answer.status, answer.body.error.details]).toEqual([400, [expect.objectContaining({ path: 'files[1]' })]]);
    expect(answer.body.error.details[0].message).toContain(message);
    expect((await call(world, 'GET', base)).body.total).toBe(0);
  });

  it('beyond five megabytes are 413', async () => {
    const answer = await send(await startWorld(), { files: [Buffer.alloc(5 * 1_024 * 1_024 + 1, 'x'), 'big.txt'] });
    expect([answer.status, answer.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  itFull('that would keep a careless reader busy for ever are read at once', async () => {
    const world = await startWorld();
    const started = performance.now();
    for (const bad of ['<script>', '<p', '\n ', '<!-- ', '&amp', '<<'])
      await send(world, { files: [Buffer.from(`text ${bad.repeat(400_000)}`), 'bad.html'] });
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
