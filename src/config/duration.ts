// A duration as a setting.

import * as z from 'zod';
import { parseDuration } from '../core/duration.js';

/** A duration as people write it, parsed to milliseconds. */
export const duration = z
  .union([z.string(), z.number()])
  .refine((value) => parseDuration(value) !== undefined, {
    message: 'is no duration: write "90s", "10m" or milliseconds',
  })
  .transform((value) => parseDuration(value) ?? 0)
  .pipe(z.number())
  .meta({ description: 'A duration: "90s", "10m", "1h30m" or milliseconds' });

/** A duration as people write it, within bounds in milliseconds. */
export const durationUpTo = (most: number, words: string, least = 0) =>
  z.union([z.string(), z.number()]).refine(
    (value) => {
      const ms = parseDuration(value);
      return ms !== undefined && ms >= least && ms <= most;
    },
    { message: `must be a duration of at most ${words}: "250ms", "5s" or milliseconds` },
  );
