// Cuts texts into fragments that can be found, and bounds how many there are.

import { nextTurn } from '../../core/clock.js';
import { invalid } from '../../core/errors.js';
import { bytesOf, embed } from '../models/embeddings/vector.js';
import { type Fragment, vectorSize } from './store.js';

/** A query compares its question with every fragment of an organization, so these have a limit. */
export const mostFragments = 10_000;

const longest = 800;
const shortest = 200;
/** Fragments of which vectors are made in one turn: some milliseconds' work. */
const madeAtOnce = 20;
/** Places to cut at, best first: after paragraphs, lines, sentences, words. */
const ends = [/\n\s*\n/g, /\n/g, /[.!?。！？]\s*/g, /\s/g];

/**
 * The fragments of texts. All are cut before the first vector is made, which takes far longer.
 *
 * @param there how many the organization has already
 * @throws ApiError VALIDATION_ERROR when it would have too many
 */
export async function makeFragments(texts: readonly string[], there: number): Promise<Fragment[][]> {
  const cuts: string[][] = [];
  let count = there;
  for (const text of texts) {
    const parts = cut(text);
    count += parts.length;
    requireRoom(count);
    cuts.push(parts);
  }
  const made: Fragment[][] = [];
  for (const parts of cuts) {
    const fragments: Fragment[] = [];
    for (const content of parts) {
      fragments.push(fragmentOf(content));
      if (fragments.length % madeAtOnce === 0) await nextTurn();
    }
    made.push(fragments);
  }
  return made;
}

/** The fragments of a short text, made at once. */
export function fragmentsOf(text: string): Fragment[] {
  return cut(text).map(fragmentOf);
}

function fragmentOf(content: string): Fragment {
  return { content, vector: bytesOf(embed(content.trim(), vectorSize)) };
}

/** @throws ApiError VALIDATION_ERROR when an organization would have more fragments than it may */
export function requireRoom(count: number): void {
  if (count <= mostFragments) return;
  throw invalid({
    path: 'content',
    message: `is too much: the documents of an organization have at most ${mostFragments} fragments, of 200 to 800 characters each`,
    received: `${count} fragments in all`,
  });
}

function cut(text: string): string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = cutAfter(text, from);
    parts.push(text.slice(from, to));
    from = to;
    // More than this is refused, so that the rest need not be cut.
    if (parts.length > mostFragments) break;
  }
  return parts;
}

// A paragraph of some length is a fragment of its own; longer ones end where their last sentence or word does.
function cutAfter(text: string, from: number): number {
  const window = text.slice(from, from + longest);
  const paragraph = endsIn(window, ends[0]).find((end) => end >= shortest);
  if (paragraph !== undefined) return from + paragraph;
  if (from + longest >= text.length) return text.length;
  for (const pattern of ends.slice(1)) {
    const last = endsIn(window, pattern).at(-1);
    if (last !== undefined && last >= shortest) return from + last;
  }
  const splitsPair = /[\ud800-\udbff]$/.test(window);
  return from + longest - (splitsPair ? 1 : 0);
}

function endsIn(window: string, pattern: RegExp | undefined): number[] {
  return pattern === undefined ? [] : [...window.matchAll(pattern)].map((match) => match.index + match[0].length);
}
