// How many things a world holds: so much is read, shown and sorted at once.

import { ApiError, type ErrorCode } from '../core/errors.js';
import type { Db } from './db.js';
import { imageSize } from './image.js';

/** A restore, an export and a comparison work on all data of a world at once: of so much, within a quarter of a second. */
const mostMegabytes = 40;
const megabyte = 1_048_576;

const bounds = {
  containers: { most: 2_000, things: 'containers' },
  agents: { most: 2_000, things: 'agents' },
  hosted_agents: { most: 500, things: 'hosted agents' },
  registry_manifests: { most: 1_000, things: 'manifests of images' },
};

/** @throws ApiError PAYLOAD_TOO_LARGE where a world holds more data than it may */
export function requireSpace(db: Db): void {
  if (imageSize(db) <= mostMegabytes * megabyte) return;
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
