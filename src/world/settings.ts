// The settings of one world, which override those of the emulator, and the redaction that follows from them.

import * as z from 'zod';
import { withProfile } from '../config/profiles.js';
import { type Config, configSchema } from '../config/schema.js';
import { memoizeMany } from '../core/memoize-last.js';
import { createRedactor, type Redactor } from '../core/redact.js';
import { isTree, mergeTrees, type Tree } from '../core/tree.js';
import type { Db } from '../db/db.js';
import { readMeta, readMetaJson, writeMeta } from '../db/meta.js';

/** A world's overrides of the emulator's settings: parts of the settings file. */
export type Overlay = Tree;

/** The settings in force; without an overlay they are the emulator's own object. */
export function overlaid(base: Config, overlay: Overlay): Config {
  return inForce(base, overlay).config;
}

/** The part of an overlay that is in force. */
export function allowedOf(base: Config, overlay: Overlay): Overlay {
  return inForce(base, overlay).overlay;
}

function inForce(base: Config, overlay: Overlay): { config: Config; overlay: Overlay } {
  if (Object.keys(overlay).length === 0) return { config: base, overlay };
  const { success, data: profile } = configSchema.shape.profile.safeParse(overlay.profile ?? base.profile);
  const under = success && profile !== base.profile ? withProfile(base, profile) : base;
  const parsed = configSchema.safeParse(mergeTrees(under as unknown as Tree, overlay));
  if (parsed.success) return { config: parsed.data, overlay };
  // Clients' overlays are checked before. An older version may have stored what is refused now: the emulator's own applies.
  const allowed = structuredClone(overlay);
  const isLess = parsed.error.issues.map((issue) => {
    const inside = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
    return inside.some((name) => remove(allowed, name === undefined ? issue.path : [...issue.path, name]));
  });
  if (!isLess.includes(true)) throw parsed.error;
  return inForce(base, allowed);
}

/** Removes what is at a path, or the list around it; returns whether there was something. */
function remove(tree: Tree, [step, ...rest]: readonly PropertyKey[]): boolean {
  const name = String(step);
  if (!Object.hasOwn(tree, name)) return false;
  const below = tree[name];
  return rest.length > 0 && isTree(below) ? remove(below, rest) : delete tree[name];
}

const shape: z.ZodType<Overlay> = z.lazy(() => z.record(z.string(), z.unknown()));

export function readOverlay(db: Db): Overlay {
  // Worlds of former versions chose today's server by a setting of its own.
  const { contract, ...overlay } = readMetaJson(db, 'settings', shape) ?? {};
  return contract === 'v2' ? { profile: 'elizacloud', ...overlay } : overlay;
}

export function writeOverlay(db: Db, overlay: Overlay): void {
  writeMeta(db, 'settings', JSON.stringify(overlay));
}

/** The redactor of a world with these settings. */
export function redactorOf(db: Db, { keys: { prefix, livePrefix } }: Config): Redactor {
  // The seeded key keeps the prefix that it was made with.
  return redactorFor(JSON.stringify([livePrefix, prefix, readMeta(db, 'keyPrefix') ?? prefix]));
}

// Worlds whose keys begin alike share one: its patterns, and the names that it knows, are 10 of the 64 KB of a used world's
// objects.
const redactorFor = memoizeMany(100, (prefixes: string): Redactor => {
  const [live = '', ...others] = JSON.parse(prefixes) as string[];
  return createRedactor(others, live);
});
