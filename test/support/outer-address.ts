// Another machine comes in by another address than loopback's. Where this one has none, those tests are skipped by name.

import { networkInterfaces } from 'node:os';
import { it } from 'vitest';

export const outerAddress = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

export const itFromOutside = it.skipIf(outerAddress === undefined);
