// The settings of one world, which override those of the emulator.

import { type Config, configSchema } from '../config/schema.js';
import { mergeTrees, type Tree } from '../core/tree.js';
import type { Db } from '../db/db.js';
import { readMeta, writeMeta } from '../db/meta.js';

/** What a world has otherwise than the emulator: parts of the settings file. */
export type Overlay = Tree;

/** The settings in force; without an overlay they are the emulator's own object. */
export function overlaid(base: Config, overlay: Overlay): Config {
  if (Object.keys(overlay).length === 0) return base;
  return configSchema.parse(mergeTrees(base as unknown as Tree, overlay));
}

export function readOverlay(db: Db): Overlay {
  return JSON.parse(readMeta(db, 'settings') ?? '{}') as Overlay;
}

export function writeOverlay(db: Db, overlay: Overlay): void {
  writeMeta(db, 'settings', JSON.stringify(overlay));
}
