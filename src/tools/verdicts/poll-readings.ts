// Readings of polls that came too early: of one client in a loop, or of several that each keep the interval.

import type { JournalEntry } from '../journal/journal-entry.js';
import { apart, begunAt, endedAt, groupedBy } from './reading.js';
import { connectionKey } from './relations.js';

/** A poll that comes earlier than this part of the interval after the previous one is too early. */
export const tolerance = 0.9;

const fewestInLoop = 4;
const mostDeviation = 0.15;
const fewestInSlowLoop = 6;
const slightDeviation = 0.02;
/** Timers are no more exact than this. */
const timerMs = 5;
const regularPart = 0.8;
/** Watchers have timers of one length. */
const mostDrift = 0.08;
/** So many polls of a thing are read; the others are like them. */
const mostRead = 2_000;
/** So many watchers (tabs, components, workers) may share one connection or a pool. */
const mostWatchers = 3;

/**
 * Whether polls of one thing keep the interval although some came early. `kept`: one poll is an extra read, or each
 * connection or each of a few watchers keeps it. `broken`: they come from a client that does not keep it. Where both
 * fit, it is kept; undefined where neither shows.
 */
export function readingOf(all: readonly JournalEntry[], interval: number): 'kept' | 'broken' | undefined {
  const polls = all.slice(0, mostRead);
  if (isOneExtra(polls, interval) || isKeptByEach(polls, interval)) return 'kept';
  if (isLoop(polls, interval)) return 'broken';
  const connections = new Set(polls.map(connectionKey)).size;
  if (connections > 1 && connections * 2 > polls.length) return undefined;
  if (areWatchers(polls, interval)) return 'kept';
  const most = mostWithin(polls, interval * tolerance);
  const open = Math.max(...polls.map(({ connection }) => (connection?.others ?? 0) + 1));
  return most >= fewestInLoop && most > 2 * open ? 'broken' : undefined;
}

/**
 * Whether polls come from one client, by whichever connections: several within the time of one, never two at once, after
 * equal gaps. Those of several clients that poll as advised have unequal ones. Two of these may come in turn, so where the
 * time of one holds few polls, there must be more of them, and their gaps nearly the same.
 */
function isLoop(polls: readonly JournalEntry[], interval: number): boolean {
  if (mostWithin(polls, interval * tolerance) >= fewestInLoop) return areOfOneLoop(polls);
  const gaps = gapsOf(polls);
  return (
    polls.length >= fewestInSlowLoop &&
    quantile(gaps, 0.5) < interval * tolerance &&
    !overlap(polls) &&
    isRegular(gaps, slightDeviation)
  );
}

/** Whether requests are those of a loop: never two at once, after equal gaps. */
export function areOfOneLoop(requests: readonly JournalEntry[]): boolean {
  return requests.length >= fewestInLoop && !overlap(requests) && isRegular(gapsOf(requests), mostDeviation);
}

function overlap(requests: readonly JournalEntry[]): boolean {
  return requests.some((one, index) => index > 0 && begunAt(one) < endedAt(requests[index - 1] as JournalEntry));
}

/** One poll more than the interval allows, by a client that otherwise keeps it: it waits, and then reads the details. */
function isOneExtra(polls: readonly JournalEntry[], interval: number): boolean {
  const isKeptGap = (gap: number): boolean => gap >= interval * tolerance;
  const kept = gapsOf(polls).filter(isKeptGap).length;
  // A list is also read to see whether something is there, and then for what there is.
  if (polls.length === 2 && polls[0]?.subject === null) return true;
  // A poll that is too early makes two gaps too short, where it does not come close to another one.
  return (
    kept > 0 &&
    polls.length - 1 - kept <= 2 &&
    polls.some((_, extra) => isKept([...polls.slice(0, extra), ...polls.slice(extra + 1)], interval))
  );
}

/** Several clients, each with a connection that it keeps. */
function isKeptByEach(polls: readonly JournalEntry[], interval: number): boolean {
  const open = Math.max(...polls.map(({ connection }) => (connection?.others ?? 0) + 1));
  const lanes = groupedBy(polls, connectionKey);
  if (lanes.length > open || lanes.filter(({ length }) => length > 1).length < 2) return false;
  return lanes.every((lane) => isKept(lane, interval));
}

/** A few watchers that share what they poll by: each comes regularly and keeps the interval, but together they do not. */
function areWatchers(polls: readonly JournalEntry[], interval: number): boolean {
  const most = mostWithin(polls, interval * tolerance);
  if (most > mostWatchers || polls.length < 2 * most || hasEqualGaps(polls, interval)) return false;
  const watchers: JournalEntry[][] = [];
  for (const poll of polls) {
    // The watcher that has waited just long enough polls next.
    const next = watchers
      .filter((one) => apart(one.at(-1) as JournalEntry, poll) >= interval * tolerance)
      .sort((a, b) => begunAt(b.at(-1) as JournalEntry) - begunAt(a.at(-1) as JournalEntry))[0];
    if (next === undefined) watchers.push([poll]);
    else next.push(poll);
  }
  return watchers.every(({ length }) => length > 1) && isRegular(watchers.flatMap(gapsOf), mostDrift);
}

/** Whether most polls that came too early twice in a row did so after equal gaps, as those of one loop do. */
function hasEqualGaps(polls: readonly JournalEntry[], interval: number): boolean {
  const gaps = gapsOf(polls);
  const pairs = gaps.slice(1).map((gap, index) => [gap, gaps[index] ?? 0] as const);
  const early = pairs.filter((pair) => Math.max(...pair) < interval * tolerance);
  const equal = early.filter(([a, b]) => Math.abs(a - b) < mostDeviation * Math.max(a, b));
  return equal.length * 2 > early.length;
}

function isKept(polls: readonly JournalEntry[], interval: number): boolean {
  return gapsOf(polls).every((gap) => gap >= interval * tolerance);
}

function gapsOf(polls: readonly JournalEntry[]): number[] {
  return polls.slice(1).map((poll, index) => apart(polls[index] as JournalEntry, poll));
}

/** The most polls within so many milliseconds. */
function mostWithin(polls: readonly JournalEntry[], ms: number): number {
  let first = 0;
  let most = 0;
  for (const [index, poll] of polls.entries()) {
    while (apart(polls[first] as JournalEntry, poll) >= ms) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

function isRegular(gaps: readonly number[], most: number): boolean {
  const middle = quantile(gaps, 0.5);
  const deviations = gaps.map((gap) => Math.abs(gap - middle));
  return quantile(deviations, regularPart) < Math.max(middle * most, timerMs);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
