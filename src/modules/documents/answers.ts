// Responses with the texts of several documents: long ones are sent as they are read, one document after the other.

import { nextTurn } from '../../core/clock.js';
import { type JsonAnswer, ok, type PiecesAnswer } from '../../http/response.js';
import type { World } from '../../world/world.js';
import { type KnowledgeDocument, readContent } from '../knowledge/store.js';

/** Parts of documents, of up to 800 characters each, that a response holds in memory as a whole. */
const mostAtOnce = 1_250;

/** A list of documents under a name, as `{success, <name>, total}`. */
export function answerTexts<Item extends { document: KnowledgeDocument }>(
  world: World,
  name: 'documents' | 'results',
  items: readonly Item[],
  present: (item: Item, text: string) => object,
): JsonAnswer | PiecesAnswer {
  const parts = items.reduce((sum, { document }) => sum + document.fragments, 0);
  if (parts > mostAtOnce) return { kind: 'pieces', status: 200, pieces: pieces(world, name, items, present) };
  const shown = items.map((item) => present(item, readContent(world.db, item.document.seq)));
  return ok({ success: true, [name]: shown, total: shown.length });
}

async function* pieces<Item extends { document: KnowledgeDocument }>(
  world: World,
  name: string,
  items: readonly Item[],
  present: (item: Item, text: string) => object,
): AsyncGenerator<string> {
  const { epoch } = world;
  yield `{"success":true,"${name}":[`;
  let total = 0;
  for (const item of items) {
    await nextTurn();
    if (world.isClosed || world.epoch !== epoch) throw new Error('the world was reset while documents were being sent');
    const text = readContent(world.db, item.document.seq);
    // It was deleted in the meantime.
    if (text === '') continue;
    yield `${total === 0 ? '' : ','}${JSON.stringify(present(item, text))}`;
    total++;
  }
  yield `],"total":${total}}`;
}
