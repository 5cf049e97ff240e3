// Two states of a world beside each other, for people: rows with their fields before and after, without secrets.

import * as z from 'zod';
import { inThread } from '../../db/image-thread.js';
import { type ChangedTable, changedTable, changedTables } from '../journal/row-changes.js';

export const snapshotComparison = z.object({
  name: z.string(),
  with: z.string().nullable().describe('null: the world as it is now'),
  tables: z.array(changedTable).describe('Only those in which something differs'),
});

/** The differences between a snapshot and another one, or the world. */
export type SnapshotComparison = z.output<typeof snapshotComparison>;

// With 6,000 containers it takes half a second.
const patienceMs = 60_000;

/**
 * The differences between two images of a world.
 *
 * @param options.limit of the rows that are told of each table
 * @param options.clean masks what looks like a secret in a text
 * @throws StoreError when it takes longer than a minute
 */
export async function compareImages(
  before: Buffer,
  after: Buffer,
  { limit, clean }: { limit: number; clean: (text: string) => string },
): Promise<ChangedTable[]> {
  return changedTables(await inThread('compare', [before, after, limit], patienceMs), clean);
}
