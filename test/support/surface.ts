// Every endpoint of the platform as the usual settings have it: the older paths too.

import { controlOperations } from '../../src/app/controls.js';
import { configSchema } from '../../src/config/schema.js';
import { registryEndpoints } from '../../src/platform/registry/api.js';
import { surfaceOf } from '../../src/platform/surface.js';
import type { Target } from '../campaigns/support/hostile.js';

export const surface = surfaceOf(configSchema.parse({}));

/** What the newer contract has in another form. */
export const newer = surfaceOf(configSchema.parse({ contract: 'v2' })).filter(({ contract }) => contract === 'v2');

/** The settings under which a declaration is in force. */
export const contractOf = ({ contract }: { contract?: 'v1' | 'v2' }): { contract?: 'v2' } =>
  contract === 'v2' ? { contract } : {};

/** All that can be asked over HTTP: the platform, the image registry and the control plane. */
export const everySurface = [...surface, ...newer, ...registryEndpoints, ...controlOperations] as Target[];
