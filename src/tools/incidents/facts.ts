// Statements about an incident, each with how it is known and from which entries of the recording.

import * as z from 'zod';

export const fact = z.lazy(() =>
  z.object({
    kind: z
      .enum(['seen', 'inferred', 'assumed', 'unknown'])
      .describe(
        'seen: the recording shows it; inferred: it follows from what it shows; assumed: nothing speaks against it; unknown: it cannot be told',
      ),
    text: z.string(),
    entries: z.array(z.int()).describe('The numbers of the entries of the recording that show it, from 0'),
    decides: z.string().exactOptional().describe('What it decides in the scenario: a JSON Pointer'),
  }),
);

/** A statement about an incident. */
export type Fact = z.output<typeof fact>;

/** A fact that the entries show, infer, assume or leave open. */
export function factOf(kind: Fact['kind'], text: string, entries: readonly number[] = [], decides?: string): Fact {
  return { kind, text, entries: [...entries], ...(decides !== undefined && { decides }) };
}
