// Every endpoint of the platform as the usual settings have it: the older paths too.

import { configSchema } from '../../src/config/schema.js';
import { controlOperations } from '../../src/controls.js';
import { surfaceOf } from '../../src/modules/platform/surface.js';
import { registryEndpoints } from '../../src/modules/registry/api.js';
import type { Target } from './hostile.js';

export const surface = surfaceOf(configSchema.parse({}));

/** All that can be asked over HTTP: the platform, the image registry and the control plane. */
export const everySurface = [...surface, ...registryEndpoints, ...controlOperations] as Target[];
