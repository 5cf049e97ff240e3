// Control operations of voices: list them.

import * as z from 'zod';
import { listed, operation } from '../../control/operation.js';
import { iso } from '../../http/wire.js';
import { isReady, premadeVoices } from './access.js';
import { listAllVoices } from './store.js';

const cloneType = z.enum(['instant', 'professional']);

export const voice = z.lazy(() =>
  z.object({
    id: z.string(),
    providerId: z.string().describe('Its id at the voice provider'),
    organizationId: z.string(),
    name: z.string(),
    cloneType,
    active: z.boolean().describe('Whether it can speak'),
    ready: z.boolean().describe('Whether its job has completed'),
    usageCount: z.int(),
    createdAt: z.string(),
  }),
);

export type ControlledVoice = z.output<typeof voice>;

export const providerVoice = z.lazy(() =>
  z.object({
    id: z.string().describe('Its id at the voice provider, the same in every world'),
    name: z.string(),
    description: z.string(),
  }),
);

/** A voice that the provider has, and every organization can use. */
export type ProviderVoice = z.output<typeof providerVoice>;

export const voiceOperations = {
  /** Lists all cloned voices of the world, newest first, including unfinished ones. */
  list: operation({
    id: 'control.voices',
    route: 'GET /voices',
    summary: 'List all cloned voices of the world',
    output: listed('voices', voice),
    command: {
      line: 'voice list',
      columns: 'id name ready active? cloneType? usageCount? createdAt?',
      examples: [['voice list', 'cloned voices, and whether each is ready']],
    },
    run: ({ world }): ControlledVoice[] => {
      const now = world.clock.now();
      world.settle(now);
      return listAllVoices(world.db).map((voice) => ({
        id: voice.id,
        providerId: voice.provider_id,
        organizationId: voice.organization_id,
        name: voice.name,
        cloneType: voice.clone_type,
        active: isReady(voice, now) && voice.is_active,
        ready: isReady(voice, now),
        usageCount: voice.usage_count,
        createdAt: iso(voice.created_at),
      }));
    },
  }),
  /** Lists the provider’s own voices, with which every organization can speak. */
  premade: operation({
    id: 'control.voices.premade',
    route: 'GET /voices/premade',
    summary: 'List the provider’s own voices, with which every organization can speak',
    output: listed('premade', providerVoice),
    command: {
      line: 'voice premade',
      columns: 'id name description',
      examples: [['voice premade', 'ids for text to speech that need no cloning']],
    },
    run: (): ProviderVoice[] =>
      premadeVoices.map(({ provider_id: id, name, description }) => ({ id, name, description })),
  }),
};
