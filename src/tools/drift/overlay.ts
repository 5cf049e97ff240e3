// Settings with which the emulator would say what the platform says.

import { leafPaths, readPath, type Tree } from '../../core/tree.js';
import type { Finding } from './ledger.js';

/** A setting with another value. */
export interface Changed {
  path: string;
  value: unknown;
}

/**
 * What the settings of an assumption may be instead, by a finding that refutes it: a number that the emulator has said becomes
 * the platform's, a switch is turned over, another word of a choice is taken. Whether one of them helps shows when it is tried.
 *
 * @param setting as an assumption names it: "errors.style", "quotas.*"
 * @param wordsOf the words that a setting may have
 */
export function alternativesTo(
  { platform, emulator }: Pick<Finding, 'platform' | 'emulator'>,
  setting: string,
  settings: Tree,
  wordsOf: (path: string) => readonly unknown[],
): Changed[] {
  const own = setting.replace(/\.\*$/, '');
  const said = numbersIn(emulator);
  const [wanted] = numbersIn(platform);
  const isSaid = (value: unknown): boolean => typeof value === 'number' && said.includes(value);
  const all = leafPaths(settings).flatMap((path): Changed[] => {
    if (path !== own && !path.startsWith(`${own}.`)) return [];
    const value = readPath(settings, path);
    if (typeof value === 'boolean') return [{ path, value: !value }];
    if (wanted !== undefined && isSaid(value)) return [{ path, value: wanted }];
    if (wanted !== undefined && Array.isArray(value))
      return value.flatMap((one, index) => (isSaid(one) ? [{ path, value: value.with(index, wanted) }] : []));
    return wordsOf(path)
      .filter((word) => word !== value)
      .map((word) => ({ path, value: word }));
  });
  // A number that was said is the best guess.
  const isNumber = ({ value }: Changed): boolean => typeof value === 'number' || Array.isArray(value);
  return [...all.filter(isNumber), ...all.filter((one) => !isNumber(one))];
}

/** The numbers of the contract in what a side said: `=25`, `403`. */
const numbersIn = (kinds: string): number[] =>
  kinds.split(' or ').flatMap((kind) => (/^=?\d+(\.\d+)?$/.test(kind) ? [Number(kind.replace('=', ''))] : []));
