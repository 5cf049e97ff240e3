// A Vitest recipe: every test has a world of its own, and what its client did is judged.

import { createTest, describe, expect, test } from 'cloudemu/vitest';
import { createCloud } from './cloud.js';

test('deploys a container that runs', async ({ world }) => {
  const cloud = createCloud({ baseUrl: world.url, apiKey: world.apiKey });
  const id = await cloud.deploy('shop');
  await world.controls.clock.advance('10m');
  expect(await cloud.status(id)).toBe('running');
});

test.concurrent.for(['exec-format', 'image-not-found', 'crash-loop'])('tells of %s', async (mode, { world }) => {
  const cloud = createCloud({ baseUrl: world.url, apiKey: world.apiKey });
  const id = await cloud.deploy('shop', `fail-${mode}`);
  const { status } = await world.controls.await({ container: id, status: ['failed', 'running'], advance: true });
  expect(status).toBe('failed');
});

describe('when the answer to a create is lost', () => {
  const test = createTest({
    scenario: {
      clock: { start: '2030-01-01T00:00:00Z', frozen: true },
      faults: [
        {
          match: { operation: 'containers.create' },
          when: { times: 1 },
          phase: 'after',
          effect: { network: 'reset' },
        },
      ],
      expect: { requests: [{ operation: 'containers.create', count: 1 }] },
    },
    settings: { containers: { timing: 'instant' } },
    failOn: 'fail',
  });

  test('looks before it creates again', async ({ world }) => {
    const cloud = createCloud({ baseUrl: world.url, apiKey: world.apiKey });
    const id = await cloud.deploy('shop');
    expect(await cloud.status(id)).toBe('running');
    expect(await world.controls.containers.list()).toHaveLength(1);
  });
});
