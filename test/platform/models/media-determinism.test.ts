// Vectors, pictures, videos, speech and knowledge: the same bytes in two runs with one seed and one frozen clock.

import { expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { startEmulator } from '../../support/emulator.js';

const requests: [path: string, body: object][] = [
  ['/api/v1/embeddings', { input: ['one', 'two'] }],
  ['/api/v1/embeddings', { input: 'one', encoding_format: 'base64', dimensions: 64 }],
  ['/api/v1/images/generations', { prompt: 'A lighthouse', n: 2, size: '320x200' }],
  ['/api/v1/generate-image', { prompt: 'A lighthouse', response_format: 'url' }],
  ['/api/v1/generate-video', { prompt: 'Waves', duration: 2 }],
  ['/api/v1/audio/speech', { input: 'Hello' }],
  ['/api/v1/knowledge', { content: 'Whales sing.', filename: 'sea.txt' }],
  ['/api/v1/knowledge/query', { query: 'who sings' }],
];

async function run(emulator: Emulator): Promise<string[]> {
  const answers: string[] = [];
  for (const [path, body] of requests) {
    const headers = { authorization: `Bearer ${emulator.apiKey}` };
    const answer = await emulator.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status, path).toBeLessThan(300);
    const content = Buffer.from(await answer.arrayBuffer()).toString('base64');
    answers.push(`${answer.headers.get('x-request-id')} ${content}`);
    const [link] =
      Buffer.from(content, 'base64')
        .toString()
        .match(/\/api\/v1\/generated\/[\w.-]+/) ?? [];
    if (link !== undefined)
      answers.push(Buffer.from(await (await emulator.fetch(link)).arrayBuffer()).toString('base64'));
  }
  return answers;
}

it('models answer the same bytes in two runs, and others for another seed', async () => {
  const publicUrl = 'http://cloud.test';
  const [one, two, other] = await Promise.all(
    ['a', 'a', 'b'].map(async (seed) => run(await startEmulator({ seed, server: { publicUrl } }))),
  );
  expect(one).toEqual(two);
  expect(one?.length).toBe(requests.length + 3);
  expect(one?.filter((answer, i) => answer === other?.[i])).toEqual([]);
});
