// Taking documents in: their fragments are made before the transaction, and all are kept or none.

import { counted } from '../../core/words.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, json } from '../../http/response.js';
import type { ReadDocument } from './files.js';
import { makeFragments } from './fragments.js';
import { presentDocument } from './present.js';
import { type Fragment, insertDocument, type KnowledgeDocument } from './store.js';

/** A document that is to be kept. */
export interface Prepared extends ReadDocument {
  metadata: Record<string, unknown>;
  characterId: string | null;
  fragments: Fragment[];
}

/** Documents with their fragments. */
export async function prepareDocuments(
  documents: readonly ReadDocument[],
  more: Pick<Prepared, 'metadata' | 'characterId'>,
): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const document of documents)
    prepared.push({ ...document, ...more, fragments: await makeFragments(document.text) });
  return prepared;
}

/** Keeps documents, and tells of them. */
export function keepDocuments(
  call: Pick<HandlerContext, 'world' | 'caller' | 'now'>,
  prepared: readonly Prepared[],
): JsonAnswer {
  const data = prepared.map((document) => presentDocument(keep(call, document)));
  const count = data.length;
  return json(201, {
    success: true,
    data,
    document: data[0],
    message: `${counted(count, 'document')} uploaded`,
    successCount: count,
    failedCount: 0,
    totalCount: count,
  });
}

function keep(
  { world, caller, now }: Pick<HandlerContext, 'world' | 'caller' | 'now'>,
  prepared: Prepared,
): KnowledgeDocument {
  const seq = world.nextNumber('knowledge');
  const document: KnowledgeDocument = {
    seq,
    id: world.random.uuid('knowledge', seq),
    organization_id: caller.organizationId,
    user_id: caller.userId,
    character_id: prepared.characterId,
    name: prepared.name,
    type: prepared.type,
    bytes: prepared.bytes,
    fragments: prepared.fragments.length,
    metadata: JSON.stringify(prepared.metadata),
    created_at: now,
  };
  insertDocument(world.db, document, prepared.fragments);
  return document;
}
