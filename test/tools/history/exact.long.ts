// Forks at every tenth point of 300 random histories of 200 steps: as the world that takes the same steps, byte for byte.

import { afterEach, it } from 'vitest';
import { closeEmulators, startEmulator } from '../../support/emulator.js';
import { followHistory } from '../../support/random-history.js';

afterEach(closeEmulators);

it.each(Array.from({ length: 300 }, (_, index) => index + 1))('history %i', async (number) => {
  const emulator = await startEmulator({ containers: { urlStyle: 'path' } });
  await followHistory(emulator, `history ${number}`, 200);
});
