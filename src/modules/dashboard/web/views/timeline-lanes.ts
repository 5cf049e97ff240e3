// The lanes of the timeline: what can be shown and hidden, and what lies in which.

import type { AheadEntry, TimelineEntry } from '../../timeline.js';

export const lanes = [
  ['request', 'Requests'],
  ['container', 'Containers'],
  ['job', 'Jobs'],
  ['credits', 'Credits'],
  ['fault', 'Faults'],
  ['clock', 'Clock'],
  ['expiry', 'Expiries'],
] as const;

export type Lane = (typeof lanes)[number][0];

/** The lanes of an entry: a request that a fault met lies in two. */
export function lanesOf(entry: TimelineEntry | AheadEntry): Lane[] {
  const { kind } = entry;
  if (kind === 'request') return 'fault' in entry && entry.fault !== null ? ['request', 'fault'] : ['request'];
  if (kind === 'marker') return ['clock'];
  if (kind === 'window') return ['expiry'];
  return [kind === 'expiry' && /^fault_/.test(entry.subject ?? '') ? 'fault' : kind];
}
