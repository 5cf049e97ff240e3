// The record of a world in one run of a command: its requests, their costs and effects, and the rules that it broke.

import { parsedJson } from '../../core/json.js';
import { chargesIn, paidByCard } from '../../platform/credits/charges.js';
import { type FaultEffect, isForced } from '../faults/rule.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import type { Holding } from '../scenarios/holdings-store.js';
import { type Shown, shownIn } from './shown.js';

/** A request of the client, without what differs from run to run. */
export interface SeenRequest {
  /** null: no endpoint answers it. */
  operation: string | null;
  /** Its HTTP method. */
  method: string;
  /** The path inside the world, without the query. */
  path: string;
  /** The status that the client received; 0 when it received none. */
  status: number;
  /** The code of the error that answered it. */
  errorCode: string | null;
  /** The id of the fault rule that fired on it. */
  fault: string | null;
  /** The request took effect, whether or not the client received the response. */
  happened: boolean;
  /** A stream of events answered it. */
  isStream: boolean;
  /** The number of events that came, if it is a stream. */
  events: number;
  /** `key 1`, `anonymous 1`: callers in the order in which the world met them. */
  caller: string;
  /** The id of its key. */
  keyId: string | null;
  /** The names of the fields of its body and query, and the kinds of their values. */
  shape: string;
  /** Equal for equal requests. */
  content: string;
  /** Beside the request before it with this method and path: the names of the fields that are equal, and of the others. */
  again?: { same: string[]; differs: string[] };
  /** Wall milliseconds since the first request of the world. */
  at: number;
  /** Wall milliseconds from its start to the end of its response. */
  durationMs: number;
  /** The seconds that the response asked the client to wait. */
  retryAfter: number | null;
  /** What its response shows that another one may show otherwise, if it is a read. */
  shown?: Shown;
}

/** A verdict that failed. */
interface FailedVerdict {
  rule: string;
  summary: string;
  evidence: string[];
}

/** One world at its end. */
export interface SeenWorld {
  /** Its id, which fixtures make of the test's name. */
  label: string;
  /** The name of its test, as fixtures say it; null: nobody said it. */
  test: string | null;
  requests: SeenRequest[];
  /** Wall milliseconds of its first request and of the end of its last one. */
  from: number;
  to: number;
  /** How many there were, those included that the journal had no room for. */
  total: number;
  /** Credits that were charged; what was returned because a client deleted something early counts, as that is chance. */
  charged: number;
  /** The part of them that was returned because what it paid for has failed. */
  returned: number;
  /** Dollars that were paid, in USDC and by card. */
  paid: number;
  /** The things that are there at its end. */
  holdings: readonly Holding[];
  /** The client saw a deployment that got further than being built, so that it sees what becomes of it. */
  hasDeployed: boolean;
  failed: FailedVerdict[];
  /** What its scenario expects and did not come, besides verdicts. */
  unmet: string[];
  /** Its fault rules, as `ruleText` writes them. */
  rules: { id: string; text: string; hits: number }[];
  /** Error codes that each operation declares and the client did not meet. */
  neverMet: Record<string, readonly string[]>;
}

/** The answers of control operations that are read from a world. */
export interface WorldAnswers {
  requests: readonly JournalEntry[];
  streams: readonly { requestId: string; events: number }[];
  total: number;
  ledger: readonly { type: string; amount: number; reason: string }[];
  payments: readonly { status: string; amount: number }[];
  containers: readonly { status: string }[];
  holdings: readonly Holding[];
  verdicts: readonly {
    rule: string;
    verdict: string;
    summary: string;
    evidence: readonly { requestId: string | null; method: string | null; path: string | null; message: string }[];
  }[];
  expectations: readonly { what: string; ok: boolean; expected: string; actual: string }[];
  faults: readonly (RuleFields & { id: string; hits: number })[];
  operations: readonly { operation: string; neverMet: readonly string[] }[];
}

interface RuleFields {
  match: object;
  when: object;
  phase: string;
  effect: object;
}

/** A status beyond those that all deployments begin with, those that fail included. */
const further = /"status":"(?!pending|building)\w/;
/** This rule fails if a fault was not met, which is counted by itself. */
const notOfClient = 'faults-all-fired';

/** The record of a world, made from the answers of its control operations. */
export function seenWorld({ id, label }: { id: string; label: string | null }, answers: WorldAnswers): SeenWorld {
  const { payments, holdings, verdicts, operations } = answers;
  const settled = payments.filter(({ status }) => status === 'settled');
  const { charged, returned } = chargesIn(answers.ledger);
  return {
    label: id,
    test: label,
    requests: seenRequests(answers),
    from: Math.min(...answers.requests.map(begun)),
    to: Math.max(...answers.requests.map((entry) => begun(entry) + entry.durationMs)),
    total: answers.total,
    charged: rounded(charged),
    returned: rounded(returned),
    paid: rounded(settled.reduce((sum, { amount }) => sum + amount, paidByCard(answers.ledger))),
    holdings,
    hasDeployed: hasDeployed(answers),
    failed: verdicts
      .filter(({ rule, verdict }) => verdict === 'fail' && rule !== notOfClient)
      .map(({ rule, summary, evidence }) => ({
        rule,
        summary,
        evidence: evidence.map(({ method, path, message }) =>
          method === null ? message : `${method} ${path} ${message}`,
        ),
      })),
    unmet: answers.expectations
      .filter(({ what, ok }) => !ok && !what.startsWith('verdict '))
      .map(({ what, expected, actual }) => `${what}: ${actual}, expected ${expected}`),
    rules: answers.faults.map((rule) => ({ id: rule.id, hits: rule.hits, text: ruleText(rule) })),
    neverMet: Object.fromEntries(operations.map(({ operation, neverMet }) => [operation, neverMet])),
  };
}

// What becomes of a deployment that the client does not look at any more is no matter.
function hasDeployed({ requests }: WorldAnswers): boolean {
  return requests.some(
    ({ operation, responseBody }) =>
      operation === 'containers.streamLogs' ||
      (operation?.startsWith('containers.') === true && further.test(responseBody ?? '')),
  );
}

/** Equal for equal rules. */
export function ruleText({ match, when, phase, effect }: RuleFields): string {
  return [match, when, effect].map((part) => JSON.stringify(Object.entries(part).sort())).join(' ') + phase;
}

/** A sum of credits without what binary fractions add to it. */
export function rounded(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}

const begun = (entry: JournalEntry): number => entry.begunAt ?? entry.wall;

/** How many worlds were in use at the same time, at most. */
export function mostAtOnce(worlds: readonly Pick<SeenWorld, 'from' | 'to'>[]): number {
  const others = (moment: number): number => worlds.filter(({ from, to }) => from <= moment && moment <= to).length;
  return Math.max(1, ...worlds.map(({ from }) => others(from)));
}

function seenRequests({ requests, streams, faults }: WorldAnswers): SeenRequest[] {
  // Rules that answer in the place of the operation, even with 200.
  const forged = new Set(
    faults.filter(({ phase, effect }) => phase === 'before' && isForced(effect as FaultEffect)).map(({ id }) => id),
  );
  const events = new Map(streams.map((one) => [one.requestId, one.events]));
  const inOrder = [...requests].sort((a, b) => begun(a) - begun(b));
  const start = inOrder[0] === undefined ? 0 : begun(inOrder[0]);
  const callers = new Map<string, string>();
  const made = new Set<string>();
  const before = new Map<string, Map<string, string>>();
  return inOrder.map((entry) => {
    const kind = entry.caller.replace(/:.*$/s, '');
    const caller = callers.get(entry.caller) ?? `${kind} ${callers.size + 1}`;
    callers.set(entry.caller, caller);
    const { requestId, operation, method, path, query, status, errorCode, fault, outcome, durationMs, retryAfter } =
      entry;
    const fields = fieldsOf(entry);
    const former = before.get(`${method} ${path}`);
    before.set(`${method} ${path}`, fields);
    const shown = method === 'GET' ? shownIn(entry.responseBody ?? null, made) : undefined;
    if (method === 'POST' && outcome === 'answered' && status < 300 && entry.subject) made.add(entry.subject);
    return {
      operation,
      method,
      path,
      status,
      errorCode,
      fault,
      happened: entry.happened === true || (status >= 200 && status < 400 && !forged.has(fault ?? '')),
      isStream: outcome === 'streaming',
      events: events.get(requestId) ?? 0,
      caller,
      keyId: entry.keyId,
      shape: wireShape(entry.requestBody, query),
      content: [method, path, query, entry.requestBodyHash ?? ''].join(' '),
      at: Math.round(begun(entry) - start),
      durationMs,
      retryAfter,
      ...(former !== undefined && { again: besides(fields, former) }),
      ...(shown !== undefined && { shown }),
    };
  });
}

// The fields of the query and of the body; a body that is no object of JSON is one field.
function fieldsOf({ query, requestBody, requestBodyHash }: JournalEntry): Map<string, string> {
  const fields = new Map([...new URLSearchParams(query)].map(([name, value]) => [`?${name}`, value]));
  const body = requestBody === null ? undefined : parsedJson(requestBody);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    if (requestBodyHash !== null) fields.set('body', requestBodyHash);
  } else for (const [name, value] of Object.entries(body)) fields.set(name, JSON.stringify(value));
  return fields;
}

function besides(fields: ReadonlyMap<string, string>, former: ReadonlyMap<string, string>) {
  const names = [...new Set([...fields.keys(), ...former.keys()])];
  const isSame = (name: string): boolean => fields.get(name) === former.get(name);
  return { same: names.filter(isSame), differs: names.filter((name) => !isSame(name)) };
}

/** Equal for requests that say the same kinds of things. */
function wireShape(body: string | null, query: string): string {
  const names = [...new URLSearchParams(query).keys()].sort().join('&');
  return `${names === '' ? '' : `?${names} `}${body === null ? '' : bodyShape(body)}`;
}

function bodyShape(body: string): string {
  const value = parsedJson(body);
  return value === undefined ? 'text' : shapeOf(value);
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join('|')}]`;
  if (value === null || typeof value !== 'object') return value === null ? 'null' : ((typeof value)[0] ?? '');
  const fields = Object.entries(value).map(([name, inside]) => `${name}:${shapeOf(inside)}`);
  return `{${fields.sort().join(',')}}`;
}
