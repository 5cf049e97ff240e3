// Every endpoint of the platform as the usual settings have it: the older paths too.

import { surfaceOf } from '../../src/api/registry.js';
import { configSchema } from '../../src/config/schema.js';

export const surface = surfaceOf(configSchema.parse({}));
