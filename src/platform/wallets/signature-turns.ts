// Recovering a signer takes a millisecond and more, which a hundred requests at once would add up to a second.

import { oneATurn } from '../../core/clock.js';

/** Recovers one signer in each turn of the event loop. */
export const inSignatureTurn = oneATurn();
