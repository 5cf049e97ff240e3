// Ten thousand hostile requests per group of endpoints.
//
//   CLOUDEMU_TEST_FULL=1 npx vitest run --config test/vitest.config.ts test/contract/hostile.full.ts
//
// TEST_SEED replays a run; a failure prints it, with the request that hurts.

import { afterAll, describe, it } from 'vitest';
import { controlEndpoints } from '../../src/controls/endpoints.js';
import type { Target } from '../support/hostile.js';
import { shootAt, startVictim } from '../support/hostile-run.js';
import { testSeed } from '../support/seed.js';
import { surface } from '../support/surface.js';

const perGroup = 10_000;
/** A world that has borne so much is replaced: lists that only grow would take the time. */
const perVictim = 250;
/** Every second world refuses unknown names, and its containers run at once. */
const worlds = [{}, { strict: { responses: true, inputs: true }, containers: { urlStyle: 'path', timing: 'instant' } }];

const groups = new Map<string, Target[]>();
for (const target of [...surface, ...controlEndpoints] as Target[]) {
  const name = target.id.split('.')[0] ?? '';
  groups.set(name, [...(groups.get(name) ?? []), target]);
}

let sent = 0;
afterAll(() => console.log(`hostile: ${sent} requests, TEST_SEED=${testSeed}`));

describe.each([...groups])(`%s bears hostile requests (TEST_SEED=${testSeed})`, (_, targets) => {
  const perTarget = Math.ceil(perGroup / targets.length);
  it.each(targets.map((target) => [target.id, target.method, target] as const))('%s (%s)', async (_id, _m, target) => {
    for (let done = 0; done < perTarget; done += perVictim) {
      const victim = await startVictim(worlds[(done / perVictim) % 2]);
      try {
        await shootAt({ victim, target, requests: Math.min(perVictim, perTarget - done), seed: testSeed + done });
      } finally {
        sent += victim.sent;
        await victim.close();
      }
    }
  });
});
