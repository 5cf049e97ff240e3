// The images of initial states, which a reset puts in: the composition makes them. A start loads this file, and none that
// fills worlds.

import type { WorldImage } from '../../db/image.js';
import { given } from '../../world/given.js';
import type { InitialState } from '../../world/initial-state.js';
import type { World } from '../../world/world.js';

/** The initial state of a world, with the seed of its data. */
export interface Beginning extends Pick<InitialState, 'at' | 'frozen' | 'scenario' | 'settings'> {
  id: string;
  seed: string;
}

/** Fills a world that nobody uses from an initial state, and returns its image. */
type ImageMaker = (beginning: Beginning, fill: (world: World) => void) => Promise<WorldImage>;

export const imageMaker = given<ImageMaker>('images of initial states');
