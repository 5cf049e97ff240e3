// How many things a world holds: so much is read, shown and sorted at once.

import { ApiError, type ErrorCode } from '../core/errors.js';
import type { Db } from './db.js';

const bounds = {
  containers: { most: 2_000, things: 'containers' },
  agents: { most: 2_000, things: 'agents' },
  hosted_agents: { most: 500, things: 'hosted agents' },
  registry_manifests: { most: 1_000, things: 'manifests of images' },
};

/** @throws ApiError with `code`, by default VALIDATION_ERROR, where a world holds as many things of a kind as it may */
export function requireRoom(db: Db, table: keyof typeof bounds, code: ErrorCode = 'VALIDATION_ERROR'): void {
  const { most, things } = bounds[table];
  const count = db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0;
  if (count < most) return;
  throw new ApiError(code, {
    message: `A world holds at most ${most.toLocaleString('en')} ${things}: delete some, or use another world`,
  });
}
