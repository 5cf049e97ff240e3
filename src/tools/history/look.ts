// Opens data for a moment, as a world that nobody else sees.

import { given } from '../../world/given.js';
import type { World } from '../../world/world.js';

/** Opens the bytes of a world, calls `act` with it, and closes it. */
export type Look = <Result>(image: Buffer, act: (world: World) => Result) => Result;

export const lookAt = given<Look>('view of other data');
