// Reads the fields of recordings: whatever a file holds, a reader gets texts and numbers.

import { isTree } from '../../core/tree.js';

/** A text; anything else is none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A number, also one that is written as a text. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Headers by name in lower case, from texts or lists of texts. */
export function flatHeaders(headers: unknown): Record<string, string> {
  if (!isTree(headers)) return {};
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value),
    ]),
  );
}
