// The form of what is saved in a scenario.

import { exactDuration } from '../../core/duration.js';
import { mask } from '../../core/secrets.js';

export const yearMs = 366 * 86_400_000;

/** A record without what is undefined or has nothing in it. */
export function withoutEmpty<Fields extends object>(fields: Fields): Fields {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as Fields;
}

/** Variables without their values: these may be secrets, and the document is one to be shared; what makes a deployment fail is none. */
export function withoutValues(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, name === 'EMULATOR_FAIL' ? value : mask]),
  );
}

/** How long ago an instant was, as a scenario says it: a year at most. */
export function ageOf(instant: number, now: number): string {
  return exactDuration(withinMs(now - instant, yearMs));
}

/** A number of milliseconds between none and the most. */
export function withinMs(ms: number, longest: number): number {
  return Math.min(longest, Math.max(0, ms));
}
