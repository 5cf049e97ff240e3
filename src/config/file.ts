// The settings file: finding it, reading it, and locating errors in its JSON.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { configFileName, nearestWith } from '../core/root.js';
import { isTree, type Tree } from '../core/tree.js';
import { ConfigError } from './error.js';
import { readJsonFile } from './json-file.js';

/** The places where the settings file may be. */
export interface FileSources {
  /** The file that was asked for; must exist. Without it, `emulator.config.json` of `cwd` or the nearest directory above; null: none. */
  file?: string | null | undefined;
  cwd?: string | undefined;
  env?: Record<string, string | undefined> | undefined;
  /** Whether the emulator runs in a process that is not the command's own. */
  inProcess?: boolean | undefined;
}

/**
 * The file to read: the one asked for, CLOUDEMU_CONFIG, or the emulator.config.json of the nearest directory upwards that
 * has one; null for none.
 *
 * @throws ConfigError when a file that was asked for is missing
 */
export function findConfigFile({ file, cwd = process.cwd(), env = {}, inProcess = false }: FileSources): string | null {
  if (file === null) return null;
  const fromEnvironment = env.CLOUDEMU_CONFIG === '' ? undefined : env.CLOUDEMU_CONFIG;
  const wanted = file ?? fromEnvironment;
  if (wanted === undefined) {
    const directory = nearestWith([configFileName], cwd);
    return directory === undefined ? null : join(directory, configFileName);
  }
  const path = resolve(cwd, wanted);
  if (existsSync(path)) return path;
  const source = file === undefined ? 'CLOUDEMU_CONFIG' : inProcess ? 'createEmulator: configFile' : '--config';
  throw new ConfigError([`${path}: there is no such file (${source}). \`cloudemu init\` writes an ${configFileName}.`]);
}

/**
 * The settings in a file.
 *
 * @throws ConfigError when it cannot be read or is not one JSON object
 */
export function readConfigFile(file: string): Tree {
  const reading = readJsonFile(file);
  if ('problem' in reading) throw new ConfigError([`${file}: ${reading.problem}`]);
  if (!isTree(reading.value)) throw new ConfigError([`${file}: must hold one JSON object of settings`]);
  return reading.value;
}
