// A scenario: how a world begins and what will go wrong in it, and what is expected of the client.

import * as z from 'zod';
import { worldIds } from '../../config/names.js';
import { characters } from '../../http/wire.js';
import { outcomeSchema } from '../../platform/containers/lifecycle/outcomes.js';
import { imageRequest } from '../../platform/images/add-image.js';
import { exhaustRequest, limitRequest } from '../../platform/limits/control.js';
import { isDigest } from '../../platform/registry/names.js';
import { faultRequest } from '../faults/rule.js';
import { dataSchema } from './data-schema.js';
import { commandExpectation, expectSchema } from './expect-schema.js';

const limit = z.lazy(() =>
  z.strictObject({
    ...limitRequest.unwrap().partial().shape,
    exhaust: z.strictObject(exhaustRequest.unwrap().shape).optional().describe('Limit that is used up at the start'),
  }),
);

export const scenarioImage = imageRequest.extend({
  digest: z
    .string()
    .refine(isDigest, { error: 'must be sha256: and 64 hex digits' })
    .optional()
    .describe(
      'Digest of a pushed image, if the emulator still has it; otherwise an image is generated from the other fields',
    ),
});

/** The additions of the scenario of the settings to one world, whatever that world begins with. */
const addition = z.lazy(() =>
  z.strictObject({
    containers: z.array(outcomeSchema).max(200).optional().describe('Outcomes of deployments; the first match applies'),
    faults: z.array(faultRequest).max(200).optional().describe('Fault rules'),
    expect: expectSchema.optional().describe('Expectations that must be met at the end'),
  }),
);

export const scenarioSchema = z.lazy(() =>
  z.strictObject({
    $schema: z.string().max(1_000).optional().describe('The JSON Schema of this file, for completion in an editor'),
    $facts: z
      .string()
      .max(1_000)
      .optional()
      .describe('The file beside it that says how each part is known, of a scenario that `cloudemu import` has made'),
    title: characters(1, 200).optional().describe('What happens in the scenario, in a few words'),
    description: characters(1, 2_000).optional().describe('Longer description'),
    seed: z
      .union([z.string().min(1).max(200), z.number()])
      .optional()
      .describe('Seed; by default the world keeps its own'),
    clock: z
      .strictObject({
        start: z.iso
          .datetime({ offset: true })
          .optional()
          .describe('Start of virtual time; by default that of the world'),
        frozen: z.boolean().optional().describe('Start with the clock frozen: time changes only when it is advanced'),
        waits: z
          .boolean()
          .optional()
          .describe('Start with the clock standing still until the first request of a client comes'),
        speed: z.number().gt(0).max(1_000_000).optional().describe('Speed relative to the wall clock'),
      })
      .optional()
      .describe('Virtual time'),
    settings: z.record(z.string(), z.unknown()).optional().describe('Settings that override those of the emulator'),
    data: dataSchema.optional().describe('Initial data'),
    images: z.array(scenarioImage).max(200).optional().describe('Images in the registry, generated or pushed'),
    containers: z.array(outcomeSchema).max(200).optional().describe('Outcomes of deployments; the first match applies'),
    faults: z.array(faultRequest).max(200).optional().describe('Fault rules'),
    limits: z.array(limit).max(100).optional().describe('Changes to rate limits'),
    expect: expectSchema.optional().describe('Expectations that must be met at the end'),
    command: commandExpectation.optional().describe('What `cloudemu run` expects of the command'),
    worlds: z
      .record(z.string().regex(worldIds), addition)
      .optional()
      .describe('Additions to single worlds by id, which count when the emulator starts with this scenario'),
  }),
);

/** A checked scenario. */
export type Scenario = z.output<typeof scenarioSchema>;

/**
 * A scenario as people write it.
 *
 * @example
 * const scenario: ScenarioInput = {
 *   containers: [{ match: { deployment: 1 }, mode: 'crash-loop' }],
 *   faults: [{ match: { operation: 'containers.create' }, when: { nth: 2 }, phase: 'after', effect: { network: 'reset' } }],
 *   expect: { containers: [{ project: '*', status: 'running' }] },
 * };
 */
export type ScenarioInput = z.input<typeof scenarioSchema>;
