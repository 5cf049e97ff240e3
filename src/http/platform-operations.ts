// The operations of the platform, for modules that look them up: limits, awaits, filters of the journal.

import { given } from '../world/given.js';
import type { Endpoint } from './endpoint.js';

/** The properties of an operation of the platform that modules look up. */
export type PlatformOperation = Pick<Endpoint, 'id' | 'limit'>;

export const platformOperations = given<readonly PlatformOperation[]>('operations');
