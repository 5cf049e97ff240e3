// The facts about a world (other than the default one) that are known without opening it.

import type { ClockState } from '../core/clock.js';
import type { Tree } from '../core/tree.js';
import type { SeededIdentity } from './seeded.js';

/** The request that created a world, normalized: equal requests give equal values. */
export interface AskedWorld extends Tree {
  label?: string;
  seed?: string;
  clock?: { start?: string | undefined; frozen?: boolean | undefined };
  scenario?: unknown;
  /** The point of another world's history at which it begins. */
  at?: { world?: string; point?: number | string; requestId?: string; side?: 'after' | 'before' };
  port?: number;
  /** Whose it is: the directory, and its branch. */
  checkout?: Checkout;
  /** Milliseconds. */
  ttl: number;
}

/** A directory that a world was made for. */
export interface Checkout {
  /** Its real path. */
  root: string;
  /** The branch of version control that was checked out there. */
  branch?: string | undefined;
}

/** The ttl of a world that does not end by itself: a hundred years. */
export const endless = 100 * 365 * 86_400_000;

export interface MadeWorld {
  id: string;
  asked: AskedWorld;
  /** The name of the control token that made it; '' for none. */
  owner: string;
  identity: SeededIdentity;
  /** The clock of the world while the world is closed. */
  clock: ClockState;
  ttl: number;
  /** The port of its own. */
  port: number | null;
  /** The hashes of its keys. */
  hashes: readonly string[];
  /** The digests of its images. */
  blobs: readonly string[];
}
