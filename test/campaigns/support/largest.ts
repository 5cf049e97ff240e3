// A world that holds the largest things that clients may store, and requests that refer to them again and again.

import { formOf } from '../../support/voice.js';
import type { Asked } from './hostile-run.js';
import type { Multiplied } from './multiplied.js';

const largeText = 480_000;
const responses = 50;
const agents = 300;
const containers = 150;
const documents = 5;

async function post(asked: Asked, path: string, body: object | FormData): Promise<any> {
  const response = await fetch(asked.emulator.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${asked.emulator.apiKey}` },
    body: body instanceof FormData ? body : JSON.stringify(body),
  });
  return response.json();
}

const answer = (asked: Asked, previous?: string): Promise<{ id: string }> =>
  post(asked, '/api/v1/responses', {
    model: 'gpt-4o',
    input: 'x'.repeat(largeText),
    ...(previous === undefined ? {} : { previous_response_id: previous }),
  });

/** Fills the default world. */
export async function fillWithLargest(asked: Asked): Promise<void> {
  const { controls, organizationId } = asked.emulator;
  await controls.organizations.credits(organizationId, { set: 1_000_000 });
  for (let i = 0; i < agents; i++)
    await post(asked, '/api/v1/app/agents', { name: `Large ${i}`, bio: 'lorem ipsum '.repeat(830), isPublic: true });
  for (let i = 0; i < containers; i++)
    await post(asked, '/api/v1/containers', {
      name: `Large ${i}`,
      project_name: `large-${i}`,
      ecr_image_uri: 'registry.local/large:v1',
      environment_vars:
        i % 10 === 0 ? Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`V${n}`, 'v'.repeat(32_768)])) : {},
    });
  for (let i = 0; i < documents; i++) {
    const text = Array.from({ length: 100_000 }, (_, n) => (n * 7 + i).toString(36)).join(' ');
    await post(asked, '/api/v1/knowledge/upload-file', formOf({ files: [Buffer.from(text), `large-${i}.txt`] }));
  }
}

/** Requests that refer to stored responses, in width and in depth. */
export async function referringBodies(asked: Asked): Promise<Multiplied[]> {
  const first = await answer(asked);
  let last = first;
  for (let i = 1; i < responses; i++) {
    const next = await answer(asked, last.id);
    if (next.id === undefined) break;
    last = next;
  }
  const references = (count: number) => Array.from({ length: count }, () => ({ type: 'item_reference', id: first.id }));
  const body = (content: object): string => JSON.stringify({ model: 'gpt-4o', ...content });
  return [
    { name: 'a chain of responses', body: body({ input: 'x', previous_response_id: last.id }) },
    { name: '100 references', body: body({ input: references(100) }) },
    { name: '12,000 references', body: body({ input: references(12_000) }) },
    { name: 'references and a chain', body: body({ input: references(5_000), previous_response_id: last.id }) },
  ];
}
