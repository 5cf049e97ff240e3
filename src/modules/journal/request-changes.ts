// The rows that a request changed, from the history of its world.

import { changesIn } from '../../db/history-changes.js';
import type { Entry } from '../../db/history-entry.js';
import type { World } from '../../world/world.js';
import { type ChangedTable, changedTables } from './row-changes.js';

/** As much as both bodies of a request may take: beyond it rows are only counted. */
const mostOfChanges = 16_384;

/** The rows that a request changed, without secrets; null: the history does not hold it. */
export function changesOfRequest(world: World, requestId: string): ChangedTable[] | null {
  const { history } = world.remembered;
  if (history === undefined) return null;
  const groupOf = ({ point }: Entry): true | undefined => (point?.request === requestId ? true : undefined);
  const differences = changesIn(world.db, history.entries(), groupOf).get(true);
  if (differences === undefined) return null;
  return changedTables(differences, (text) => world.redactor.text(text), mostOfChanges);
}
