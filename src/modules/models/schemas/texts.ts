// Strings: named after where they stand, in a format, or to match patterns.

import { invalid } from '../../../core/errors.js';
import { lengthOf } from './check.js';
import type { Leaf } from './choices.js';
import { textsOfFormat } from './formats.js';
import { fail, type Maker, mostCharacters, type Place, tooLong } from './maker.js';
import { type Node, numberOf, pathOf, wordOf } from './nodes.js';
import { readRegex } from './regex.js';
import { textsFor } from './regex-make.js';

const mostNumbered = 2_000;
const odd = ['', ' ', '0', '1', 'a', 'A', 'é', 'true', '2026-01-01', 'https://example.com/', 'user@example.com'];

/** Strings that may fit a leaf, the plainest first. */
export function* textsIn(maker: Maker, leaf: Leaf, place: Place): Generator<string> {
  const { nodes } = leaf;
  const [node = maker.schemas.root] = nodes;
  const least = Math.max(0, ...nodes.map((one) => numberOf(one, 'minLength') ?? 0));
  const most = Math.min(Infinity, ...nodes.map((one) => numberOf(one, 'maxLength') ?? Infinity));
  if (least > most) return fail(maker, node.path, `asks for ${least} characters, and allows ${most}`, place.depth);
  if (least > mostCharacters) throw tooLong({ above: node.path, step: 'minLength' });
  for (const text of tried(maker, nodes, place.name, least, most)) {
    maker.schemas.spend(1 + (text.length >> 4));
    const length = lengthOf(text);
    if (length < least || length > most) continue;
    maker.spendText(length, node);
    yield text;
  }
}

function* tried(
  { now, schemas }: Maker,
  nodes: readonly Node[],
  name: string,
  least: number,
  most: number,
): Generator<string> {
  const patterns = nodes.filter((node) => wordOf(node, 'pattern') !== undefined);
  const formats = nodes.flatMap((node) => textsOfFormat(String(wordOf(node, 'format')), now) ?? []);
  for (const text of formats) yield* [text, text.padEnd(least, '.')];
  yield fitted(name, 0, least, most);
  const regexes = patterns.map((node) => {
    const pattern = String(wordOf(node, 'pattern'));
    const regex = readRegex(pattern);
    if (typeof regex !== 'string') return regex;
    const path = pathOf({ above: node.path, step: 'pattern' });
    throw invalid({ path, message: regex, received: JSON.stringify(pattern.slice(0, 60)) });
  });
  if (regexes.length > 1) {
    const firsts = regexes.map((regex) => textsFor(regex, 0, schemas.spend).next().value as string);
    for (const order of orders(firsts.slice(0, 4))) yield order.join('').padEnd(least, order.at(-1) ?? '.');
  }
  for (const regex of regexes) yield* textsFor(regex, least, schemas.spend);
  for (const text of odd) yield* [text, text.padEnd(least, '.')];
  for (let n = 1; n <= mostNumbered; n++) yield fitted(name, n, least, most);
}

function* orders<Item>(items: readonly Item[]): Generator<Item[]> {
  if (items.length <= 1) return yield [...items];
  for (const [index, item] of items.entries())
    for (const rest of orders(items.toSpliced(index, 1))) yield [item, ...rest];
}

/** The n-th text that is named so, in the lengths that are allowed. */
function fitted(name: string, n: number, least: number, most: number): string {
  const short = Number.isFinite(most) ? Math.max(0, most) : undefined;
  const number = n === 0 ? '' : (short ?? 9) < 4 ? n.toString(36) : String(n + 1);
  const characters = [...name.slice(0, 1_000)];
  const kept = short === undefined ? characters : characters.slice(0, Math.max(0, short - number.length));
  const text = kept.join('') + number;
  const missing = least - kept.length - number.length;
  return missing > 0 ? text + '.'.repeat(missing) : text;
}
