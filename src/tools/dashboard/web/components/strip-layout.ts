// The layout of a strip of time: marks gathered into bins, and the ticks of its axis.

import type { Tone } from './parts.js';

export interface Mark {
  key: string;
  /** Milliseconds. */
  at: number;
  tone: Tone;
  /** The mark has not happened yet. */
  isAhead: boolean;
  title: string;
  result: string;
}

/** Marks that lie so close together that they are drawn as one. */
export interface Bin {
  /** Pixels from the left. */
  x: number;
  count: number;
  /** The worst of them; of equal ones the latest. */
  mark: Mark;
}

export interface Stretch {
  from: number;
  until: number;
  /** Pixels. */
  width: number;
}

/** Pixels. */
export const laneHeight = 20;
export const axisHeight = 20;
const binWidth = 7;
const beside = 5;
/** The page's clock is a little behind. */
const slack = 1_000;
const rank: Record<Tone, number> = { neutral: 0, ahead: 1, good: 1, warning: 2, bad: 3 };

export function placeOf(at: number, { from, until, width }: Stretch): number {
  return ((at - from) / (until - from)) * width;
}

/** The bins of a lane from left to right, those ahead apart from those that were. */
export function binsOf(marks: readonly Mark[], stretch: Stretch, now: number): Bin[] {
  const bins = new Map<number, Bin>();
  for (const mark of marks) {
    if (mark.at < stretch.from || mark.at > stretch.until) continue;
    // A forecast that has just come true follows as a past mark in a moment; past marks after now were undone by a restore.
    if (mark.isAhead ? mark.at <= now : mark.at > now + slack) continue;
    const x = placeOf(mark.at, stretch);
    const column = Math.floor(x / binWidth);
    const id = mark.isAhead ? column + 0.5 : column;
    const bin = bins.get(id);
    if (bin === undefined) {
      bins.set(id, { x, count: 1, mark });
      continue;
    }
    bin.x += (x - bin.x) / ++bin.count;
    if (rank[mark.tone] >= rank[bin.mark.tone]) bin.mark = mark;
  }
  // Beside the line of now, not on it: what happened lies to its left.
  const line = placeOf(now, stretch);
  for (const bin of bins.values())
    bin.x = bin.mark.isAhead ? Math.max(bin.x, line + beside) : Math.min(bin.x, line - beside);
  return [...bins.values()].sort((one, other) => one.x - other.x);
}

/** The index of the bin that is closest to a place; -1: there is none. */
export function closest(bins: readonly Bin[], x: number): number {
  return bins.reduce((best, bin, index) => {
    const former = bins[best];
    return former === undefined || Math.abs(bin.x - x) < Math.abs(former.x - x) ? index : best;
  }, -1);
}

/** An SVG path: a dot for one mark, a pill for several, which grows with their number. */
export function pathOf(bins: readonly Bin[], middle: number, most: number): string {
  return bins
    .map(({ x, count }) => {
      const length = count === 1 ? 0.01 : Math.min(most, 2 + 2 * Math.log2(count));
      return `M${x} ${(middle - length / 2).toFixed(2)}v${length.toFixed(2)}`;
    })
    .join('');
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const steps = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * day),
];
const tickDistance = 96;

export interface Tick {
  at: number;
  x: number;
  text: string;
}

/** Round instants, far enough from each other for their names. */
export function ticksOf(stretch: Stretch): Tick[] {
  const { from, until, width } = stretch;
  const least = ((until - from) / Math.max(1, width)) * tickDistance;
  const step = steps.find((one) => one >= least) ?? least;
  const ticks: Tick[] = [];
  for (let at = Math.ceil(from / step) * step; at <= until; at += step)
    ticks.push({ at, x: placeOf(at, stretch), text: tickText(at, step) });
  return ticks;
}

function tickText(at: number, step: number): string {
  const text = new Date(at).toISOString();
  if (step >= day || at % day === 0) return text.slice(5, 10);
  if (step >= minute) return text.slice(11, 16);
  return step >= second ? text.slice(11, 19) : text.slice(11, 21);
}

const spans = [
  ...[0.5, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 45].map((count) => count * minute),
  ...[1, 1.5, 2, 3, 4, 6, 9, 12, 18].map((count) => count * hour),
  ...[1, 1.5, 2, 3, 5, 7, 10, 14, 20, 30, 45, 60, 90, 180, 400].map((count) => count * day),
];
/** The longest span that many things are worth. */
export const longSpan = 6 * hour;

/** The part of a strip that lies before now. */
export const pastShare = 0.62;

/** A round span that reaches so far back and ahead. */
export function usualSpan(back: number, forth: number): number {
  const wanted = Math.max(back / pastShare, forth / (1 - pastShare)) * 1.1;
  return spans.find((span) => span >= wanted) ?? 400 * day;
}
