// The shapes of all methods. The build replaces them by plain data, so that the client does not load the emulator.

import { controlTree } from '../app/controls.js';
import { type Shapes, shapesOf } from '../control/remote.js';

export const shapes: Shapes = shapesOf(controlTree);
