// Fault rules as controls show them: with their state, and with what is to say about a new one.

import * as z from 'zod';
import type { Endpoint } from '../../http/endpoint.js';
import { errorsOf } from '../../http/openapi.js';
import { iso, isoOrNull } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { journalOf } from '../journal/journal.js';
import { codeOf, type FaultMatch, type FaultRule, faultRule } from './rule.js';
import { isSpent, matchesRule, type RequestFacts } from './select-fault.js';
import { type FaultCounts, type FaultRow, faultsWithCounts } from './store.js';

export const fault = z.lazy(() =>
  z.object({
    id: z.string(),
    ...faultRule.unwrap().shape,
    state: z
      .enum(['armed', 'spent', 'expired'])
      .describe('armed: it may fire; spent: it has fired as often as it may; expired: its time is over'),
    seen: z
      .int()
      .describe('Requests that matched it while no older rule fired; after an effect only successful ones count'),
    hits: z.int().describe('Requests on which it has fired'),
    createdAt: z.string(),
    beginsAt: z.string().optional().describe('If it begins later'),
    expiresAt: z.string().nullable(),
  }),
);

/** A rule with its state. */
export type Fault = z.output<typeof fault>;

const dryRun = z
  .object({
    count: z.int(),
    of: z.int().describe('How many requests were checked, at most 100'),
    requests: z.array(z.string()).describe('Their request ids, the latest first'),
  })
  .describe('Which of the last requests match its selectors');

export const newFault = z.lazy(() =>
  fault.unwrap().extend({
    wouldHaveMatched: dryRun,
    notes: z.array(z.string()).describe('Warnings about a valid rule'),
  }),
);

/** A rule that was just added. */
export type NewFault = z.output<typeof newFault>;

export const triedFault = z.lazy(() => newFault.unwrap().extend({ id: z.null() }));

/** A rule that was only checked. */
export type TriedFault = z.output<typeof triedFault>;

/** All rules with their state, the oldest first. */
export function listFaults(world: World): Fault[] {
  return faultsWithCounts(world.db).map((row) => viewFault(row, world.clock.now()));
}

/** A rule with its state. */
export function viewFault(row: FaultRow & FaultCounts, now: number): Fault {
  const { id, seen, hits, created_at: createdAt, expires_at: expiresAt } = row;
  const { beginsAt, ...rule } = row.rule;
  const expired = expiresAt !== null && expiresAt <= now;
  const state = isSpent(rule.when, seen, hits) ? 'spent' : expired ? 'expired' : 'armed';
  return {
    id,
    ...rule,
    state,
    seen,
    hits,
    createdAt: iso(createdAt),
    ...(beginsAt !== undefined && { beginsAt: iso(beginsAt) }),
    expiresAt: isoOrNull(expiresAt),
  };
}

/** The remarks on a new rule beside its state: the requests that it would have matched, and warnings. */
export function remarksOn(
  world: World,
  rule: FaultRule,
  reached: Endpoint[],
): Pick<NewFault, 'wouldHaveMatched' | 'notes'> {
  return { wouldHaveMatched: tryOut(world, rule.match), notes: notesOn(rule, reached) };
}

const lookedAt = 100;

function tryOut(world: World, match: FaultMatch): NewFault['wouldHaveMatched'] {
  const recent = journalOf(world).recent(lookedAt);
  const fitting = recent.filter((entry) => matchesRule(match, factsOf(entry)));
  return { count: fitting.length, of: recent.length, requests: fitting.map(({ requestId }) => requestId) };
}

type Recorded = Omit<RequestFacts, 'header'> & { requestHeaders?: Record<string, string> };

function factsOf(entry: Recorded): RequestFacts {
  return { ...entry, header: (name) => entry.requestHeaders?.[name] };
}

// A client must survive anything, so a rule is accepted even if the platform would never behave that way.
function notesOn({ when, effect }: FaultRule, reached: Endpoint[]): string[] {
  const notes: string[] = [];
  if (when.probability === 0) notes.push('It never fires: its probability is 0.');
  // A body of one's own says nothing of the platform's code.
  const code = effect.body === undefined || effect.error !== undefined ? codeOf(effect) : undefined;
  const known = code === undefined || /^(INTERNAL_ERROR|SERVICE_UNAVAILABLE)$/.test(code);
  const answering = known ? reached : reached.filter((endpoint) => errorsOf(endpoint).includes(code));
  // An operation may have several paths, only one of which takes a JSON body.
  const ids = [...new Set(reached.map(({ id }) => id))].filter((name) => !answering.some(({ id }) => id === name));
  if (ids.length > 0) {
    const names = ids.length > 3 ? `${ids.slice(0, 3).join(', ')} and ${ids.length - 3} more` : ids.join(', ');
    notes.push(`The platform itself never returns ${code} for ${names}.`);
  }
  return notes;
}
