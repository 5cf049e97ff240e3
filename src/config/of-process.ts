// The settings that belong to a process: which of them a running one cannot change, and which are of no use to another.

import { readPath, type Tree, writePath } from '../core/tree.js';
import type { Config } from './schema.js';

/** The settings that a running emulator takes only with a new start. The documents list them from here. */
export const startOnly = [
  'server',
  'data',
  'worlds',
  'log',
  'seed',
  'scenario',
  'clock.start',
  'clock.frozen',
  'containers.urlStyle',
  'containers.run',
] as const;

/** Other settings, with those in force where only a start can change them. */
export function keepingStart(now: Config, next: Config): Config {
  const kept = structuredClone(next) as unknown as Tree;
  for (const path of startOnly) writePath(kept, path, readPath(now, path));
  return kept as unknown as Config;
}

/**
 * The settings that an emulator in a process takes from its options alone, with their values there: a file and the
 * environment mean them for the emulator that `cloudemu start` runs, whose port and data are its own.
 */
export const optionsOnly: Readonly<Record<string, unknown>> = {
  'server.port': 0,
  'server.host': 'localhost',
  'server.publicUrl': null,
  'server.worldDomain': null,
  'server.controlToken': null,
  'server.controlTokens': [],
  'data.dir': '.cloudemu',
  'data.ephemeral': true,
  'data.receipt': null,
  'worlds.persist': false,
};

/** Sets what an emulator in a process takes from its options alone. */
export function applyOptionsOnly(config: Config, isOption: (path: string) => boolean): void {
  for (const [path, value] of Object.entries(optionsOnly)) {
    if (isOption(path)) continue;
    // A named directory means that the data are to be kept there.
    const isKept = path === 'data.ephemeral' && isOption('data.dir');
    writePath(config as unknown as Tree, path, isKept ? false : structuredClone(value));
  }
}
