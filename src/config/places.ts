// The settings that are paths: those in a file count from its directory, as its author sees them.

import { dirname, resolve } from 'node:path';
import { checkoutOf, isBelow } from '../core/checkout-files.js';
import { describe } from '../core/problems.js';
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

/**
 * The settings of a file that name a path outside of its directory, or outside of the checkout that it lies in. A checkout is
 * a stranger's: only a flag or a variable names what lies elsewhere.
 *
 * @param isNamed whether a flag or a variable names the file itself: elsewhere than in a checkout it is the user's own
 * @returns a line for each, beginning with the path of the setting
 */
export function placesOutside(file: string, settings: Tree, isNamed: boolean): string[] {
  const root = isNamed ? checkoutOf(file) : dirname(file);
  if (root === undefined || dirname(root) === root) return [];
  return placesIn(settings).flatMap(([path, value]) =>
    isBelow(resolve(dirname(file), value), root)
      ? []
      : `${path} must lie in ${root}: only a flag or a variable names what lies elsewhere, got ${describe(value)}`,
  );
}

/** The paths that settings name. */
export function placesIn(settings: Tree): [path: string, value: string][] {
  const speech = readPath(settings, 'voice.speech');
  const files = Array.isArray(speech)
    ? speech.map((entry, index) => [`voice.speech[${index}].file`, isTree(entry) ? entry.file : undefined] as const)
    : [];
  const { scenario } = settings;
  const named = typeof scenario === 'string' && isScenarioFile(scenario) ? [['scenario', scenario] as const] : [];
  return [...places.map((path) => [path, readPath(settings, path)] as const), ...files, ...named].flatMap(
    ([path, value]) => (typeof value === 'string' && value !== '' ? [[path, value] as [string, string]] : []),
  );
}
