// Documents and what was found in them, as the wire shows them.

import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import type { Found } from './ranking.js';
import type { KnowledgeDocument } from './store.js';

/** A document without its text. */
export function presentDocument(document: KnowledgeDocument) {
  return {
    id: document.id,
    filename: document.name,
    type: document.type,
    size: document.bytes,
    uploadedAt: iso(document.created_at),
    fragmentCount: document.fragments,
    characterId: document.character_id,
    metadata: document.metadata,
    status: 'completed',
  };
}

/** A fragment that was found. */
export function presentFound({ random }: World, { document, number, content, score }: Found) {
  return {
    id: random.uuid('knowledge fragment', document.id, number),
    content: content.trim(),
    similarity: score,
    score,
    documentId: document.id,
    documentName: document.name,
    metadata: { ...document.metadata, position: number },
  };
}
