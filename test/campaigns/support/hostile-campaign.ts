// Hostile requests against every operation of the platform and the control plane, in emulators of several kinds.

import { afterAll, describe, it } from 'vitest';
import { testSeed } from '../../support/seed.js';
import { everySurface, settingsOf } from '../../support/surface.js';
import type { Target } from './hostile.js';
import { shootAt, startVictim } from './hostile-run.js';

/** An emulator that has borne so much is replaced: lists that only grow would take the time. */
const perVictim = 250;

/** The targets, in turn: strict inputs, containers that run at once, a world among several, the public server's flavour. */
const usual: Parameters<typeof startVictim> = [{}];
const victims: Parameters<typeof startVictim>[] = [
  usual,
  [{ strict: { responses: true, inputs: true }, containers: { urlStyle: 'path', timing: 'instant' } }],
  [{}, true],
  [{ profile: 'elizacloud-v1' }],
];

/** Declares the tests: as many requests for each operation as `perTarget` says. */
export function campaign(perTarget: (group: readonly Target[]) => number): void {
  const groups = new Map<string, Target[]>();
  for (const target of everySurface) {
    const name = target.id.split('.')[0] ?? '';
    groups.set(name, [...(groups.get(name) ?? []), target]);
  }
  const sent = new Map<string, number>();
  const slow = new Map<string, number>();
  let turn = 0;

  afterAll(() => {
    const all = [...sent.values()].reduce((sum, count) => sum + count, 0);
    const list = [...sent].map(([id, count]) => `${id} ${count}`).join(', ');
    const late = [...slow].map(([id, ms]) => `${id} ${ms} ms`).join(', ');
    console.log(`hostile: ${all} requests, TEST_SEED=${testSeed}\n${list}\nasked again alone: ${late || 'none'}`);
  });

  describe.each([...groups])(`%s bears hostile requests (TEST_SEED=${testSeed})`, (_, targets) => {
    const requests = perTarget(targets);
    it.each(targets.map((target) => [target.id, target.method, target] as const))('%s (%s)', async (id, _m, target) => {
      // The path of a world is none within another one.
      const kinds = target.path.startsWith('/w/') ? victims.filter(([, inWorld]) => inWorld !== true) : victims;
      for (let done = 0; done < requests; done += perVictim) {
        const [settings, inWorld] = kinds[turn++ % kinds.length] ?? usual;
        const victim = await startVictim({ ...settings, ...settingsOf(target) }, inWorld);
        try {
          await shootAt({ victim, target, requests: Math.min(perVictim, requests - done), seed: testSeed + done });
        } finally {
          sent.set(id, (sent.get(id) ?? 0) + victim.sent);
          for (const [name, ms] of victim.slow) slow.set(name, Math.max(ms, slow.get(name) ?? 0));
          await victim.close();
        }
      }
    });
  });
}
