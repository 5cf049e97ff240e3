// Queued replies, how often fixtures have replied, and responses that later requests may continue.

import type { Reply } from '../../config/replies.js';
import { cached } from '../../db/cached-reads.js';
import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { listRows } from '../../db/stored-json.js';

export interface QueuedRow {
  seq: number;
  id: string;
  /** The models that it is for; null: any. */
  model: string | null;
  reply: Reply;
  /** How often it is still to be given. */
  times: number;
  created_at: number;
}

export function insertQueued(db: Db, row: QueuedRow): void {
  insert(db, 'reply_queue', row);
}

/** Queued replies, the oldest first. */
export const listQueued = cached(['reply_queue'], (db) =>
  listRows<QueuedRow>(db, 'reply_queue', 'SELECT * FROM reply_queue ORDER BY seq'),
);

export function countQueued(db: Db): number {
  return db.get<{ n: number }>('SELECT count(*) AS n FROM reply_queue')?.n ?? 0;
}

/** Counts a use of a queued reply; the last use removes it. */
export function takeQueued(db: Db, { seq, times }: Pick<QueuedRow, 'seq' | 'times'>): void {
  if (times <= 1) db.run('DELETE FROM reply_queue WHERE seq = @seq', { seq });
  else db.run('UPDATE reply_queue SET times = times - 1 WHERE seq = @seq', { seq });
}

export function clearQueued(db: Db): number {
  return db.run('DELETE FROM reply_queue');
}

/** How often the fixture of a key has replied. */
export function usesOf(db: Db, key: string): number {
  return db.get<{ uses: number }>('SELECT uses FROM reply_uses WHERE key = @key', { key })?.uses ?? 0;
}

export function countUse(db: Db, key: string): void {
  db.run('INSERT INTO reply_uses (key, uses) VALUES (@key, 1) ON CONFLICT (key) DO UPDATE SET uses = uses + 1', {
    key,
  });
}

export interface ResponseRow {
  seq: number;
  id: string;
  organization_id: string;
  /** The response that it went on from. */
  previous_id: string | null;
  /** The items of the request, as JSON. */
  input: string;
  /** The items of the response, as JSON. */
  output: string;
  created_at: number;
}

/** Keeps a response, and lets go of those that are older than the last so many. */
export function insertResponse(db: Db, row: ResponseRow, itemIds: readonly string[], kept: number): void {
  insert(db, 'ai_responses', row);
  for (const id of itemIds) insert(db, 'ai_items', { id, response_seq: row.seq });
  db.run('DELETE FROM ai_responses WHERE seq <= @seq', { seq: row.seq - kept });
}

/** A response of an organization; null: of any. */
export function findResponse(db: Db, organizationId: string | null, id: string): ResponseRow | undefined {
  return db.get<ResponseRow>(
    'SELECT * FROM ai_responses WHERE id = @id AND organization_id = ifnull(@organizationId, organization_id)',
    { id, organizationId },
  );
}

/** The `seq` of the response that answered an item, of an organization; null: of any. */
export function findOutputOfItem(db: Db, organizationId: string | null, itemId: string): number | undefined {
  return db.get<{ seq: number }>(
    `SELECT ai_responses.seq FROM ai_items JOIN ai_responses ON ai_responses.seq = ai_items.response_seq
      WHERE ai_items.id = @itemId AND organization_id = ifnull(@organizationId, organization_id)`,
    { itemId, organizationId },
  )?.seq;
}

/** The items of a response, as JSON. */
export function findOutput(db: Db, seq: number): string {
  return db.get<{ output: string }>('SELECT output FROM ai_responses WHERE seq = @seq', { seq })?.output ?? '[]';
}
