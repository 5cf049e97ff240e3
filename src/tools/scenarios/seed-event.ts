// What happens at an instant of the seed history of a scenario.

import { parseDuration } from '../../core/duration.js';

export interface SeedEvent {
  at: number;
  act: () => void;
}

/** The age of what is there when a scenario begins and names no age. */
export const usualAgeMs = 3_600_000;

/** The milliseconds of a duration that was checked. */
export function milliseconds(duration: string | number): number {
  return parseDuration(duration) ?? 0;
}
