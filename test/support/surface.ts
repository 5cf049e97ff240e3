// Every endpoint of the platform as the usual settings have it: the older paths too.

import { controlOperations } from '../../src/app/controls.js';
import { configSchema } from '../../src/config/schema.js';
import { surfaceOf } from '../../src/modules/platform/surface.js';
import { registryEndpoints } from '../../src/modules/registry/api.js';
import type { Target } from '../campaigns/support/hostile.js';

export const surface = surfaceOf(configSchema.parse({}));

/** All that can be asked over HTTP: the platform, the image registry and the control plane. */
export const everySurface = [...surface, ...registryEndpoints, ...controlOperations] as Target[];
