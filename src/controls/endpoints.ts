// Every door of the control plane, by its path inside a world.

import type { ControlEndpoint } from './door.js';
import { accountDoors } from './doors/accounts.js';
import { clockDoors } from './doors/clock.js';
import { containerDoors } from './doors/containers.js';
import { infoDoors } from './doors/info.js';

export const controlEndpoints: readonly ControlEndpoint[] = [
  ...infoDoors,
  ...clockDoors,
  ...containerDoors,
  ...accountDoors,
];
