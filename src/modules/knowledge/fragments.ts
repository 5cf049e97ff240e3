// Cutting a text into fragments that can be found: joined they are the text.

import { afterThisTick } from '../../core/clock.js';
import { bytesOf, embed } from '../models/embeddings/vector.js';
import type { Fragment } from './store.js';

/** Numbers of a vector: few, for there are many fragments. */
export const vectorSize = 384;
const longest = 800;
const shortest = 200;
/** Fragments made in one go: a few milliseconds' work. */
const sliceFragments = 50;
/** Where to cut, best first: after paragraphs, lines, sentences, words. */
const ends = [/\n\s*\n/g, /\n/g, /[.!?。！？]\s*/g, /\s/g];

/** The parts of a text. */
export function cut(text: string): string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = cutAfter(text, from);
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts;
}

/** The fragments of a text; made in slices, with room for others between them. */
export async function makeFragments(text: string): Promise<Fragment[]> {
  const fragments: Fragment[] = [];
  for (const content of cut(text)) {
    fragments.push({ content, vector: bytesOf(embed(content.trim(), vectorSize)) });
    if (fragments.length % sliceFragments === 0) await new Promise<void>((resolve) => afterThisTick(resolve));
  }
  return fragments;
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
