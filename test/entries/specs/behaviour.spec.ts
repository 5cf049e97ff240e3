// Tests that end in every way a test can end, for test/entries/vitest.full.ts to look at from outside.

import { appendFileSync } from 'node:fs';
import { createTest, expect, test, type WorldContext } from 'cloudemu/vitest';
import { beforeEach } from 'vitest';

const { WORLDS = 'worlds.jsonl' } = process.env;
function note(name: string, world: WorldContext['world'], facts: object = {}): void {
  const { id, url, apiKey, seed } = world;
  appendFileSync(WORLDS, `${JSON.stringify({ name, id, url, apiKey, seed, ...facts })}\n`);
}
const auth = ({ apiKey }: WorldContext['world']): RequestInit => ({ headers: { authorization: `Bearer ${apiKey}` } });

beforeEach<WorldContext>(({ world }) => {
  expect(world.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/w\/[a-z0-9-]+$/);
});

test('passes', async ({ world }) => {
  const answer = await world.fetch('/api/v1/user', auth(world));
  note('passes', world, { user: (await answer.json()).data.id });
});

test('fails after a bad request', async ({ world }) => {
  note('fails', world);
  await world.controls.faults.add({ match: { operation: 'containers.create' }, effect: { status: 503 } });
  await world.fetch('/api/v1/containers?pge=2', auth(world));
  const stream = await world.fetch('/api/v1/app/agents/none', auth(world));
  expect(stream.status).toBe(200);
});

test('takes too long', { timeout: 2_000 }, async ({ world }) => {
  note('takes too long', world);
  await world.fetch('/api/v1/containers', auth(world));
  await new Promise(() => {});
});

test.fails('is expected to fail', async ({ world }) => {
  note('is expected to fail', world);
  await world.fetch('/api/v1/containers?pge=2', auth(world));
  throw new Error('as expected');
});

test('succeeds at the second try', { retry: 1 }, async ({ world, task }) => {
  note(`try ${task.result?.retryCount ?? 0}`, world, { containers: (await world.controls.containers.list()).length });
  await world.fetch('/api/v1/containers', {
    ...auth(world),
    method: 'POST',
    body: JSON.stringify({ name: 'a', project_name: 'a', ecr_image_uri: 'r/a:v1' }),
  });
  expect(task.result?.retryCount).toBe(1);
});

test.concurrent.for(['a', 'b', 'c'])('runs beside others %s', async (name, { world, expect }) => {
  const agents = await world.fetch('/api/v1/app/agents', {
    ...auth(world),
    method: 'POST',
    body: JSON.stringify({ name }),
  });
  expect(agents.status).toBe(201);
  const { requests, total } = await world.controls.requests.list();
  expect([total, requests[0]?.requestBody]).toEqual([1, JSON.stringify({ name })]);
  note('concurrent', world);
});

for (const number of [1, 2])
  test.concurrent('has a name twice', async ({ world }) => {
    const answer = await world.fetch('/api/v1/user', auth(world));
    note('twice', world, { number, status: answer.status });
  });

createTest({ failOn: 'fail' })('passes, but its client does not', async ({ world }) => {
  note('verdict', world);
  await world.fetch('/api/v1/containers?pge=2', auth(world));
});

createTest({ failOn: 'fail' })('closes its stream at the last moment', async ({ world }) => {
  const { apiKey } = world;
  const made = await world.fetch('/api/v1/containers', {
    ...auth(world),
    method: 'POST',
    body: JSON.stringify({ name: 'a', project_name: 'a', ecr_image_uri: 'r/a:v1' }),
  });
  const { data } = await made.json();
  const giveUp = new AbortController();
  await world.fetch(`/api/v1/containers/${data.id}/logs/stream`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: giveUp.signal,
  });
  giveUp.abort();
  note('stream', world);
});

createTest({
  seed: 42,
  clock: { start: '2030-01-01T00:00:00Z', frozen: true },
  settings: { containers: { timing: 'instant' } },
})('begins as it is told to', async ({ world }) => {
  await world.fetch('/api/v1/containers', {
    ...auth(world),
    method: 'POST',
    body: JSON.stringify({ name: 'a', project_name: 'a', ecr_image_uri: 'r/a:v1' }),
  });
  const [container] = await world.controls.containers.list();
  note('options', world, { status: container?.status, ...(await world.controls.clock.get()) });
});

test.extend<{ project: string }>({ project: async ({ world }, use) => use(`of-${world.id}`) })(
  'can be extended',
  ({ project, world }) => expect(project).toBe(`of-${world.id}`),
);
