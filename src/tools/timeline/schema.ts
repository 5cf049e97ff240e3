// The entries of a world's timeline: their shape, their order, and what a reader asks for of them.

import * as z from 'zod';

export const entryKinds = ['request', 'container', 'agent', 'job', 'credits', 'clock', 'marker'] as const;
export const aheadKinds = ['container', 'agent', 'job', 'credits', 'expiry', 'window'] as const;

/** How an entry went, for its colour. */
export const tones = ['neutral', 'good', 'warning', 'bad'] as const;
export type Tone = (typeof tones)[number];

/** The tones of statuses; all others are neutral. */
export const tonesOf: Record<'container' | 'agent' | 'job', Record<string, Tone>> = {
  container: { running: 'good', failed: 'bad', stopped: 'warning' },
  agent: { running: 'good', error: 'bad', deletion_failed: 'bad', stopped: 'warning', disconnected: 'warning' },
  job: { completed: 'good', failed: 'bad' },
};

const shown = {
  id: z.string().describe('The same in every response'),
  at: z.string().describe('Virtual time, ISO 8601'),
  title: z.string().describe('What happened, in a line'),
  result: z.string().describe('The status, state or amount that came of it'),
  tone: z.enum(tones),
  subject: z.string().nullable().describe('The id of what it concerns'),
};

export const timelineEntry = z.lazy(() =>
  z.object({
    kind: z.enum(entryKinds),
    ...shown,
    detail: z.string().nullable().describe('More about it: an error, a reason, an operation'),
    operation: z.string().nullable().describe('The operation of a request'),
    project: z.string().nullable().describe('The project of the container that it concerns, if that is still there'),
    requestId: z.string().nullable().describe('The request that it is, or that caused it'),
    fault: z.string().nullable().describe('The fault rule that fired'),
    durationMs: z.number().nullable(),
  }),
);

export const aheadEntry = z.object({ kind: z.enum(aheadKinds), ...shown });

export const timeline = z.lazy(() =>
  z.object({
    now: z.string().describe('Virtual time, ISO 8601'),
    entries: z.array(timelineEntry).describe('The oldest first'),
    hasOlder: z.boolean().describe('Whether there are older ones than these'),
    cursor: z.string().describe('Pass it as `after` to get only what is new, each entry once'),
    ahead: z.array(aheadEntry).describe('What is still to come, earliest first; at most 200'),
  }),
);

/** Something that happened in a world. */
export type TimelineEntry = z.output<typeof timelineEntry>;

/** Something that will happen unless somebody interferes. */
export type AheadEntry = z.output<typeof aheadEntry>;

export type Timeline = z.output<typeof timeline>;

const kindsIn = (text: string): string[] =>
  text
    .split(',')
    .map((kind) => kind.trim())
    .filter((kind) => kind !== '');

const areKinds = (text: string): boolean => kindsIn(text).every((kind) => entryKinds.some((known) => known === kind));

export const timelineQuery = z.lazy(() =>
  z.object({
    before: z.string().max(300).optional().describe('Only entries older than the one of this id'),
    after: z.string().max(100).optional().describe('Cursor of an earlier response: only entries after it'),
    kinds: z
      .string()
      .max(200)
      .refine(areKinds, { message: `must be one or more of ${entryKinds.join(', ')}, separated by commas` })
      .optional()
      .describe(`Kinds separated by commas: ${entryKinds.join(', ')}`),
    search: z.string().max(200).optional().describe('Words that an entry must contain'),
    point: z.int().min(1).optional().describe('All as it was after this point of the history'),
    limit: z.int().min(1).max(1_000).default(200).describe('Maximum number of entries; the newest are returned'),
  }),
);

/** The part of a timeline to return; each field may be left out. */
export type TimelineQuery = z.input<typeof timelineQuery>;

/** A place among all that happened in a world. */
export interface Place {
  at: number;
  /** The number of its request, or of the last request before it; 0: of what time alone has brought about. */
  request: number;
  /** The rank among what follows that request. */
  order: number;
}

/** An entry with its place. */
export interface Placed extends Place {
  entry: TimelineEntry;
}

/** The order in which things happened. Requests of a time that was restored away come before the restore. */
export const byPlace = (a: Place, b: Place): number => a.at - b.at || a.request - b.request || a.order - b.order;

type Wanted = z.output<typeof timelineQuery>;

/** The newest entries that a reader wants, oldest first, and whether there are older ones. */
export function pageOf(
  entries: readonly TimelineEntry[],
  { before, limit, ...filter }: Wanted,
): { entries: TimelineEntry[]; hasOlder: boolean } {
  const end = before === undefined ? entries.length : entries.findIndex(({ id }) => id === before);
  const fits = filterOf(filter);
  const page: TimelineEntry[] = [];
  for (let index = end - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry === undefined || !fits(entry)) continue;
    if (page.length === limit) return { entries: page.reverse(), hasOlder: true };
    page.push(entry);
  }
  return { entries: page.reverse(), hasOlder: false };
}

function filterOf({ kinds, search }: Pick<Wanted, 'kinds' | 'search'>): (entry: TimelineEntry) => boolean {
  const wantedKinds = kinds === undefined ? undefined : kindsIn(kinds);
  const words = wordsOf(search);
  return (entry) => wantedKinds?.includes(entry.kind) !== false && holds(entry, words);
}

function wordsOf(search = ''): string[] {
  return search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

function holds({ kind, title, result, detail, subject, requestId, fault }: TimelineEntry, words: string[]): boolean {
  if (words.length === 0) return true;
  const text = [kind, title, result, detail, subject, requestId, fault].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}
