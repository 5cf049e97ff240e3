// Credits and the dollars that they cost.

import type { Micros } from '../../core/money.js';
import type { World } from '../../world/world.js';

/** The USDC that credits cost, in atomic units, which are micro-dollars. */
export function usdcFor({ config }: World, credits: Micros): Micros {
  return Math.ceil(credits / config.credits.perDollar - 1e-6);
}

/**
 * The credits that USDC or dollars buy.
 *
 * @param dollars in micro-dollars
 * @example creditsFor(world, toMicros(2.5))
 */
export function creditsFor({ config }: World, dollars: Micros): Micros {
  return Math.floor(dollars * config.credits.perDollar + 1e-6);
}
