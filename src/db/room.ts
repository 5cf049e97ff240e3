// How many things a world holds: so much is read, shown and sorted at once.

import { ApiError, type ErrorCode } from '../core/errors.js';
import type { Db } from './db.js';
import { imageSize } from './image.js';

/** A restore, an export and a comparison work on all data of a world at once: of so much, within a quarter of a second. */
const mostMegabytes = 24;
const mostBytes = mostMegabytes * 1_048_576;
/** The bounds on how many things a world holds bound those of smaller ones. */
export const smallBytes = 8_192;

const bounds = {
  containers: { most: 2_000, things: 'containers' },
  agents: { most: 2_000, things: 'agents' },
  hosted_agents: { most: 500, things: 'hosted agents' },
  registry_manifests: { most: 1_000, things: 'manifests of images' },
};

/** The bytes that a world takes, those of journal and history among them. */
export function usedBytes(db: Db): number {
  const sql = `SELECT (page_count - freelist_count) * page_size AS used
    FROM pragma_page_count, pragma_page_size, pragma_freelist_count`;
  return db.get<{ used: number }>(sql)?.used ?? 0;
}

/**
 * Lets pass what has added little, or has left a world with as much as it may hold.
 *
 * @param before the bytes that the world took before
 * @throws ApiError PAYLOAD_TOO_LARGE
 */
export function requireSpace(db: Db, before: number): void {
  const used = usedBytes(db);
  if (used <= mostBytes || used - before <= smallBytes || imageSize(db) <= mostBytes) return;
  throw new ApiError('PAYLOAD_TOO_LARGE', {
    message: `A world holds at most ${mostMegabytes} MB of data: delete some, or use another world`,
  });
}

/** @throws ApiError with `code`, by default VALIDATION_ERROR, where a world holds as many things of a kind as it may */
export function requireRoom(db: Db, table: keyof typeof bounds, code: ErrorCode = 'VALIDATION_ERROR'): void {
  const { most, things } = bounds[table];
  const count = db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0;
  if (count < most) return;
  throw new ApiError(code, {
    message: `A world holds at most ${most.toLocaleString('en')} ${things}: delete some, or use another world`,
  });
}
