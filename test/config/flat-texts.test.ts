// The texts of refusals that clients of the platform compare with, in the flat style.

import { expect, it } from 'vitest';
import { itFull } from '../support/campaign.js';
import { call, startWorld } from '../support/emulator.js';

const agents = '/api/v1/eliza/agents';
const form = (...sizes: number[]): FormData => {
  const data = new FormData();
  for (const [index, size] of sizes.entries()) data.append('files', new Blob(['a'.repeat(size)]), `${index}.txt`);
  return data;
};

it('refusals have the texts of the platform', async () => {
  const world = await startWorld({ profile: 'elizacloud-v1' });
  const { id } = (await call(world, 'POST', agents, { agentName: 'Support' })).body.data;
  const { conversation } = (await call(world, 'POST', `${agents}/${id}/api/conversations`, {})).body;
  const messages = `${agents}/${id}/api/conversations/${conversation.id}/messages`;
  const tries: [path: string, body: unknown, error: string, method?: string][] = [
    ['/api/auth/pair', {}, 'Pairing code (and agent identity) required'],
    ['/api/auth/pair', { token: '' }, 'Pairing code (and agent identity) required'],
    [`${agents}/${id}`, { expectedAgentName: 7 }, 'Invalid conditional delete request', 'DELETE'],
    [`${agents}/${id}`, '{', 'Invalid conditional delete request', 'DELETE'],
    [messages, {}, 'text is required'],
    [messages, { text: '' }, 'text is required'],
    [`${messages}/stream`, {}, 'text is required'],
    ['/api/v1/documents', {}, 'content is required'],
    ['/api/v1/documents', { content: ' ' }, 'content is required'],
    ['/api/v1/documents', '{', 'Request body must be JSON'],
    ['/api/v1/documents/upload-file', form(), 'No files provided'],
    ['/api/v1/documents/pre-upload', form(), 'No files provided'],
    [
      '/api/v1/billing/settings',
      { autoTopUp: { enabled: true, amount: 5, threshold: 1 } },
      'Cannot enable auto-top-up without a payment method',
      'PUT',
    ],
  ];
  for (const [path, body, error, method = 'POST'] of tries) {
    const answer = await call(world, method, path, body, { origin: 'http://localhost' });
    expect([path, body, answer.status, answer.body.error]).toEqual([path, body, 400, error]);
    expect(answer.body.code).toBe('validation_error');
  }
});

itFull('files of more than 5 MB together are too large', async () => {
  const world = await startWorld({ profile: 'elizacloud-v1' });
  for (const path of ['upload-file', 'pre-upload'])
    expect((await call(world, 'POST', `/api/v1/documents/${path}`, form(3_000_000, 3_000_000))).status).toBe(413);
  expect((await call(world, 'POST', '/api/v1/documents/upload-file', form(2_400_000, 2_400_000))).status).toBe(200);
});
