// Shapes that every feature shares on the wire.

import * as z from 'zod';
import { parseInstant } from '../core/instant.js';
import { memoizeLast } from '../core/memoize-last.js';
import { codePoints } from '../core/problems.js';

/** Text whose length is counted in code points, as people and JSON Schema count. What must not be empty must not be blank. */
export function characters(min: number, max: number): z.ZodType<string, string> {
  const tooShort = min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
  return z
    .string()
    .check(({ value, issues }) => {
      // A code point has at most two units: what is far too long need not be counted.
      const count = value.length > 2 * max ? Infinity : codePoints(value);
      const message =
        count < min
          ? tooShort
          : count > max
            ? `must have at most ${max} characters`
            : min > 0 && isBlank(value)
              ? 'must not be blank'
              : undefined;
      if (message !== undefined) issues.push({ code: 'custom', input: value, message, continue: true });
    })
    .meta({ minLength: min, maxLength: max });
}

/** A JSON object of the client's own, whose text is stored and repeated in responses: its length is bounded. */
export function jsonObject(maxLength: number): z.ZodType<Record<string, unknown>, Record<string, unknown>> {
  return z
    .record(z.string().max(100), z.unknown())
    .refine((value) => JSON.stringify(value).length <= maxLength, {
      message: `must have at most ${maxLength} characters as JSON`,
    })
    .meta({ description: `At most ${maxLength} characters as JSON` });
}

// Spaces, controls and what has no width: nothing that could be seen.
export function isBlank(value: string): boolean {
  return !/[^\s\p{Z}\p{Cc}\p{Cf}]/u.test(value);
}

export const id = z.uuid();
export const isoTime = z.iso.datetime().meta({ example: '2026-01-31T12:00:00.000Z' });
export const success = z.literal(true);

/** An object with at least one of its fields, none of which is required. */
export function someOf<Shape extends z.ZodRawShape>(
  shape: Shape,
  message = `must have at least one of ${Object.keys(shape).join(', ')}`,
) {
  return z
    .object(shape)
    .partial()
    .refine((body) => Object.values(body).some((value) => value !== undefined), { message });
}

/** An instant as clients write it, in whatever way ISO 8601 knows: see parseInstant. */
export const writtenInstant = z
  .string()
  .max(100)
  .refine((text) => parseInstant(text) !== undefined, {
    message: 'must be an ISO 8601 date or time such as 2026-01-31T12:00:00Z',
  })
  .meta({ example: '2026-01-31T12:00:00Z' });

/** The virtual time, in answers of control operations. */
export const clockView = z.object({
  now: z.string(),
  speed: z.number(),
  frozen: z.boolean(),
  skewMs: z.number(),
  waits: z.literal(true).optional().describe('It begins to run with the first request of a client'),
});

/** The `{success: true, message}` of operations that only confirm. */
export const confirmation = z.lazy(() => z.object({ success, message: z.string() }));

const fieldProblem = z.lazy(() =>
  z.object({
    path: z.string(),
    message: z.string(),
    received: z.string().optional(),
    suggestion: z.string().optional(),
  }),
);

/** The envelope of every error, in the coded style. */
export const errorEnvelope = z.lazy(() =>
  z
    .object({
      success: z.literal(false),
      error: z
        .object({
          code: z.string(),
          message: z.string(),
          details: z.union([z.array(fieldProblem), z.record(z.string(), z.unknown())]).optional(),
          requestId: z.string(),
          retryAfter: z.number().optional(),
        })
        .loose(),
    })
    .loose()
    .meta({ id: 'Error' }),
);

/** That of the flat style; models have an object for `error` there. */
export const flatErrorEnvelope = z.lazy(() =>
  z
    .object({
      success: z.literal(false),
      error: z.union([z.string(), z.object({ message: z.string() }).loose()]),
      code: z.string(),
      message: z.string(),
      details: z.union([z.array(fieldProblem), z.record(z.string(), z.unknown())]).optional(),
      retryAfter: z.number().optional(),
      requestId: z.string(),
    })
    .loose()
    .meta({ id: 'FlatError' }),
);

/** An instant in its wire format, memoized because a response often repeats the same instant. */
export const iso = memoizeLast((instant: number): string => new Date(instant).toISOString());

/** An instant or null. */
export function isoOrNull(instant: number | null | undefined): string | null {
  return instant === null || instant === undefined ? null : iso(instant);
}

/** A field that may hold anything. */
export const anything = z.unknown().optional();

/** Fields that may hold anything: they have no effect, or are checked beside the schema. */
export function unchecked<Name extends string>(...names: Name[]): Record<Name, typeof anything> {
  return Object.fromEntries(names.map((name) => [name, anything])) as Record<Name, typeof anything>;
}

/** What may be left out, or null. */
export const nullish = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();
