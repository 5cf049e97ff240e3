// The schemas of durations. Short commands read durations without them.

import * as z from 'zod';
import { parseDuration } from './duration.js';

/**
 * The meaning of a schema's values in words, for usage errors of the command line, where the schema alone does not say it.
 * It is kept beside the schemas and not in them: documents are made from schemas, and must not contain it.
 */
export const meanings = z.registry<{
  meant?: string;
  /** It is a duration: a number alone is milliseconds in JSON, and refused on the command line. */
  isDuration?: true;
}>();

/** A duration as people write it, parsed to milliseconds. */
export const duration = z
  .union([z.string(), z.number()])
  .refine((value) => parseDuration(value) !== undefined, {
    message: 'is not a duration: write "90s", "10m" or milliseconds',
  })
  .transform((value) => parseDuration(value) ?? 0)
  .pipe(z.number())
  .meta({ description: 'A duration: "90s", "10m", "1h30m" or milliseconds' })
  .register(meanings, { isDuration: true });

/** A duration as people write it, within bounds in milliseconds. */
export const durationUpTo = (most: number, words: string, least = 0) =>
  z
    .union([z.string(), z.number()])
    .refine(
      (value) => {
        const ms = parseDuration(value);
        return ms !== undefined && ms >= least && ms <= most;
      },
      {
        message: `must be a duration ${least > 0 ? 'above 0, ' : ''}of at most ${words}: "250ms", "5s" or milliseconds`,
      },
    )
    .register(meanings, { isDuration: true });

/** A duration as people write it, which is checked where it is used; `meant`: what it is, for usage errors. */
export const anyDuration = (meant?: string) =>
  z.union([z.string(), z.number()]).register(meanings, { isDuration: true, ...(meant !== undefined && { meant }) });

/** A whole number of seconds. */
export const seconds = (most: number) => z.int().min(0).max(most).register(meanings, { meant: 'a number of seconds' });
