// Selects the reply to a conversation: one queued by a control, else that of a fixture, else none.

import type { Reply } from '../../config/replies.js';
import type { World } from '../../world/world.js';
import { type Asked, situationOf } from './conversation.js';
import { fitsModel, selectReply } from './replies.js';
import { knownFixtures } from './reply-fixtures.js';
import { countUse, listQueued, takeQueued, usesOf } from './store.js';

/** A reply that somebody wanted, and how it is noted that it was given. */
export interface Chosen {
  reply: Reply;
  /** Belongs into the transaction of what it is the reply to. */
  take: () => void;
}

/**
 * What somebody wants a conversation (or anything else that is asked) to be answered.
 *
 * @param warn hears of files that cannot be used
 */
export function chosenReply(world: World, conversation: Asked, warn: (text: string) => void): Chosen | undefined {
  const { db } = world;
  const ordered = listQueued(db).find(({ model }) => model === null || fitsModel(model, conversation.model));
  if (ordered !== undefined) return { reply: JSON.parse(ordered.reply) as Reply, take: () => takeQueued(db, ordered) };
  const { fixtures, problems } = knownFixtures(world);
  for (const problem of problems) warn(`replies that cannot be used: ${problem}`);
  const choice = selectReply(fixtures, situationOf(conversation), (key) => usesOf(db, key));
  if (choice === undefined) return undefined;
  const { reply, counts } = choice;
  return { reply, take: () => counts !== undefined && countUse(db, counts) };
}
