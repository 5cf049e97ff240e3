// A fork at any point of a history is the world that takes the same steps up to there, and both go on in the same way.
// `exact.long.ts` follows 300 histories.

import { afterEach, it } from 'vitest';
import { closeEmulators, startEmulator } from '../../support/emulator.js';
import { followHistory } from '../../support/random-history.js';

afterEach(closeEmulators);

const [histories, length] = [20, 200];

it.each(Array.from({ length: histories }, (_, index) => index + 1))(
  `a fork is the world that takes the same ${length} steps, history %i`,
  async (number) => {
    // Ports of containers are those that are free.
    const emulator = await startEmulator({ containers: { urlStyle: 'path' } });
    await followHistory(emulator, `history ${number}`, length);
  },
);
