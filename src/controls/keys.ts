// Test keys with their values, for those who were not there when the emulator started.

import type { World } from '../worlds/world.js';
import { seededIdentity } from './seed.js';

export interface TestKey {
  name: string;
  apiKey: string;
  organizationId: string;
  userId: string;
}

/** The key controls of a world. */
export function createKeyControls(world: World) {
  return {
    /** The keys whose value the emulator can tell: the seeded one. */
    list: (): TestKey[] => [{ name: 'Seeded test key', ...seededIdentity(world) }],
  };
}
