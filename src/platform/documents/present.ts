// Documents as the wire shows them.

import type { KnowledgeDocument } from '../knowledge/store.js';

/** A document with its text. */
export function presentRecord(document: KnowledgeDocument, text: string) {
  return {
    id: document.id,
    content: { text },
    createdAt: document.created_at,
    metadata: presentMetadata(document),
  };
}

/** What is known of a document beside its text. */
export function presentMetadata(document: KnowledgeDocument) {
  const { user_id, character_id, name, bytes, type, created_at } = document;
  return {
    // Documents of knowledge may have some of the client's own.
    ...document.metadata,
    type: 'document',
    timestamp: created_at,
    scope: 'user-private',
    scopedToEntityId: user_id,
    addedBy: user_id,
    addedByRole: 'USER',
    addedFrom: 'upload',
    source: 'upload',
    filename: plainName(name),
    fileName: plainName(name),
    originalFilename: name,
    fileSize: bytes,
    contentType: type,
    uploadedBy: user_id,
    uploadedAt: created_at,
    ...(character_id !== null && { characterId: character_id }),
  };
}

/** A file's name without what file systems refuse. */
export function plainName(name: string): string {
  return name.replace(/[/\\:*?"<>|]/g, '-').replaceAll('..', '.');
}
