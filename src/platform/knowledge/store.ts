// Documents that agents know, and the fragments that are found in them.

import { cached } from '../../db/cached-reads.js';
import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { findRow, listRows } from '../../db/stored-json.js';
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
  /** The client's own. */
  metadata: Record<string, unknown>;
  created_at: number;
}

/** A part of a document, with its vector. */
export interface Fragment {
  content: string;
  vector: Buffer;
}

/** The place of a fragment. */
export interface Pointer {
  documentSeq: number;
  number: number;
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

/** How many fragments an organization has. */
export function countFragments(db: Db, organizationId: string): number {
  return (
    db.get<{ total: number | null }>(
      'SELECT sum(fragments) AS total FROM knowledge_documents WHERE organization_id = @organizationId',
      { organizationId },
    )?.total ?? 0
  );
}

export function findDocument(db: Db, organizationId: string, id: string): KnowledgeDocument | undefined {
  const sql = 'SELECT * FROM knowledge_documents WHERE id = @id AND organization_id = @organizationId';
  return findRow(db, 'knowledge_documents', sql, { id, organizationId });
}

/** One page, the newest first. */
export function listDocuments(
  db: Db,
  { organizationId, characterId }: Selection,
  { limit, offset }: { limit: number; offset: number },
): KnowledgeDocument[] {
  const sql = `SELECT * FROM knowledge_documents
    WHERE organization_id = @organizationId AND (@characterId IS NULL OR character_id = @characterId)
    ORDER BY seq DESC LIMIT @limit OFFSET @offset`;
  return listRows(db, 'knowledge_documents', sql, { organizationId, characterId: characterId ?? null, limit, offset });
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

/** The vectors of all fragments, and their places, the oldest first. */
export function vectorsOf(db: Db, { organizationId, characterId }: Selection): readonly Located[] {
  return vectorsBy(db, JSON.stringify([organizationId, characterId ?? null]), organizationId, characterId ?? null);
}

/** A fragment's vector with its place. */
export interface Located extends Pointer {
  vector: Float32Array;
}

const vectorsBy = cached(
  ['knowledge_documents', 'knowledge_fragments'],
  (db, _key: string, organizationId: string, characterId: string | null): readonly Located[] =>
    db
      .all<Pointer & { vector: Buffer }>(
        `SELECT document_seq AS documentSeq, number, vector FROM knowledge_fragments JOIN knowledge_documents ON seq = document_seq
          WHERE organization_id = @organizationId AND (@characterId IS NULL OR character_id = @characterId)
          ORDER BY document_seq, number`,
        { organizationId, characterId },
      )
      .map((row) => ({ ...row, vector: vectorOf(row.vector) })),
);

/** A fragment with its document. */
export function readFragment(
  db: Db,
  { documentSeq, number }: Pointer,
): (KnowledgeDocument & { content: string }) | undefined {
  const sql = `SELECT knowledge_documents.*, content FROM knowledge_fragments JOIN knowledge_documents ON seq = document_seq
    WHERE document_seq = @documentSeq AND number = @number`;
  return findRow(db, 'knowledge_documents', sql, { documentSeq, number });
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
