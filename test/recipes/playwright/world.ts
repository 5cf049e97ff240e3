// A world for each test: `request` and `page` go there, and what the client did is attached to a test that fails.

import { test as base } from '@playwright/test';
import { connect, type RemoteWorld } from 'cloudemu/client';

export const test = base.extend<{ world: RemoteWorld }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern what is needed.
  world: async ({}, use, testInfo) => {
    const { project, titlePath, repeatEachIndex } = testInfo;
    const number = repeatEachIndex === 0 ? '' : ` (${repeatEachIndex + 1})`;
    // Its ids follow from the label, so that a failure comes again.
    const label = [project.name, ...titlePath].filter((part) => part !== '').join(' > ') + number;
    // A port of its own, so that paths such as /api/v1/containers lead into this world.
    const world = await connect().createWorld({ label, port: 0 });
    await use(world);
    const hasFailed = testInfo.status !== testInfo.expectedStatus;
    const { ok, text } = await world.finish({ failed: hasFailed }); // a world in which something went wrong is kept
    if (hasFailed) await testInfo.attach('cloudemu', { body: text, contentType: 'text/plain' });
    else if (!ok) throw new Error(text);
  },
  baseURL: async ({ world }, use) => use(`http://127.0.0.1:${world.port}`),
  extraHTTPHeaders: async ({ world }, use) => use({ authorization: `Bearer ${world.apiKey}` }),
});

export { expect } from '@playwright/test';
