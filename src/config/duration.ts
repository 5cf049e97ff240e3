// A duration as a setting.

import * as z from 'zod';
import { parseDuration } from '../kernel/duration.js';

/** What people write as a duration, read as milliseconds. */
export const duration = z
  .union([z.string(), z.number()])
  .refine((value) => parseDuration(value) !== undefined, {
    message: 'is no duration: write "90s", "10m" or milliseconds',
  })
  .transform((value) => parseDuration(value) ?? 0)
  .pipe(z.number())
  .meta({ description: 'A duration: "90s", "10m", "1h30m" or milliseconds' });
