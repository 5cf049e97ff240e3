// The queue of a world's long work: reports, images, imports, and streams that a jump of its clock wakes at once.

import { createTurns, type Turns } from '../core/slices.js';
import type { PartKey, World } from './world.js';

const turnsKey: PartKey<Turns> = { name: 'turns', create: createTurns };

export function turnsOf(world: World): Turns {
  return world.part(turnsKey);
}
