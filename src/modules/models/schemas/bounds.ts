// The bounds and steps of numbers, and whether one keeps to them.

import { type Node, numberOf, wordOf } from './nodes.js';

/** The bounds that a part sets to numbers; also those of older drafts, whose exclusive bounds are true or false. */
export function boundsOf(node: Node): { low: number; high: number; isAbove: boolean; isBelow: boolean } {
  const [least, most] = [numberOf(node, 'minimum') ?? -Infinity, numberOf(node, 'maximum') ?? Infinity];
  const [above, below] = [wordOf(node, 'exclusiveMinimum'), wordOf(node, 'exclusiveMaximum')];
  const low = typeof above === 'number' ? Math.max(least, above) : least;
  const high = typeof below === 'number' ? Math.min(most, below) : most;
  return {
    low,
    high,
    isAbove: above === true || (typeof above === 'number' && above >= least),
    isBelow: below === true || (typeof below === 'number' && below <= most),
  };
}

/** Whether a number lies within the bounds of a part, and is one of its steps. */
export function fitsNumber(node: Node, value: number): boolean {
  const { low, high, isAbove, isBelow } = boundsOf(node);
  if (value < low || value > high || (isAbove && value === low) || (isBelow && value === high)) return false;
  const step = numberOf(node, 'multipleOf');
  // Some validators divide, others count decimals: a value must do for both.
  return step === undefined || (Number.isInteger(value / step) && isDecimalMultiple(value, step));
}

function isDecimalMultiple(value: number, step: number): boolean {
  const [a, b] = [decimal(value), decimal(step)];
  if (a === undefined || b === undefined) return true;
  const places = Math.max(a.places, b.places);
  return (a.digits * 10n ** BigInt(places - a.places)) % (b.digits * 10n ** BigInt(places - b.places)) === 0n;
}

/** A number as a whole one and its decimal places; undefined for those with very many. */
export function decimal(value: number): { digits: bigint; places: number } | undefined {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const places = fraction.length - Number(power);
  if (whole === '' || Math.abs(places) > 60) return undefined;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}
