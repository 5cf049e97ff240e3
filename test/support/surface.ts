// Every endpoint of the platform as the usual settings have it: the older paths too.

import { surfaceOf } from '../../src/api/registry.js';
import { configSchema } from '../../src/config/schema.js';
import { controlEndpoints } from '../../src/controls/endpoints.js';
import { registryEndpoints } from '../../src/features/registry/endpoints.js';
import type { Target } from './hostile.js';

export const surface = surfaceOf(configSchema.parse({}));

/** All that can be asked over HTTP: the platform, the image registry and the control plane. */
export const everySurface = [...surface, ...registryEndpoints, ...controlEndpoints] as Target[];
