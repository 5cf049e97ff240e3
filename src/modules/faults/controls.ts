// Fault rules under control: written (or only tried), listed with what they have done, removed.

import type * as z from 'zod';
import { ApiError, type FieldProblem, invalid } from '../../core/errors.js';
import { lastInstant } from '../../core/instant.js';
import { nearest } from '../../core/nearest.js';
import type { RightParts } from '../../core/right-parts.js';
import type { Endpoint } from '../../http/endpoint.js';
import { errorsOf } from '../../http/openapi.js';
import { checkInput } from '../../http/validate.js';
import { iso, isoOrNull } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { journalOf } from '../journal/journal.js';
import { checkMatch } from './check.js';
import { fits, isSpent, type RequestFacts } from './match.js';
import { codeOf, type FaultMatch, type FaultRequest, type FaultRule, faultRequest, ruleOf } from './rule.js';
import * as store from './store.js';
import { actProblems, whenProblems } from './validate-rule.js';

/** A rule as it stands. */
export interface Fault extends FaultRule {
  id: string;
  /** armed: it may act; spent: it has acted as often as it may; expired: its time is over. */
  state: 'armed' | 'spent' | 'expired';
  /** Requests that its selectors fitted, no older rule having acted. After an effect only those that succeeded count. */
  seen: number;
  /** Those on which it has acted. */
  hits: number;
  createdAt: string;
  expiresAt: string | null;
}

/** Which of the last requests a rule's selectors fit. */
export interface DryRun {
  count: number;
  /** How many were looked at, at most 100. */
  of: number;
  /** Their request ids, the latest first. */
  requests: string[];
}

/** A rule that was just written. */
export interface NewFault extends Fault {
  wouldHaveMatched: DryRun;
  /** What is worth knowing, though nothing is wrong. */
  notes: string[];
}

/** A rule that was only tried. */
export type TriedFault = Omit<NewFault, 'id'> & { id: null };

export type FaultControls = ReturnType<typeof createFaultControls>;

const mostRules = 1_000;

/** The fault controls of a world. */
export function createFaultControls(world: World) {
  const list = (): Fault[] => store.listFaults(world.db).map((row) => view(row, world.clock.now()));

  return {
    /**
     * Writes a rule: from now on the oldest rule that fits a request, and whose conditions hold, acts on it.
     *
     * @example controls.faults.add({ match: { operation: 'containers.create' }, when: { times: 1 }, phase: 'after',
     *   effect: { network: 'reset' } })
     * @throws ApiError VALIDATION_ERROR for what is unknown or contradicts itself, with suggestions
     */
    add(request: FaultRequest): NewFault {
      const { rule, reached } = check(world, request);
      const at = world.clock.now();
      const row = world.db.transaction(() => {
        if (store.listFaultRules(world.db).length >= mostRules)
          throw new ApiError('CONFLICT', { message: `There are ${mostRules} fault rules already: remove some first` });
        const seq = world.nextNumber('faults');
        const stored = rowOf(rule, at, { seq, id: `fault_${seq}` });
        store.insertFault(world.db, stored);
        return stored;
      });
      return { ...view({ ...row, ...unused }, at), ...tellMore(world, rule, reached) };
    },
    /**
     * Checks a rule and tells what it would have fitted, without writing it.
     *
     * @throws ApiError VALIDATION_ERROR as `add` does
     */
    check(request: FaultRequest): TriedFault {
      const { rule, reached } = check(world, request);
      const at = world.clock.now();
      const row = rowOf(rule, at, { seq: 0, id: '' });
      return { ...view({ ...row, ...unused }, at), id: null, ...tellMore(world, rule, reached) };
    },
    /** All rules, the oldest first. */
    list,
    /** @throws ApiError NOT_FOUND */
    get: (id: string): Fault => view(find(world, id), world.clock.now()),
    /** The rules that have not acted on any request, spent by nothing or expired. */
    neverFired: (): Fault[] => list().filter(({ hits }) => hits === 0),
    /**
     * Removes a rule; what it has done stays done. Returns it as it was.
     *
     * @throws ApiError NOT_FOUND
     */
    remove(id: string): Fault {
      const fault = view(find(world, id), world.clock.now());
      store.deleteFaults(world.db, id);
      return fault;
    },
    /** Removes all rules. */
    clear: (): { removed: number } => ({ removed: store.deleteFaults(world.db) }),
  };
}

const unused: store.FaultCounts = { seen: 0, hits: 0, lost: null, lost_at: null };

function check(world: World, request: FaultRequest): { rule: FaultRule; reached: Endpoint[] } {
  const wanted: z.output<typeof faultRequest> = checkInput(faultRequest, request, { strict: true, warn: () => {} });
  const rule = ruleOf(wanted);
  const { match, endpoints: reached, problems } = checkMatch(world, rule.match);
  const all = [...problems, ...senseProblems(rule)];
  if (all.length > 0) throw invalid(...all);
  return { rule: { ...rule, match }, reached };
}

/** What is wrong with what a rule means, of which some parts may be missing as they have the wrong form. */
export function faultProblems(world: World, request: RightParts<z.output<typeof faultRequest>>): FieldProblem[] {
  const { delay, ...effect } = request.effect ?? {};
  const isWhole = typeof delay !== 'object' || (delay.min !== undefined && delay.max !== undefined);
  const known = { ...request, effect: { ...effect, ...(isWhole && { delay }) } };
  const rule = ruleOf(known as z.output<typeof faultRequest>);
  return [...checkMatch(world, rule.match).problems, ...senseProblems(rule)];
}

function senseProblems(rule: FaultRule): FieldProblem[] {
  return [...whenProblems(rule.when), ...actProblems(rule)];
}

function rowOf(rule: FaultRule, at: number, { seq, id }: { seq: number; id: string }): store.FaultRow {
  const { expiresIn } = rule.when;
  const expiresAt = expiresIn === undefined ? null : Math.min(at + expiresIn, lastInstant);
  return { seq, id, rule: JSON.stringify(rule), created_at: at, expires_at: expiresAt };
}

function find(world: World, id: string): store.FaultRow & store.FaultCounts {
  const found = store.findFault(world.db, id);
  if (found !== undefined) return found;
  const ids = store.listFaultRules(world.db).map((row) => row.id);
  const suggestion = nearest(id, ids);
  throw new ApiError('NOT_FOUND', {
    message: `There is no such fault rule${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`,
  });
}

function view(row: store.FaultRow & store.FaultCounts, now: number): Fault {
  const rule = JSON.parse(row.rule) as FaultRule;
  const { id, seen, hits, created_at: createdAt, expires_at: expiresAt } = row;
  const expired = expiresAt !== null && expiresAt <= now;
  const state = isSpent(rule.when, seen, hits) ? 'spent' : expired ? 'expired' : 'armed';
  return { id, ...rule, state, seen, hits, createdAt: iso(createdAt), expiresAt: isoOrNull(expiresAt) };
}

function tellMore(world: World, rule: FaultRule, reached: Endpoint[]): Pick<NewFault, 'wouldHaveMatched' | 'notes'> {
  return { wouldHaveMatched: dryRun(world, rule.match), notes: notesOn(rule, reached) };
}

const lookedAt = 100;

function dryRun(world: World, match: FaultMatch): DryRun {
  const recent = journalOf(world).recent(lookedAt);
  const fitting = recent.filter((entry) => fits(match, factsOf(entry)));
  return { count: fitting.length, of: recent.length, requests: fitting.map(({ requestId }) => requestId) };
}

type Recorded = Omit<RequestFacts, 'header'> & { requestHeaders?: Record<string, string> };

function factsOf(entry: Recorded): RequestFacts {
  return { ...entry, header: (name) => entry.requestHeaders?.[name] };
}

// A client must survive anything, so the platform's own habits are no reason to refuse a rule.
function notesOn({ when, effect }: FaultRule, reached: Endpoint[]): string[] {
  const notes: string[] = [];
  if (when.probability === 0) notes.push('It never acts: its probability is 0.');
  const code = codeOf(effect);
  const known = code === undefined || /^(INTERNAL_ERROR|SERVICE_UNAVAILABLE)$/.test(code);
  const answering = known ? reached : reached.filter((endpoint) => errorsOf(endpoint).includes(code));
  // An operation may stand under several paths, and only one of them have a JSON body.
  const ids = [...new Set(reached.map(({ id }) => id))].filter((name) => !answering.some(({ id }) => id === name));
  if (ids.length > 0) {
    const names = ids.length > 3 ? `${ids.slice(0, 3).join(', ')} and ${ids.length - 3} more` : ids.join(', ');
    notes.push(`By itself the platform never answers ${code} to ${names}.`);
  }
  return notes;
}
