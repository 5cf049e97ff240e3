// Cuts a large document of JSON into the entries of one list in it, without holding more than one of them.

import { most, tooDense, Unreadable } from './unreadable.js';

const code = (sign: string): number => sign.charCodeAt(0);
const [quote, backslash, comma, colon] = [code('"'), code('\\'), code(','), code(':')];
const [brace, braceEnd, bracket, bracketEnd] = [code('{'), code('}'), code('['), code(']')];
const longestName = 100;

/**
 * Reads JSON piece by piece.
 *
 * @param path the names of objects in which a list lies, such as log and entries
 * @param visit is given each entry of that list
 * @returns the document without these entries
 * @throws Unreadable where it is no JSON, ends too early, or is beyond a bound
 */
export function readEntries(
  pieces: Iterable<Buffer>,
  path: readonly string[],
  visit: (entry: unknown) => void,
): unknown {
  const outside = new Gathered();
  const entry = new Gathered();
  // The name under which each open object is going on.
  const names: string[] = [];
  let depth = 0;
  let inText = false;
  let escaped = false;
  let text = '';
  // The depth of the list, once it is open.
  let list: number | undefined;
  // Of the part that is read whole next: what is dense takes far more memory than its text.
  let commas = 0;
  const finish = (): void => {
    commas = 0;
    const bytes = entry.take();
    if (bytes.length > 0) visit(parsed(bytes.toString()));
  };
  for (const piece of pieces) {
    // Where the part that is not gathered yet begins.
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const sign = piece[at];
      if (inText) {
        if (escaped) escaped = false;
        else if (sign === backslash) escaped = true;
        else if (sign === quote) inText = false;
        else if (depth <= path.length && text.length < longestName) text += String.fromCharCode(sign ?? 0);
        continue;
      }
      if (sign === quote) {
        inText = true;
        text = '';
      } else if (sign === colon) {
        if (depth <= path.length) names[depth] = text;
      } else if (sign === brace || sign === bracket) {
        if (++depth > most.depth) throw new Unreadable(`nests deeper than ${most.depth}, which no recording does`);
        const isList = list === undefined && sign === bracket && depth === path.length + 1;
        if (isList && path.every((name, index) => names[index + 1] === name)) {
          outside.add(piece.subarray(from, at + 1));
          from = at + 1;
          list = depth;
        }
        if (depth <= path.length) names[depth] = '';
      } else if (sign === braceEnd || sign === bracketEnd) {
        if (depth === list) {
          entry.add(piece.subarray(from, at));
          from = at;
          finish();
          list = Number.NaN;
        }
        depth--;
      } else if (sign === comma) {
        if (++commas > most.parts) throw tooDense();
        if (depth !== list) continue;
        entry.add(piece.subarray(from, at));
        from = at + 1;
        finish();
      }
    }
    (depth >= (list ?? Number.POSITIVE_INFINITY) ? entry : outside).add(piece.subarray(from));
  }
  if (depth > 0 || inText) throw new Unreadable('ends in the middle: it was cut off, so save or copy it once more');
  return parsed(outside.take().toString());
}

/** Bytes of a part of the document, up to the most that is read whole; their room is used again. */
class Gathered {
  private room = Buffer.allocUnsafe(65_536);
  private bytes = 0;

  add(part: Buffer): void {
    const bytes = this.bytes + part.length;
    if (bytes > most.whole)
      throw new Unreadable(`holds a part of more than ${most.whole / 1_024 / 1_024} MB, where a recording has none`);
    if (bytes > this.room.length) this.room = Buffer.concat([this.room], Math.max(bytes, this.room.length * 2));
    part.copy(this.room, this.bytes);
    this.bytes = bytes;
  }

  take(): Buffer {
    const whole = this.room.subarray(0, this.bytes);
    this.bytes = 0;
    return whole;
  }
}

function parsed(text: string): unknown {
  if (text.trim() === '') throw new Unreadable('is no JSON');
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new Unreadable('is no JSON: what it holds breaks off or is damaged');
  }
}

/** The lines of a text, one after the other. */
export function* linesOf(pieces: Iterable<Buffer>): Generator<string> {
  let rest = Buffer.alloc(0);
  for (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      yield Buffer.concat([rest, piece.subarray(from, end)]).toString();
      rest = Buffer.alloc(0);
      from = end + 1;
    }
    // A copy: the next piece takes its place.
    rest = Buffer.concat([rest, piece.subarray(from)]);
    if (rest.length > most.whole) throw new Unreadable('has a line of more than 32 MB, where a log has none');
  }
  if (rest.length > 0) yield rest.toString();
}
