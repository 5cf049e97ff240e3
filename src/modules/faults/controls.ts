// Controls of fault rules: add (or only check), list with their counts, remove.

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
import { isSpent, matchesRule, type RequestFacts } from './match.js';
import { codeOf, type FaultMatch, type FaultRequest, type FaultRule, faultRequest, ruleOf } from './rule.js';
import * as store from './store.js';
import { effectProblems, whenProblems } from './validate-rule.js';

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

export type FaultControls = ReturnType<typeof createFaultControls>;

const mostRules = 1_000;

/** The fault controls of a world. */
export function createFaultControls(world: World) {
  const list = (): Fault[] => store.listFaults(world.db).map((row) => view(row, world.clock.now()));

  return {
    /**
     * Adds a rule: from now on the oldest rule that matches a request, and whose conditions hold, fires on it.
     *
     * @example controls.faults.add({ match: { operation: 'containers.create' }, when: { times: 1 }, phase: 'after',
     *   effect: { network: 'reset' } })
     * @throws ApiError VALIDATION_ERROR for unknown names and contradictions, with suggestions
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
     * Checks a rule and reports which requests it would have matched, without adding it.
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
    /** The rules that have not fired on any request, including expired ones. */
    neverFired: (): Fault[] => list().filter(({ hits }) => hits === 0),
    /**
     * Removes a rule; its past effects stay. Returns it as it was.
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

/** The problems of a rule's meaning; parts that have the wrong form are missing. */
export function faultProblems(world: World, request: RightParts<z.output<typeof faultRequest>>): FieldProblem[] {
  const { delay, ...effect } = request.effect ?? {};
  const isWhole = typeof delay !== 'object' || (delay.min !== undefined && delay.max !== undefined);
  const known = { ...request, effect: { ...effect, ...(isWhole && { delay }) } };
  const rule = ruleOf(known as z.output<typeof faultRequest>);
  return [...checkMatch(world, rule.match).problems, ...senseProblems(rule)];
}

function senseProblems(rule: FaultRule): FieldProblem[] {
  return [...whenProblems(rule.when), ...effectProblems(rule)];
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
  if (when.probability === 0) notes.push('It never acts: its probability is 0.');
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
