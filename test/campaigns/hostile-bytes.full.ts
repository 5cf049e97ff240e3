// Bytes that are no requests, and what a connection answers after a body that nobody wanted: nothing may break.

import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Shot } from './support/hostile.js';
import { rawConversations, sendRaw } from './support/hostile-raw.js';
import { complaint, damage, startVictim, type Victim } from './support/hostile-run.js';

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim();
});
afterAll(() => victim.close());

describe('bytes on a socket', () => {
  it.each(rawConversations('').map(([name], index) => [name, index] as const))('%s', async (_, index) => {
    const [, pieces, silent] = rawConversations(victim.emulator.apiKey)[index] ?? ['', [], true];
    const text = await sendRaw(victim.emulator.port, pieces, silent);
    expect(text).not.toMatch(/HTTP\/1\.1 5\d\d/);
    if (!silent) expect(text).toMatch(/^HTTP\/1\.1 [24]\d\d /);
    expect(await damage(victim)).toEqual([]);
  });
});

const plain = { subject: 'mine', query: '', headers: {}, body: undefined } as const;

it.each<[string, Partial<Shot>]>([
  ['a body that is no gzip', { headers: { 'content-encoding': 'gzip' }, body: 'x'.repeat(300_000) }],
  ['a body of an unknown encoding', { headers: { 'content-encoding': 'zip' }, body: 'x'.repeat(300_000) }],
  ['a body that nobody may send', { headers: { authorization: 'none' }, body: 'x'.repeat(300_000) }],
  ['HEAD of a stream', { method: 'HEAD', path: '/api/v1/containers/{id}/logs/stream' }],
])('a connection answers its next request after %s', async (_, shot) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const one = { ...victim, agent };
  const made: any = await (
    await fetch(`${victim.emulator.url}/api/v1/containers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${victim.emulator.apiKey}` },
      body: JSON.stringify({ name: 'next', project_name: 'next', ecr_image_uri: 'localhost/web:v1' }),
    })
  ).json();
  const subjects = { mine: made.data?.id ?? 'none', others: 'none' };
  const first = { method: 'POST', path: '/api/v1/containers', ...plain, ...shot };
  expect(await complaint(one, first, subjects)).toBeUndefined();
  expect(await complaint(one, { method: 'GET', path: '/api/v1/api-keys', ...plain }, subjects)).toBeUndefined();
  agent.destroy();
});
