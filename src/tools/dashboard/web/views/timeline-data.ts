// The entries of the timeline that this page holds: read page by page, then kept up to date by what the stream announces.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AheadEntry, Timeline, TimelineEntry } from '../../../timeline/schema.js';
import { get } from '../api.js';
import { source, standing } from '../components/past.js';
import { now, Reading, type Topic } from '../emulator.js';

/** What happened, or will happen. */
export type Entry = Omit<AheadEntry, 'kind'> &
  Partial<Omit<TimelineEntry, 'kind'>> & { kind: TimelineEntry['kind'] | AheadEntry['kind'] };

export const past = signal<readonly TimelineEntry[]>([]);
export const ahead = signal<readonly AheadEntry[]>([]);
export const isRead = signal(false);
export const problem = signal('');

const mostKept = 10_000;
const pageSize = 1_000;
const mostAtOnce = 200;

let cursor = '';
let isBehind = false;
let isStale = true;
let wholes = 0;

async function readAll(): Promise<void> {
  const mine = ++wholes;
  isBehind = false;
  const here = await get<Timeline>('/timeline', { limit: 300 });
  // At a point, what had happened by it is with the world whose point it is.
  const ofPoint = standing && { point: standing.point };
  const page = (query: object): Promise<Timeline> =>
    get<Timeline>('/timeline', { ...ofPoint, ...query }, undefined, source);
  const first = standing === undefined ? here : await page({ limit: 300 });
  cursor = here.cursor;
  past.value = standing === undefined ? first.entries : [...first.entries, ...newHere(here.entries, first.entries)];
  ahead.value = here.ahead;
  isRead.value = true;
  let { hasOlder } = first;
  while (hasOlder && past.value.length < mostKept) {
    const { entries, hasOlder: isMore } = await page({ limit: pageSize, before: past.value[0]?.id });
    // Everything is read anew.
    if (isStale || mine !== wholes) return;
    past.value = [...entries, ...past.value];
    hasOlder = isMore && entries.length > 0;
  }
}

const mark = '@here';

// What has happened in the world of a point since it began; its requests and clock are numbered anew.
function newHere(entries: readonly TimelineEntry[], before: readonly TimelineEntry[]): TimelineEntry[] {
  const known = new Set(before.map(({ id }) => id));
  return entries
    .map((entry) => (/^(request|marker|clock):/.test(entry.id) ? { ...entry, id: `${entry.id}${mark}` } : entry))
    .filter(({ id }) => !known.has(id));
}

/** The world whose journal has the request of an entry; undefined: that of the page. */
export function worldOf({ id }: Entry): string | undefined {
  return standing === undefined || id.endsWith(mark) ? undefined : source;
}

async function readMore(): Promise<void> {
  const next = await get<Timeline>('/timeline', { limit: mostAtOnce, after: cursor });
  cursor = next.cursor;
  // So many come at once that only the newest are read; the others follow when it is calmer.
  if (!next.hasOlder && isBehind) return readAll();
  isBehind = next.hasOlder;
  ahead.value = next.ahead;
  const latest = past.value.slice(-pageSize);
  const known = new Set(latest.map(({ id }) => id));
  const fresh =
    standing === undefined ? next.entries.filter(({ id }) => !known.has(id)) : newHere(next.entries, latest);
  if (fresh.length > 0) past.value = [...past.value, ...fresh].slice(-mostKept);
}

/** Keeps the timeline up to date as long as the component is there. */
export function useTimeline(): void {
  useEffect(() => {
    isStale = true;
    const read = async (): Promise<void> => {
      const isWhole = isStale || cursor === '';
      isStale = false;
      await (isWhole ? readAll() : readMore());
      if (isBehind) reading.soon();
    };
    const wants = (topic: Topic): boolean => {
      if (topic === 'all') isStale = true;
      // A second without a due forecast changes nothing; a due one is read, because jobs and refunds send no event of their own.
      return topic !== 'second' || ahead.value.some(({ at }) => Date.parse(at) <= (now.peek() ?? 0));
    };
    const reading = new Reading(read, wants, problem);
    return () => reading.end();
  }, []);
}

const texts = new WeakMap<object, string>();

/** Whether an entry contains every word. */
export function holds(entry: Entry, words: readonly string[]): boolean {
  const text = texts.get(entry) ?? Object.values(entry).join(' ').toLowerCase();
  texts.set(entry, text);
  return words.every((word) => text.includes(word));
}
