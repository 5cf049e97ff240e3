// Money: whole micro-credits inside, at most six decimals outside.

/** Micro-credits: one credit is 1,000,000 of them. */
export type Micros = number;

/**
 * Micro-credits of an amount in credits.
 *
 * @example toMicros(0.55) // 550_000
 */
export function toMicros(credits: number): Micros {
  return Math.round(credits * 1_000_000);
}

/**
 * Credits as they are shown.
 *
 * @example toCredits(999_500_000) // 999.5
 */
export function toCredits(micros: Micros): number {
  return micros / 1_000_000;
}
