// Embeddings as openai's client reads them, which asks for base64, and how vectors are alike.

import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../src/index.js';
import { call, startWorld } from '../support/emulator.js';

const small = 'text-embedding-3-small';
const path = '/api/v1/embeddings';

function openai({ url, apiKey }: EmulatorWorld): OpenAI {
  return new OpenAI({ baseURL: `${url}/api/v1`, apiKey, maxRetries: 0 });
}

const lengthOf = (vector: number[]): number => Math.hypot(...vector);
const product = (one: number[], other: number[]): number => one.reduce((sum, x, i) => sum + x * (other[i] ?? 0), 0);
const cosineSimilarity = (one: number[], other: number[]): number =>
  product(one, other) / (lengthOf(one) * lengthOf(other));

describe('openai', () => {
  it('reads the same unit vectors in both encodings', async () => {
    const world = await startWorld();
    const input = ['deploy a container', 'Käfer 😀 日本'];
    const packed = await openai(world).embeddings.create({ model: small, input });
    const plain = await openai(world).embeddings.create({ model: small, input, encoding_format: 'float' });
    expect(packed.data.map(({ embedding }) => embedding)).toEqual(plain.data.map(({ embedding }) => embedding));
    expect(packed.data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
      [0, 1536],
      [1, 1536],
    ]);
    for (const { embedding } of plain.data) expect(lengthOf(embedding)).toBeCloseTo(1, 5);
    expect(packed.usage).toEqual({ prompt_tokens: expect.any(Number), total_tokens: packed.usage.prompt_tokens });
  });

  it('gets as many dimensions as it asks for: the beginning of the whole vector', async () => {
    const world = await startWorld();
    const ask = async (dimensions?: number) =>
      (
        await openai(world).embeddings.create({
          model: 'text-embedding-3-large',
          input: 'x',
          ...(dimensions && { dimensions }),
        })
      ).data[0]?.embedding ?? [];
    const [whole, part, one] = [await ask(), await ask(256), await ask(1)];
    expect([whole.length, part.length, one.length]).toEqual([3072, 256, 1]);
    expect(lengthOf(part)).toBeCloseTo(1, 5);
    expect(cosineSimilarity(part, whole.slice(0, 256))).toBeCloseTo(1, 5);
    expect(Math.abs(one[0] ?? 0)).toBe(1);
  });

  it('sends tokens of one text, and of several', async () => {
    const world = await startWorld();
    const create = (input: number[] | number[][]) => openai(world).embeddings.create({ model: small, input });
    const [one, two] = [await create([1, 2, 3]), await create([[1, 2, 3], [4]])];
    expect([one.data.length, one.usage.prompt_tokens]).toEqual([1, 3]);
    expect([two.data.length, two.usage.prompt_tokens]).toEqual([2, 4]);
    expect(two.data[0]?.embedding).toEqual(one.data[0]?.embedding);
    expect(two.data[1]?.embedding).not.toEqual(one.data[0]?.embedding);
  });

  it('reads code, message, type and field of an error', async () => {
    const world = await startWorld();
    const error = await openai(world)
      .embeddings.create({ model: small, input: [] })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', type: 'invalid_request_error', param: 'input' });
    expect(error.message).toContain('input must not be empty');
  });
});

describe('vectors', () => {
  const vectors = async (world: EmulatorWorld, input: string[]): Promise<number[][]> =>
    (await call(world, 'POST', path, { input })).body.data.map((entry: any) => entry.embedding);

  it('are close for similar texts', async () => {
    const texts = [
      'How do I deploy a container?',
      'deploying containers',
      'The weather in Paris is sunny',
      'how do I deploy a container',
    ];
    const [a, like, unlike, same] = (await vectors(await startWorld(), texts)) as [
      number[],
      number[],
      number[],
      number[],
    ];
    expect(cosineSimilarity(a, same)).toBeGreaterThan(0.95);
    expect(cosineSimilarity(a, like)).toBeGreaterThan(0.2);
    expect(cosineSimilarity(a, like)).toBeGreaterThan(cosineSimilarity(a, unlike) + 0.15);
    expect(cosineSimilarity(a, a)).toBeCloseTo(1, 5);
  });

  it('are the same bytes whatever the seed', async () => {
    const [one, other] = [await startWorld(), await startWorld({ seed: 'another' })];
    const text = async (world: EmulatorWorld) =>
      (await call(world, 'POST', path, { input: ['a', '日本 😀', '!!!'] })).text;
    expect(await text(one)).toBe(await text(other));
  });
});

it('an embedding is charged by its tokens once, with an entry in the ledger', async () => {
  const world = await startWorld();
  const { usage } = (await call(world, 'POST', path, { model: small, input: 'word '.repeat(1_000) })).body;
  const [last] = world.controls.ledger().slice(-1);
  expect(last).toMatchObject({ operation: 'embeddings.create', reason: 'Embeddings of 1 text' });
  expect(last?.amount).toBe(-Math.ceil(usage.prompt_tokens * 0.02) / 1_000_000);
});

it.each([
  [{ input: '' }, 'input'],
  [{ input: ['a', ''] }, 'input[1]'],
  [{ input: [1.5] }, 'input[0]'],
  [{ input: ['a', 1] }, 'input[1]'],
  [{ input: 'x', encoding_format: 'base46' }, 'encoding_format'],
  [{ input: 'x', dimensions: 1537 }, 'dimensions'],
  [{ input: 'x', model: 'text-embedding-ada-002', dimensions: 512 }, 'dimensions'],
  [{ input: 'x', model: 'gpt-4o' }, 'model'],
  [{ input: Array.from({ length: 2_049 }, () => 'x') }, 'input'],
])('a request for embeddings is refused where it is wrong (%#)', async (body, field) => {
  const answer = await call(await startWorld(), 'POST', path, body);
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, field]);
});

it('a request for embeddings may have more inputs than the platform documents, with a warning', async () => {
  const answer = await call(await startWorld(), 'POST', path, { input: Array.from({ length: 101 }, () => 'x') });
  expect([answer.status, answer.body.data.length]).toEqual([200, 101]);
  expect(answer.headers.get('x-emulator-warning')).toContain('at most 100');
});

it('many embeddings let other requests run while they are computed', async () => {
  const world = await startWorld();
  const order: string[] = [];
  const many = call(world, 'POST', path, { input: Array.from({ length: 400 }, (_, i) => `text number ${i}`) });
  const first = many.then(() => order.push('many'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await call(world, 'GET', '/api/health').then(() => order.push('health'));
  await first;
  expect(order).toEqual(['health', 'many']);
});
