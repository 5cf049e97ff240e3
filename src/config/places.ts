// The settings that are paths: those in a file count from its directory, as its author sees them.

import { resolve } from 'node:path';
import { isTree, readPath, type Tree, writePath } from '../core/tree.js';
import { isScenarioFile } from './names.js';

const places = ['data.dir', 'data.scenarios', 'data.receipt', 'replies.folder'];

/**
 * The settings of a file with its relative paths made absolute, unless they mean the same in the working directory.
 *
 * @example settingsFrom('/shop', { data: { dir: 'state' } }, '/shop/src') // { data: { dir: '/shop/state' } }
 */
export function settingsFrom(directory: string, settings: Tree, cwd: string): Tree {
  if (resolve(cwd) === directory) return settings;
  const moved = structuredClone(settings);
  // What is no path yet, the schema refuses in the words of the file.
  const place = (value: unknown): unknown =>
    typeof value === 'string' && value !== '' ? resolve(directory, value) : value;
  for (const path of places) {
    const value = readPath(moved, path);
    if (value !== undefined) writePath(moved, path, place(value));
  }
  if (typeof moved.scenario === 'string' && isScenarioFile(moved.scenario)) moved.scenario = place(moved.scenario);
  const speech = readPath(moved, 'voice.speech');
  if (Array.isArray(speech))
    for (const entry of speech) if (isTree(entry) && 'file' in entry) entry.file = place(entry.file);
  return moved;
}
