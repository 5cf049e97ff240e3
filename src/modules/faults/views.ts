// Fault rules as controls show them: with their state, and with what is to say about a new one.

import type { Endpoint } from '../../http/endpoint.js';
import { errorsOf } from '../../http/openapi.js';
import { iso, isoOrNull } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { journalOf } from '../journal/journal.js';
import { isSpent, matchesRule, type RequestFacts } from './match.js';
import { codeOf, type FaultMatch, type FaultRule } from './rule.js';
import { type FaultCounts, type FaultRow, listFaults as listRows } from './store.js';

/** A rule with its state. */
export interface Fault extends FaultRule {
  id: string;
  /** armed: it may fire; spent: it has fired as often as it may; expired: its time is over. */
  state: 'armed' | 'spent' | 'expired';
  /** Requests that matched it while no older rule fired. After an effect only successful ones count. */
  seen: number;
  /** Requests on which it has fired. */
  hits: number;
  createdAt: string;
  expiresAt: string | null;
}

/** Which of the last requests match a rule's selectors. */
export interface DryRun {
  count: number;
  /** How many requests were checked, at most 100. */
  of: number;
  /** Their request ids, the latest first. */
  requests: string[];
}

/** A rule that was just added. */
export interface NewFault extends Fault {
  wouldHaveMatched: DryRun;
  /** Warnings about a valid rule. */
  notes: string[];
}

/** A rule that was only checked. */
export type TriedFault = Omit<NewFault, 'id'> & { id: null };

/** All rules with their state, the oldest first. */
export function listFaults(world: World): Fault[] {
  return listRows(world.db).map((row) => viewFault(row, world.clock.now()));
}

/** A rule with its state. */
export function viewFault(row: FaultRow & FaultCounts, now: number): Fault {
  const rule = JSON.parse(row.rule) as FaultRule;
  const { id, seen, hits, created_at: createdAt, expires_at: expiresAt } = row;
  const expired = expiresAt !== null && expiresAt <= now;
  const state = isSpent(rule.when, seen, hits) ? 'spent' : expired ? 'expired' : 'armed';
  return { id, ...rule, state, seen, hits, createdAt: iso(createdAt), expiresAt: isoOrNull(expiresAt) };
}

/** What is said of a new rule beside its state: the requests that it would have matched, and warnings. */
export function remarksOn(
  world: World,
  rule: FaultRule,
  reached: Endpoint[],
): Pick<NewFault, 'wouldHaveMatched' | 'notes'> {
  return { wouldHaveMatched: dryRun(world, rule.match), notes: notesOn(rule, reached) };
}

const lookedAt = 100;

function dryRun(world: World, match: FaultMatch): DryRun {
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
  const code = codeOf(effect);
  const known = code === undefined || /^(INTERNAL_ERROR|SERVICE_UNAVAILABLE)$/.test(code);
  const answering = known ? reached : reached.filter((endpoint) => errorsOf(endpoint).includes(code));
  // An operation may have several paths, only one of which takes a JSON body.
  const ids = [...new Set(reached.map(({ id }) => id))].filter((name) => !answering.some(({ id }) => id === name));
  if (ids.length > 0) {
    const names = ids.length > 3 ? `${ids.slice(0, 3).join(', ')} and ${ids.length - 3} more` : ids.join(', ');
    notes.push(`By itself the platform never answers ${code} to ${names}.`);
  }
  return notes;
}
