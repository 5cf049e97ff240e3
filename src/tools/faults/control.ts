// Control operations of fault rules: add (or only check), list with their counts, remove.

import * as z from 'zod';
import { byId, listed, operation } from '../../control/operation.js';
import { noSuch } from '../../control/options.js';
import { ApiError, type FieldProblem, invalid } from '../../core/errors.js';
import { lastInstant } from '../../core/instant.js';
import { nearest } from '../../core/nearest.js';
import type { RightParts } from '../../core/right-parts.js';
import type { Endpoint } from '../../http/endpoint.js';
import { readInitialState, startOf } from '../../world/initial-state.js';
import type { World } from '../../world/world.js';
import { effectProblems, whenProblems } from './check-effect.js';
import { checkMatch } from './check-match.js';
import { type FaultRequest, type FaultRule, faultRequest, ruleOf } from './rule.js';
import * as store from './store.js';
import {
  type Fault,
  fault,
  listFaults,
  type NewFault,
  newFault,
  remarksOn,
  type TriedFault,
  triedFault,
  viewFault,
} from './views.js';

const mostRules = 1_000;

const columns = 'id state hits seen? match when effect phase?';
const addSummary =
  'Add a fault rule; with dryRun, only check it and report which of the last requests it would have matched';

const check = operation({
  id: 'control.faults.add',
  route: 'POST /faults?dryRun=true',
  summary: addSummary,
  body: faultRequest,
  output: triedFault,
  run: ({ world }, request: FaultRequest): TriedFault => {
    const { rule, reached } = checkedRule(world, request);
    const at = world.clock.now();
    const row = rowOf(rule, { at, start: startOf(readInitialState(world.db)) }, { seq: 0, id: '' });
    return { ...viewFault({ ...row, ...unused }, at), id: null, ...remarksOn(world, rule, reached) };
  },
});

export const faultOperations = {
  /** Lists all rules, the oldest first. */
  list: operation({
    id: 'control.faults.list',
    route: 'GET /faults',
    summary: 'List the fault rules and how often each has fired',
    output: listed('faults', fault),
    command: {
      line: 'faults list',
      columns,
      examples: [['faults', 'the rules, and how often each has fired']],
    },
    run: ({ world }): Fault[] => listFaults(world),
  }),
  /**
   * Adds a rule: from now on the oldest rule that matches a request, and whose conditions hold, fires on it.
   *
   * @example controls.faults.add({ match: { operation: 'containers.create' }, when: { times: 1 }, phase: 'after',
   *   effect: { network: 'reset' } })
   * @throws ApiError VALIDATION_ERROR for unknown names and contradictions, with suggestions
   */
  add: operation({
    id: 'control.faults.add',
    route: 'POST /faults',
    summary: addSummary,
    query: z.lazy(() => z.object({ dryRun: z.boolean().optional().describe('Check the rule without adding it') })),
    body: faultRequest,
    output: newFault,
    created: true,
    variants: [check],
    errors: ['CONFLICT'],
    command: {
      line: 'faults add [rule]',
      describe: 'Add a fault rule, or only check it',
      document: 'rule',
      names: { 'effect.headers': 'response-headers' },
      examples: [
        ['faults add --operation containers.create --status 503 --times 2', 'the next two creates fail'],
        [
          'faults add --method POST --phase after --network reset',
          'the operation takes effect, but its response is lost',
        ],
        [
          'faults add --path "/api/v1/*" --delay 2s --dry-run',
          'checks the rule, and lists the recent requests that it would have matched',
        ],
        [`faults add '{"effect": {"status": 429, "retryAfter": 30}}'`, 'any rule, as JSON or from a file'],
      ],
    },
    run: ({ world }, request: FaultRequest): NewFault => addFault(world, request),
  }),
  /**
   * Checks a rule and reports which requests it would have matched, without adding it.
   *
   * @throws ApiError VALIDATION_ERROR as `add` does
   */
  check,
  /** Lists the rules that have not fired on any request, including expired ones. */
  neverFired: operation({
    id: 'control.faults.neverFired',
    route: 'GET /faults/never-fired',
    summary: 'List the fault rules that have never fired',
    output: listed('never-fired', fault),
    command: {
      line: 'faults never-fired',
      columns,
      examples: [['faults never-fired', 'faults that your client has not encountered']],
    },
    run: ({ world }): Fault[] => listFaults(world).filter(({ hits }) => hits === 0),
  }),
  /**
   * Returns a rule.
   *
   * @throws ApiError NOT_FOUND
   */
  get: operation({
    id: 'control.faults.get',
    route: 'GET /faults/{id}',
    summary: 'Show a fault rule',
    params: byId('fault rule'),
    output: fault,
    errors: ['NOT_FOUND'],
    command: { line: 'faults show <id>', examples: [['faults show fault_1', 'shows one rule']] },
    run: ({ world }, id: string): Fault => viewFault(find(world, id), world.clock.now()),
  }),
  /**
   * Removes a rule, and returns it as it was; its past effects remain.
   *
   * @throws ApiError NOT_FOUND
   */
  remove: operation({
    id: 'control.faults.remove',
    route: 'DELETE /faults/{id}',
    summary: 'Remove a fault rule',
    params: byId('fault rule'),
    output: fault,
    errors: ['NOT_FOUND'],
    command: {
      line: 'faults remove <id>',
      examples: [['faults remove fault_1', 'removes the rule; its past effects remain']],
    },
    run: ({ world }, id: string): Fault => {
      const removed = viewFault(find(world, id), world.clock.now());
      store.deleteFaults(world.db, id);
      return removed;
    },
  }),
  /** Removes all rules. */
  clear: operation({
    id: 'control.faults.clear',
    route: 'DELETE /faults',
    summary: 'Remove all fault rules',
    output: z.lazy(() => z.object({ removed: z.int() })),
    command: { line: 'faults clear', examples: [['faults clear', 'after a test']] },
    run: ({ world }): { removed: number } => ({ removed: store.deleteFaults(world.db) }),
  }),
};

const unused: store.FaultCounts = { seen: 0, hits: 0, lost: null, lost_at: null };

/** Rules from this number on come after all others, however late those are added. */
const afterOthers = 1_000_000_000;

/**
 * Adds a rule that has the right form.
 *
 * @param options.start the virtual instant from which `from` and `until` count; default: the start of the world
 * @param options.isLast it looks only at requests on which no other rule fires, those included that are added later
 * @throws ApiError VALIDATION_ERROR for contradictions, with suggestions; CONFLICT if there are too many rules
 */
export function addFault(
  world: World,
  request: FaultRequest,
  { start = startOf(readInitialState(world.db)), isLast = false }: { start?: number; isLast?: boolean } = {},
): NewFault {
  const { rule, reached } = checkedRule(world, request);
  const at = world.clock.now();
  const row = world.db.transaction(() => {
    if (store.listFaultRules(world.db).length >= mostRules)
      throw new ApiError('CONFLICT', { message: `There are ${mostRules} fault rules already: remove some first` });
    const number = world.nextNumber('faults');
    const seq = isLast ? afterOthers + number : number;
    const stored = rowOf(rule, { at, start }, { seq, id: `fault_${number}` });
    store.insertFault(world.db, stored);
    return stored;
  });
  return { ...viewFault({ ...row, ...unused }, at), ...remarksOn(world, rule, reached) };
}

function checkedRule(world: World, request: FaultRequest): { rule: FaultRule; reached: Endpoint[] } {
  const rule = ruleOf(request);
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

function rowOf(
  rule: FaultRule,
  { at, start }: { at: number; start: number },
  { seq, id }: { seq: number; id: string },
): store.FaultRow {
  const { from, until, expiresIn } = rule.when;
  const ends = [...(until === undefined ? [] : [start + until]), ...(expiresIn === undefined ? [] : [at + expiresIn])];
  return {
    seq,
    id,
    rule: { ...rule, ...(from !== undefined && { beginsAt: Math.min(start + from, lastInstant) }) },
    created_at: at,
    expires_at: ends.length === 0 ? null : Math.min(...ends, lastInstant),
  };
}

function find(world: World, id: string): store.FaultRow & store.FaultCounts {
  const found = store.findFault(world.db, id);
  if (found !== undefined) return found;
  const ids = store.listFaultRules(world.db).map((row) => row.id);
  const suggestion = nearest(id, ids);
  throw noSuch('fault rule', id, suggestion === undefined ? '' : `; did you mean ${suggestion}?`);
}
