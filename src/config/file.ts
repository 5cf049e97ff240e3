// The settings file: finding it, reading it, and locating errors in its JSON.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isTree, type Tree } from '../core/tree.js';
import { ConfigError } from './error.js';
import { readJsonFile } from './json-file.js';

/** The places where the settings file may be. */
export interface FileSources {
  /** The file that was asked for; must exist. Without it, `emulator.config.json` in `cwd` is read if it is there; null: none. */
  file?: string | null | undefined;
  cwd?: string | undefined;
  env?: Record<string, string | undefined> | undefined;
}

export const configFileName = 'emulator.config.json';

/**
 * The file to read: the one asked for, CLOUDEMU_CONFIG, or emulator.config.json if it is there; null for none.
 *
 * @throws ConfigError when a file that was asked for is missing
 */
export function findConfigFile({ file, cwd = process.cwd(), env = {} }: FileSources): string | null {
  if (file === null) return null;
  const fromEnvironment = env.CLOUDEMU_CONFIG === '' ? undefined : env.CLOUDEMU_CONFIG;
  const wanted = file ?? fromEnvironment;
  const path = resolve(cwd, wanted ?? configFileName);
  if (existsSync(path)) return path;
  if (wanted === undefined) return null;
  const source = file === undefined ? 'CLOUDEMU_CONFIG' : '--config';
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
