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

/** The organization of documents that nobody sees: they are being written, or removed. */
export const nobody = '';

export function insertDocument(db: Db, document: KnowledgeDocument): void {
  insert(db, 'knowledge_documents', document);
}

/** @param from the number of the first one */
export function insertFragments(db: Db, seq: number, fragments: readonly Fragment[], from: number): void {
  for (const [index, { content, vector }] of fragments.entries())
    insert(db, 'knowledge_fragments', { document_seq: seq, number: from + index, content, vector });
}

export function hideDocument(db: Db, seq: number): void {
  showDocument(db, seq, nobody);
}

/** Lets an organization see a document. */
export function showDocument(db: Db, seq: number, organizationId: string): void {
  db.run('UPDATE knowledge_documents SET organization_id = @organizationId WHERE seq = @seq', { seq, organizationId });
}

/** The numbers of the documents that nobody sees. */
export function listHidden(db: Db): number[] {
  return db
    .all<{ seq: number }>('SELECT seq FROM knowledge_documents WHERE organization_id = @nobody', { nobody })
    .map(({ seq }) => seq);
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

/** Vectors of neighbouring fragments of one document, one behind the other. */
export interface VectorPart {
  documentSeq: number;
  /** The number of the first fragment. */
  first: number;
  vectors: Float32Array;
}

/** Fragments that are read in one go: a few milliseconds' work. */
const readAtOnce = 250;

/** The vectors of all fragments, the oldest first. */
export function vectorParts(db: Db, selection: Selection, act: (part: VectorPart) => void): void {
  const slot = slots(db, `${selection.organizationId} ${selection.characterId ?? ''}`);
  if (slot.parts !== undefined) {
    for (const part of slot.parts) act(part);
    return;
  }
  const documents = db.all<{ seq: number; fragments: number }>(
    `SELECT seq, fragments FROM knowledge_documents
      WHERE organization_id = @organizationId AND (@characterId IS NULL OR character_id = @characterId) ORDER BY seq`,
    { ...selection, characterId: selection.characterId ?? null },
  );
  const isKept = documents.reduce((sum, { fragments }) => sum + fragments, 0) <= mostKept;
  const parts: VectorPart[] = [];
  for (const { seq, fragments } of documents) {
    for (let first = 0; first < fragments; first += readAtOnce) {
      const part = { documentSeq: seq, first, vectors: readVectors(db, seq, first) };
      act(part);
      if (isKept) parts.push(part);
    }
  }
  if (isKept) slot.parts = parts;
}

// A table is written: an empty slot takes the place of a full one.
const slots = cached(
  ['knowledge_documents', 'knowledge_fragments'],
  (_db, _key: string): { parts?: VectorPart[] } => ({}),
);
/** Vectors of 1.5 KB each; more of them are read anew for each query. */
const mostKept = 20_000;

function readVectors(db: Db, seq: number, first: number): Float32Array {
  const rows = db.all<{ vector: Buffer }>(
    `SELECT vector FROM knowledge_fragments
      WHERE document_seq = @seq AND number >= @first AND number < @end ORDER BY number`,
    { seq, first, end: first + readAtOnce },
  );
  const vectors = new Float32Array(rows.length * vectorSize);
  for (const [index, { vector }] of rows.entries()) vectors.set(vectorOf(vector), index * vectorSize);
  return vectors;
}

/** A fragment with its document. */
export function readFragment(
  db: Db,
  { documentSeq, number }: Pointer,
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

/** Deletes some fragments of a document; returns how many. */
export function deleteFragments(db: Db, seq: number, most: number): number {
  return db.run(
    `DELETE FROM knowledge_fragments WHERE document_seq = @seq AND number IN (
       SELECT number FROM knowledge_fragments WHERE document_seq = @seq LIMIT @most)`,
    { seq, most },
  );
}
