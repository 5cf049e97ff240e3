// The settings of this directory that its world in a shared emulator gets: for the rest that has its own.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type LoadedConfig, loadConfig } from '../config/load.js';
import { startOnly } from '../config/of-process.js';
import type { Config } from '../config/schema.js';
import { inRoot } from '../core/root.js';
import { isTree, mergeTrees, type Tree } from '../core/tree.js';
import { createLibrary } from '../tools/scenarios/library.js';
import { documentOfSetting } from '../tools/scenarios/named.js';

/**
 * The settings of the working directory for its world.
 *
 * @param emulator the settings of the shared emulator, which apply where this directory sets nothing
 * @throws ConfigError when they cannot be read
 */
export function worldSettingsHere(emulator: Tree) {
  const loaded = loadConfig({ env: process.env });
  const { config, isSet } = loaded;
  const { seed, clock, worlds, data } = config;
  const start = {
    ...(clock.start !== null && { start: clock.start }),
    ...(isSet('clock.frozen') && { frozen: clock.frozen }),
  };
  const document = (config.scenario === null ? {} : documentOfSetting(createLibrary(data), config.scenario)) as Tree;
  const own = otherwise(withPlaces(config) as unknown as Tree, emulator, meantBy(loaded));
  return {
    /** What this directory sets otherwise than the emulator, and a world can have of its own. */
    settings: mergeTrees(own, isTree(document.settings) ? document.settings : {}),
    /** How the settings make a new world begin, as the request for it says it. */
    beginning: {
      ...(isNone(own) ? {} : { settings: own }),
      ...(seed !== null && { seed }),
      ...(isNone(start) ? {} : { clock: start }),
      ...(isNone(document) ? {} : { scenario: document }),
      ...(worlds.base !== null && { base: worlds.base }),
    } satisfies Tree,
    /** The names of the variables of clients, where this directory has its own. */
    env: isSet('profile') || isSet('env') ? config.env : undefined,
  };
}

/** The paths at which a world has other settings than it would get now. */
export function outdatedIn(settings: Tree, world: Tree, prefix = ''): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const its = world[name];
    if (isTree(value) && isTree(its)) return outdatedIn(value, its, `${prefix}${name}.`);
    return isSame(value, its) ? [] : [prefix + name];
  });
}

const isNone = (tree: Tree): boolean => Object.keys(tree).length === 0;
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

// A profile sets all that it names.
function meantBy({ isSet }: LoadedConfig): (path: string) => boolean {
  const ofEmulator = ['$schema', 'env', ...startOnly];
  const isOfEmulator = (path: string): boolean => ofEmulator.some((one) => path === one || path.startsWith(`${one}.`));
  return (path) => !isOfEmulator(path) && (isSet('profile') || isSet(path) || path === 'replies.folder');
}

function otherwise(here: Tree, emulator: Tree, isMeant: (path: string) => boolean, prefix = ''): Tree {
  const entries = Object.entries(here).flatMap(([name, value]): [string, unknown][] => {
    const theirs = emulator[name];
    // Names of models and the like are no paths: what holds them was set.
    const path = name.includes('.') ? prefix.slice(0, -1) : prefix + name;
    if (!isTree(value) || !isTree(theirs)) return isSame(value, theirs) || !isMeant(path) ? [] : [[name, value]];
    const below = otherwise(value, theirs, isMeant, `${path}.`);
    return isNone(below) ? [] : [[name, below]];
  });
  return Object.fromEntries(entries);
}

// The emulator runs elsewhere.
function withPlaces({ replies, voice, ...config }: Config): Config {
  const folder = replies.folder === null ? inRoot('replies') : resolve(replies.folder);
  return {
    ...config,
    replies: { ...replies, folder: existsSync(folder) ? folder : replies.folder },
    voice: { ...voice, speech: voice.speech.map((entry) => ({ ...entry, file: resolve(entry.file) })) },
  };
}
