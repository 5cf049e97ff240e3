// The facts about a world (other than the default one) that are known without opening it.

import type { Clock } from '../core/clock.js';
import type { Tree } from '../core/tree.js';
import type { SeededIdentity } from './seeded.js';

/** The request that created a world, normalized: equal requests give equal values. */
export interface AskedWorld extends Tree {
  label?: string;
  seed?: string;
  clock?: { start?: string | undefined; frozen?: boolean | undefined };
  scenario?: unknown;
  port?: number;
  /** Milliseconds. */
  ttl: number;
}

export interface MadeWorld {
  id: string;
  asked: AskedWorld;
  /** The name of the control token that made it; '' for none. */
  owner: string;
  identity: SeededIdentity;
  /** The clock of the world while the world is closed. */
  clock: Clock;
  ttl: number;
  /** The port of its own. */
  port: number | null;
  /** The hashes of its keys. */
  hashes: readonly string[];
  /** The digests of its images. */
  blobs: readonly string[];
}
