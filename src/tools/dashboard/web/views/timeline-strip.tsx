// The timeline as a strip of virtual time: what the list shows, lane by lane.

import { useMemo } from 'preact/hooks';
import type { AheadEntry, TimelineEntry } from '../../timeline.js';
import { Strip } from '../components/strip.js';
import type { StripLane } from '../components/strip-drawing.js';
import { longSpan, type Mark, pastShare, usualSpan } from '../components/strip-layout.js';
import { now } from '../live.js';

type Entry = TimelineEntry | AheadEntry;

/** The lanes of the timeline, which can be shown and hidden. */
export const lanes = [
  ['request', 'Requests'],
  ['container', 'Containers'],
  ['agent', 'Agents'],
  ['job', 'Jobs'],
  ['credits', 'Credits'],
  ['fault', 'Faults'],
  ['clock', 'Clock'],
  ['expiry', 'Expiries'],
] as const;

export type Lane = (typeof lanes)[number][0];

/** The lanes of an entry: a request that a fault met lies in two. */
export function lanesOf(entry: Entry): Lane[] {
  const { kind } = entry;
  if (kind === 'request') return 'fault' in entry && entry.fault !== null ? ['request', 'fault'] : ['request'];
  if (kind === 'marker') return ['clock'];
  if (kind === 'window') return ['expiry'];
  return [kind === 'expiry' && /^fault_/.test(entry.subject ?? '') ? 'fault' : kind];
}

type Marks = Partial<Record<Lane, Mark[]>>;

function marksOf(entries: readonly Entry[], isAhead: boolean): Marks {
  const marks: Marks = {};
  for (const entry of entries) {
    const { id, at, tone, title, result } = entry;
    const mark = { key: isAhead ? `ahead:${id}` : id, at: Date.parse(at), tone, isAhead, title, result };
    for (const lane of lanesOf(entry)) {
      const others = marks[lane];
      if (others === undefined) marks[lane] = [mark];
      else others.push(mark);
    }
  }
  return marks;
}

interface TimelineStripProps {
  past: readonly TimelineEntry[];
  ahead: readonly AheadEntry[];
  /** The lanes that are not shown. */
  hidden: readonly Lane[];
  open: string | undefined;
  onOpen: (key: string) => void;
}

// So many of both sides are in sight before anybody zooms.
const latest = 60;
const next = 6;
const leastReachMs = 15 * 60_000;
// After a jump of days what happened before it is still to be seen.
const leastInSight = 10;

/** How far back the latest reach, in milliseconds: many of them, or a few where many reach back for days. */
function reachBack(past: readonly TimelineEntry[], instant: number): number {
  const since = (count: number, entries: readonly TimelineEntry[]): number => {
    const first = entries[Math.max(0, entries.length - count)];
    return first === undefined ? 0 : instant - Date.parse(first.at);
  };
  const many = since(latest, past);
  if (many <= longSpan * pastShare) return many;
  const few = past.slice(-latest).filter(({ kind }) => kind !== 'clock');
  return Math.max(longSpan * pastShare * 0.9, since(leastInSight, few));
}

export function TimelineStrip({ past, ahead, hidden, open, onOpen }: TimelineStripProps) {
  const before = useMemo(() => marksOf(past, false), [past]);
  const after = useMemo(() => marksOf(ahead, true), [ahead]);
  const stripLanes = useMemo(
    () =>
      lanes.flatMap(([lane, title]): StripLane[] => {
        const marks = hidden.includes(lane) ? [] : [...(before[lane] ?? []), ...(after[lane] ?? [])];
        return marks.length === 0 ? [] : [{ title, marks }];
      }),
    [before, after, hidden],
  );
  const instant = now.value;
  if (instant === undefined || stripLanes.length === 0) return null;
  const back = reachBack(past, instant);
  // Windows of limits follow each other without end: what moves by itself counts more.
  const moving = ahead.filter(({ kind }) => kind !== 'window').slice(0, next);
  const coming = (moving.length === 0 ? ahead : moving).map(({ at }) => Date.parse(at) - instant);
  // A session that expires tomorrow would press all that happened into one spot.
  const span = usualSpan(back, Math.max(0, ...coming.filter((wait) => wait <= Math.max(4 * back, leastReachMs))));
  const upcoming = ahead.find(({ at }) => Date.parse(at) > instant);
  return (
    <Strip
      lanes={stripLanes}
      next={upcoming && { ...upcoming, key: `ahead:${upcoming.id}`, at: Date.parse(upcoming.at), isAhead: true }}
      usualSpan={span}
      now={instant}
      open={open}
      onOpen={onOpen}
    />
  );
}
