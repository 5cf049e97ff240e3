// Documents that agents know, and the fragments that are found in them.

import { cached } from '../../db/cached-reads.js';
import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { vectorOf } from '../models/embeddings/vector.js';

/** The length of a vector: short, as an organization may have many fragments. */
export const vectorSize = 384;

export interface KnowledgeDocument {
  seq: number;
  id: string;
  organization_id: string;
  user_id: string;
  /** The agent that it is for; null: everybody's. */
  character_id: string | null;
  name: string;
  /** A media type. */
  type: string;
  bytes: number;
  /** How many. */
  fragments: number;
  /** A JSON object of the client's. */
  metadata: string;
  created_at: number;
}

/** A part of a document, with its vector. */
export interface Fragment {
  content: string;
  vector: Buffer;
}

/** The vector of a fragment, and its place. */
export interface Pointer {
  documentSeq: number;
  number: number;
  vector: Float32Array;
}

export interface Selection {
  organizationId: string;
  /** Only documents for this agent. */
  characterId: string | undefined;
}

export function insertDocument(db: Db, document: KnowledgeDocument, fragments: readonly Fragment[]): void {
  insert(db, 'knowledge_documents', document);
  for (const [number, { content, vector }] of fragments.entries())
    insert(db, 'knowledge_fragments', { document_seq: document.seq, number, content, vector });
}

export function findDocument(db: Db, organizationId: string, id: string): KnowledgeDocument | undefined {
  return db.get<KnowledgeDocument>(
    'SELECT * FROM knowledge_documents WHERE id = @id AND organization_id = @organizationId',
    { id, organizationId },
  );
}

/** One page, the newest first. */
export function listDocuments(
  db: Db,
  { organizationId, characterId }: Selection,
  { limit, offset }: { limit: number; offset: number },
): KnowledgeDocument[] {
  return db.all<KnowledgeDocument>(
    `SELECT * FROM knowledge_documents
       WHERE organization_id = @organizationId AND (@characterId IS NULL OR character_id = @characterId)
      ORDER BY seq DESC LIMIT @limit OFFSET @offset`,
    { organizationId, characterId: characterId ?? null, limit, offset },
  );
}

export function countDocuments(db: Db, { organizationId, characterId }: Selection): number {
  return (
    db.get<{ total: number }>(
      `SELECT count(*) AS total FROM knowledge_documents
         WHERE organization_id = @organizationId AND (@characterId IS NULL OR character_id = @characterId)`,
      { organizationId, characterId: characterId ?? null },
    )?.total ?? 0
  );
}

/** The vectors of all fragments, the oldest first. */
export function listPointers(db: Db, selection: Selection): Pointer[] {
  return pointers(db, `${selection.organizationId} ${selection.characterId ?? ''}`, selection);
}

const pointers = cached(
  ['knowledge_documents', 'knowledge_fragments'],
  (db, _key: string, { organizationId, characterId }: Selection): Pointer[] =>
    db
      .all<{ documentSeq: number; number: number; vector: Buffer }>(
        `SELECT document_seq AS documentSeq, number, vector FROM knowledge_documents
          JOIN knowledge_fragments ON document_seq = seq
          WHERE organization_id = @organizationId AND (@characterId IS NULL OR character_id = @characterId)
           ORDER BY seq, number`,
        { organizationId, characterId: characterId ?? null },
      )
      .map(({ vector, ...place }) => ({ ...place, vector: vectorOf(vector) })),
);

/** A fragment with its document. */
export function readFragment(
  db: Db,
  { documentSeq, number }: Pick<Pointer, 'documentSeq' | 'number'>,
): (KnowledgeDocument & { content: string }) | undefined {
  return db.get(
    `SELECT knowledge_documents.*, content FROM knowledge_fragments JOIN knowledge_documents ON seq = document_seq
      WHERE document_seq = @documentSeq AND number = @number`,
    { documentSeq, number },
  );
}

/** The text of a document. */
export function readContent(db: Db, seq: number): string {
  return db
    .all<{ content: string }>('SELECT content FROM knowledge_fragments WHERE document_seq = @seq ORDER BY number', {
      seq,
    })
    .map(({ content }) => content)
    .join('');
}

/** Deletes a document with its fragments. */
export function deleteDocument(db: Db, seq: number): void {
  db.run('DELETE FROM knowledge_fragments WHERE document_seq = @seq', { seq });
  db.run('DELETE FROM knowledge_documents WHERE seq = @seq', { seq });
}
