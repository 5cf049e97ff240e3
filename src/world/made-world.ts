// What is known of a world beside the default one without opening it.

import type { Clock } from '../core/clock.js';
import type { Tree } from '../core/tree.js';
import type { SeededIdentity } from './seeded.js';

/** What was asked of a world, in one form however it was written. */
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
  /** As it stands while nobody uses the world. */
  clock: Clock;
  ttl: number;
  /** The port of its own. */
  port: number | null;
  /** Those of its keys. */
  hashes: readonly string[];
  /** Those of its images. */
  blobs: readonly string[];
}
