// Every endpoint of the platform as the usual settings have it: the older paths too.

import { controlOperations } from '../../src/app/controls.js';
import { todays } from '../../src/config/profiles.js';
import { configSchema } from '../../src/config/schema.js';
import type { Endpoint } from '../../src/http/endpoint.js';
import { registryEndpoints } from '../../src/platform/registry/api.js';
import { surfaceOf } from '../../src/platform/surface.js';
import type { Target } from '../campaigns/support/hostile.js';

export const surface = surfaceOf(configSchema.parse({}));

/** What today's server has in another form. */
export const newer = surfaceOf(configSchema.parse({ profile: 'elizacloud' })).filter(
  ({ profiles }) => profiles !== undefined,
);

/** The settings under which a declaration is in force, and errors have their codes. */
export const settingsOf = (endpoint: Pick<Endpoint, 'profiles'>): Record<string, unknown> =>
  isTodays(endpoint) ? { profile: 'elizacloud', errors: { style: 'coded' } } : {};

/** Whether it is of today's server alone. */
export const isTodays = ({ profiles }: Pick<Endpoint, 'profiles'>): boolean => profiles === todays;

/** All that can be asked over HTTP: the platform, the image registry and the control plane. */
export const everySurface = [...surface, ...newer, ...registryEndpoints, ...controlOperations] as Target[];
