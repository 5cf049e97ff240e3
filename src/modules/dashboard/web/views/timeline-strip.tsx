// The timeline as a strip of virtual time: what the list shows, lane by lane.

import { useMemo } from 'preact/hooks';
import type { AheadEntry, TimelineEntry } from '../../timeline.js';
import { Strip } from '../components/strip.js';
import type { StripLane } from '../components/strip-drawing.js';
import { type Mark, usualSpan } from '../components/strip-layout.js';
import { now } from '../live.js';

const titles = {
  request: 'Requests',
  container: 'Containers',
  job: 'Jobs',
  credits: 'Credits',
  fault: 'Faults',
  clock: 'Clock',
  expiry: 'Expiries',
};
type LaneKind = keyof typeof titles;
type Entry = TimelineEntry | AheadEntry;
type Marks = Partial<Record<LaneKind, Mark[]>>;

// A request that a fault met lies in two lanes.
function lanesOf(entry: Entry): LaneKind[] {
  const { kind } = entry;
  if (kind === 'request') return 'fault' in entry && entry.fault !== null ? ['request', 'fault'] : ['request'];
  if (kind === 'marker') return ['clock'];
  if (kind === 'window') return ['expiry'];
  return [kind === 'expiry' && /^fault_/.test(entry.subject ?? '') ? 'fault' : kind];
}

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
  open: string | undefined;
  onOpen: (key: string) => void;
}

// So many of both sides are in sight before anybody zooms.
const latest = 60;
const next = 6;
const leastReachMs = 15 * 60_000;

export function TimelineStrip({ past, ahead, open, onOpen }: TimelineStripProps) {
  const before = useMemo(() => marksOf(past, false), [past]);
  const after = useMemo(() => marksOf(ahead, true), [ahead]);
  const lanes = useMemo(
    () =>
      (Object.keys(titles) as LaneKind[]).flatMap((kind): StripLane[] => {
        const marks = [...(before[kind] ?? []), ...(after[kind] ?? [])];
        return marks.length === 0 ? [] : [{ kind, title: titles[kind], marks }];
      }),
    [before, after],
  );
  const instant = now.value;
  if (instant === undefined || lanes.length === 0) return null;
  const first = past[Math.max(0, past.length - latest)]?.at;
  const back = first === undefined ? 0 : instant - Date.parse(first);
  // Windows of limits follow each other without end: what moves by itself counts more.
  const moving = ahead.filter(({ kind }) => kind !== 'window').slice(0, next);
  const coming = (moving.length === 0 ? ahead : moving).map(({ at }) => Date.parse(at) - instant);
  // A session that expires tomorrow would press all that happened into one spot.
  const span = usualSpan(back, Math.max(0, ...coming.filter((wait) => wait <= Math.max(4 * back, leastReachMs))));
  const upcoming = ahead.find(({ at }) => Date.parse(at) > instant);
  return (
    <Strip
      lanes={lanes}
      next={upcoming && { ...upcoming, key: `ahead:${upcoming.id}`, at: Date.parse(upcoming.at), isAhead: true }}
      usualSpan={span}
      now={instant}
      open={open}
      onOpen={onOpen}
    />
  );
}
