// Takes documents in, all or none.

import { counted } from '../../core/words.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, json } from '../../http/response.js';
import type { ReadDocument } from './files.js';
import { makeFragments, requireRoom } from './fragments.js';
import { presentDocument } from './present.js';
import { countFragments, type Fragment, insertDocument, type KnowledgeDocument } from './store.js';

/** A document that is to be kept. */
export interface Prepared extends ReadDocument {
  metadata: Record<string, unknown>;
  characterId: string | null;
  fragments: Fragment[];
}

type Call = Pick<HandlerContext, 'world' | 'caller' | 'now'>;

/** Documents with their fragments. */
export async function prepareDocuments(
  { world, caller }: Pick<HandlerContext, 'world' | 'caller'>,
  documents: readonly ReadDocument[],
  more: Pick<Prepared, 'metadata' | 'characterId'>,
): Promise<Prepared[]> {
  const there = countFragments(world.db, caller.organizationId);
  const texts = documents.map(({ text }) => text);
  const made = await makeFragments(texts, there);
  return documents.map((document, index) => ({ ...document, ...more, fragments: made[index] ?? [] }));
}

/**
 * Keeps documents; returns the response.
 *
 * @param answerOf the response that tells of them, in their order
 */
export function keepDocuments(
  call: Call,
  prepared: readonly Prepared[],
  answerOf: (documents: readonly KnowledgeDocument[]) => JsonAnswer = uploaded,
): JsonAnswer {
  const { db } = call.world;
  const count = prepared.reduce((sum, { fragments }) => sum + fragments.length, 0);
  // Another request may have kept documents in the meantime.
  requireRoom(countFragments(db, call.caller.organizationId) + count);
  const documents = prepared.map((one) => documentOf(call, one));
  for (const [index, document] of documents.entries()) insertDocument(db, document, prepared[index]?.fragments ?? []);
  return answerOf(documents);
}

function uploaded(documents: readonly KnowledgeDocument[]): JsonAnswer {
  const data = documents.map(presentDocument);
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

function documentOf({ world, caller, now }: Call, prepared: Prepared): KnowledgeDocument {
  const seq = world.nextNumber('knowledge');
  return {
    seq,
    id: world.random.uuid('knowledge', seq),
    organization_id: caller.organizationId,
    user_id: caller.userId,
    character_id: prepared.characterId,
    name: prepared.name,
    type: prepared.type,
    bytes: prepared.bytes,
    fragments: prepared.fragments.length,
    metadata: prepared.metadata,
    created_at: now,
  };
}
