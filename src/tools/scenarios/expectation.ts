// An expectation that was compared with what came of it.

import * as z from 'zod';

export const expectation = z.object({
  what: z
    .string()
    .describe(
      'What it is about: `verdict retry-after-obeyed`, `container shop`, `requests of containers.create`, `credits spent`',
    ),
  ok: z.boolean(),
  expected: z.string(),
  actual: z.string(),
  seen: z
    .boolean()
    .describe(
      'Whether the world had anything of what it is about: such requests, a container, a charge, a use of the rule',
    ),
  evidence: z.array(z.string()).describe('What shows it, for a person: a line each'),
  orFails: z
    .literal(true)
    .exactOptional()
    .describe('Whether it also holds where the command of `cloudemu run` fails with the error of a fault'),
});

export type Expectation = z.output<typeof expectation>;

type Counts = { count?: number | undefined; min?: number | undefined; max?: number | undefined };

/** How many there must be at least and at most. */
export function countsOf({ count, ...bounds }: Counts): { min: number; max: number } {
  const { min = count ?? (bounds.max === undefined ? 1 : 0), max = count ?? Infinity } = bounds;
  return { min, max };
}

/** A range of numbers in words. */
export function rangeText(min: number, max: number): string {
  if (min === max) return String(min);
  if (max === Infinity) return `at least ${min}`;
  return min <= 0 ? `at most ${max}` : `${min} to ${max}`;
}
