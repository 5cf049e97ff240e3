// The operation that shows whether the emulator is ready. Scripts wait for it, often as the first request of all, so that it
// is answered without the other control operations (src/app/emulator.ts).

import * as z from 'zod';
import { operation } from '../../control/operation.js';
import { clockView } from '../../http/wire.js';
import { emulatorFacts } from '../../world/given.js';
import { hosting } from './hosting.js';

export const health = z.lazy(() =>
  z.object({
    status: z.literal('ready'),
    version: z.string(),
    instance: z.string().describe('Another one with each start: it tells emulators on one port apart'),
    identity: z
      .object({
        root: z.string().describe('Real path of the root directory to which the emulator belongs'),
        name: z.string().describe('Its name, as the header X-Emulator of every response begins with it'),
        shared: z.boolean().describe('Whether it serves many directories'),
      })
      .describe('To whom the emulator belongs'),
    uptimeMs: z.number(),
    worlds: z.int(),
    clock: clockView.omit({ skewMs: true }),
    settings: z
      .object({
        file: z.string().nullable().describe('The settings file; null: none'),
        environment: z.array(z.string()).describe('Names of the environment variables that set something'),
        profile: z.string(),
      })
      .describe('What the settings were read from'),
  }),
);

/** Its shape is an API: scripts wait on it. */
export type Health = z.output<typeof health>;

export const healthOperations = {
  /** Whether the emulator is ready. */
  health: operation({
    id: 'control.health',
    ofTeams: true,
    route: 'GET /health',
    summary: 'Show whether the emulator is ready',
    output: health,
    run: ({ world, team }): Health => {
      const { version, instance, identity, uptimeMs, settings } = emulatorFacts.of(world);
      const { now, speed, frozen } = world.clock.view();
      return {
        status: 'ready',
        version,
        instance,
        identity,
        uptimeMs: Math.round(uptimeMs()),
        worlds: hosting.of(world).worlds().count(team?.prefix),
        clock: { now, speed, frozen },
        settings: settings(),
      };
    },
  }),
};
