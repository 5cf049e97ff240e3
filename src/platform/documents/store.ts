// The documents of a user or of an agent, and files that wait to become some.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { listRows } from '../../db/stored-json.js';
import type { KnowledgeDocument } from '../knowledge/store.js';

/** Whose documents are meant: those of an agent, or (null) those that a user has for no agent. */
export interface Scope {
  organizationId: string;
  userId: string;
  characterId: string | null;
}

const inScope = `organization_id = @organizationId AND character_id IS @characterId
  AND (@characterId IS NOT NULL OR user_id = @userId)`;

/** The documents, the newest first: all, or one page. */
export function listInScope(db: Db, scope: Scope, page = { limit: -1, offset: 0 }): KnowledgeDocument[] {
  const sql = `SELECT * FROM knowledge_documents WHERE ${inScope} ORDER BY seq DESC LIMIT @limit OFFSET @offset`;
  return listRows(db, 'knowledge_documents', sql, { ...scope, ...page });
}

export function countInScope(db: Db, scope: Scope): number {
  return (
    db.get<{ total: number }>(`SELECT count(*) AS total FROM knowledge_documents WHERE ${inScope}`, { ...scope })
      ?.total ?? 0
  );
}

/** A file that was uploaded and waits to become a document. */
export interface WaitingFile {
  seq: number;
  id: string;
  organization_id: string;
  user_id: string;
  name: string;
  /** A media type. */
  type: string;
  /** The size of the file. */
  bytes: number;
  text: string;
  created_at: number;
}

export function insertWaiting(db: Db, file: WaitingFile): void {
  insert(db, 'document_uploads', file);
}

export function findWaiting(db: Db, id: string): WaitingFile | undefined {
  return db.get<WaitingFile>('SELECT * FROM document_uploads WHERE id = @id', { id });
}

export function removeWaiting(db: Db, id: string): void {
  db.run('DELETE FROM document_uploads WHERE id = @id', { id });
}

/** How many files of an organization wait, and how many bytes of text they have. */
export function waitingOf(db: Db, organizationId: string): { files: number; bytes: number } {
  const row = db.get<{ files: number; bytes: number | null }>(
    `SELECT count(*) AS files, sum(length(CAST(text AS BLOB))) AS bytes FROM document_uploads
      WHERE organization_id = @organizationId`,
    { organizationId },
  );
  return { files: row?.files ?? 0, bytes: row?.bytes ?? 0 };
}
