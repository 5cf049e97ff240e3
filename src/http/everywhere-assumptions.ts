// What is guessed of all answers alike.

import type { Assumption } from './assumption.js';

export const everywhereAssumptions = {
  bodies: {
    level: 'detail',
    text: 'JSON bodies may have up to 16 MB, else 413, and hold up to 50,000 names, objects and lists and 500,000 entries, else 400 INVALID_JSON; they are parsed whatever their content type says. What is no JSON, no UTF-8 or names __proto__ is 400 INVALID_JSON; of repeated keys the last one counts, with a warning.',
    setting: 'server.maxBody',
  },
  inputs: {
    level: 'detail',
    text: 'Unknown fields and query parameters are told in X-Emulator-Warning; unknown enum values and values out of range are 400. Lengths count code points; what must not be empty must not be blank.',
    setting: 'strict.inputs',
  },
  guesses: {
    level: 'detail',
    text: 'With strict.guesses an operation that rests wholly on a guess answers 501; guesses of details and bodies stand.',
    setting: 'strict.guesses',
  },
  money: {
    level: 'detail',
    text: 'Credits are counted in whole millionths and shown with at most six decimals; one credit is one dollar.',
    setting: 'credits.perDollar',
  },
  cors: {
    level: 'detail',
    text: 'Pages of any origin may call the platform; those of loopback and of listed origins may send credentials. Headers of limits, payments and the emulator can be read; the control plane has no such rules.',
    setting: 'server.corsOrigins',
  },
} as const satisfies Record<string, Assumption>;
