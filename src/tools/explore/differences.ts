// What is otherwise at the end of a world than without the fault: charges, payments, things, requests.

import { counted } from '../../core/words.js';
import { type Holding, holdingKinds } from '../scenarios/holdings-store.js';
import { isCreation } from '../verdicts/duplicate-create.js';
import { type Baseline, countsIn, mostOf, namesOf } from './baseline.js';
import type { Consequence } from './consequence.js';
import { faultsOf, isOfResponse, isOtherwise, type Try } from './fault-kinds.js';
import type { Failure } from './output.js';
import { rounded, type SeenWorld } from './seen.js';

/** A world with a fault, and how its test ended. */
export interface Ended {
  tried: Try;
  base: Baseline;
  seen: SeenWorld;
  failure: Failure;
  /** It was ended from outside: what it would have deleted or created later is no matter. */
  isHung: boolean;
}

/** The operations that create a kind of thing, whose results stay. */
const creations: Record<Holding['kind'], readonly string[]> = {
  container: ['containers.create'],
  agent: ['agents.create', 'agents.clone'],
  key: ['keys.create', 'auth.siweVerify'],
  document: ['knowledge.upload'],
  voice: ['voice.clone'],
  session: ['auth.login'],
  'hosted agent': ['hostedAgents.create'],
};
/** Operations whose only result is their response: repeating them is the only way to get it. */
const isAnswerOnly = (operation: string): boolean => !isCreation(operation);

/** All differences, the most severe first. */
export function differencesIn(ended: Ended): Consequence[] {
  const money = moneyIn(ended);
  if (ended.isHung) return [...money, ...flood(ended)];
  const destroyed = destroyedIn(ended);
  const unnoticed = destroyed.length > 0 ? [] : unnoticedIn(ended);
  return [...money, ...leftIn(ended, money.length > 0), ...destroyed, ...flood(ended), ...unnoticed];
}

function moneyIn({ tried, base, seen }: Ended): Consequence[] {
  const consequences: Consequence[] = [];
  const { point } = tried;
  const charged = rounded(seen.charged - seen.returned);
  const more = rounded(charged - base.charged);
  const timesMore = (countsIn(seen.requests).made.get(point.operation) ?? 0) - (base.made.get(point.operation) ?? 0);
  const isBoughtAgain = point.isPaid && isOfResponse(tried) && isAnswerOnly(point.operation) && timesMore === 1;
  if (more > 0 && isBoughtAgain)
    consequences.push({
      grade: 'A',
      kind: 'bought again',
      says: `It paid twice for one answer: ${counted(more, 'credit')} more.`,
      advice:
        'Switch off automatic retries where a second payment is not worth it (`maxRetries: 0`), or accept this in explore.known.json.',
      cost: more,
    });
  else if (more > 0)
    consequences.push({
      grade: 'A',
      kind: 'spent',
      says: `It spent ${counted(charged, 'credit')}; without the fault ${base.charged}.`,
      advice: doubtAdvice(tried),
      cost: more,
    });
  const paid = rounded(seen.paid - base.paid);
  if (paid > 0)
    consequences.push({
      grade: 'A',
      kind: 'paid',
      says: `It paid $${seen.paid} in USDC or by card; without the fault $${base.paid}.`,
      advice: 'Check the balance before paying again: the first payment may have been settled.',
      cost: paid,
    });
  return consequences;
}

// A client does otherwise because it was not told that a request took effect, or because it believes a wrong answer.
function doubtAdvice(tried: Try): string {
  const { point, kind } = tried;
  if (isOtherwise(kind))
    return 'A status that is not known is neither success nor failure, and a list may lag behind: look again before acting.';
  if (!point.writes) return 'An error is not an answer: without a usable list, neither create nor delete anything.';
  return isOfResponse(tried)
    ? 'When an error leaves open whether the request took effect, check that before sending it again.'
    : 'Take an error for what it says, and send again only what was refused.';
}

// The things that nobody has without the fault. Those that cost nothing any more are no matter.
function leftIn(ended: Ended, isPaidFor: boolean): Consequence[] {
  const { tried, base, seen } = ended;
  const made = countsIn(seen.requests).made;
  const timesMade = (counts: ReadonlyMap<string, number>, kind: Holding['kind']): number =>
    creations[kind].reduce((sum, operation) => sum + (counts.get(operation) ?? 0), 0);
  return holdingKinds.flatMap((kind): Consequence[] => {
    const live = seen.holdings.filter(({ isOver }) => !isOver);
    const names = beyond(namesOf(live, kind), namesOf(base.holdings, kind));
    // A client gets a new session, and a new key after 401, because it has to.
    const isRenewed = kind === 'key' && names.length === 1 && faultsOf(tried).some(isUnauthorized);
    if (names.length === 0 || kind === 'session' || isRenewed) return [];
    const isTwice = timesMade(made, kind) > timesMade(base.made, kind);
    if (isTwice && isPaidFor) return [];
    // The world of a test that failed is thrown away: what it found there it need not delete, and a fault may have kept it
    // from deleting what it made.
    const isExcused = timesMade(made, kind) < names.length || isRefused(ended, kind, names.length) || isGone(tried);
    const things = names.map((name) => ({ kind, name }));
    const listed = `${counted(names.length, kind)} (${names.slice(0, 3).join(', ')})`;
    return [
      isTwice
        ? {
            grade: 'A',
            kind: `twice ${kind}`,
            says: `It created ${listed} more than without the fault.`,
            advice: doubtAdvice(tried),
            things,
          }
        : {
            grade: ended.failure === 'none' ? 'A' : isExcused ? 'E' : 'C',
            kind: `left ${kind}`,
            says: `It left ${listed} that it deletes without the fault.`,
            advice: 'Delete it when something fails, too (`finally`), and retry when the deletion fails.',
            things,
          },
    ];
  });
}

const isUnauthorized = ({ kind }: Try): boolean => kind.id === 'UNAUTHORIZED';

// Whether the client tried to delete as many of a kind, and faults refused it.
function isRefused({ seen: { requests } }: Ended, kind: Holding['kind'], count: number): boolean {
  const nouns = creations[kind].map(nounOf);
  const refused = requests.filter(
    ({ operation, method, fault, happened }) =>
      method === 'DELETE' && fault !== null && !happened && nouns.includes(nounOf(operation ?? '')),
  );
  return refused.length >= count;
}

// Nobody sees which requests find the platform gone: a deletion may be among them.
const isGone = ({ kind }: Try): boolean => kind.isForAll === true;

const nounOf = (operation: string): string => operation.split('.')[0] ?? '';

// By name, as far as names are the same each time.
function beyond(now: readonly string[], before: readonly string[]): string[] {
  const excess = now.length - before.length;
  if (excess <= 0) return [];
  return [...now.filter((name) => !before.includes(name)), ...now].slice(0, excess);
}

// The things of the baseline that are not there. Where names are others in each run, ids tell them apart.
function missingIn({ base, seen }: Ended, kind: Holding['kind']): Holding[] {
  const keyOf = (one: Holding): string => (base.nameless.has(kind) ? one.id : one.name);
  const there = seen.holdings.filter((one) => one.kind === kind).map(keyOf);
  return base.holdings.filter((one) => {
    if (one.kind !== kind) return false;
    const place = there.indexOf(keyOf(one));
    if (place !== -1) there.splice(place, 1);
    return place === -1;
  });
}

function destroyedIn(ended: Ended): Consequence[] {
  const { seen, failure, tried } = ended;
  const deleted = seen.requests.filter(({ method, happened }) => method === 'DELETE' && happened);
  const { made } = countsIn(seen.requests);
  return holdingKinds.flatMap((kind): Consequence[] => {
    const things = missingIn(ended, kind).filter(({ id }) => deleted.some(({ path }) => path.includes(id)));
    const own = creations[kind].reduce((sum, operation) => sum + (made.get(operation) ?? 0), 0);
    // A test that fails may remove what it has made itself.
    if (things.length === 0 || (failure === 'platform' && things.length <= own)) return [];
    const names = things.map(({ name }) => name);
    return [
      {
        grade: 'A',
        kind: `destroyed ${kind}`,
        says: `It deleted ${counted(names.length, kind)} (${names.slice(0, 3).join(', ')}) that it keeps without the fault.`,
        advice: tried.point.writes
          ? 'Delete only what is known to be its own, by its id or its name: the newest one may belong to somebody else.'
          : doubtAdvice(tried),
        things: names.map((name) => ({ kind, name })),
      },
    ];
  });
}

function flood({ tried: { point, kind }, base, seen: { requests, total } }: Ended): Consequence[] {
  const before = base.counts.get(point.operation) ?? 0;
  const count = countsIn(requests).all.get(point.operation) ?? 0;
  const isMore = kind.mode === undefined && count > mostOf(before);
  if (!isMore && total <= mostOf(base.total)) return [];
  const says = isMore
    ? `It sent ${point.operation} ${counted(count, 'time')}; without the fault ${before}.`
    : `It sent ${counted(total, 'request')}; without the fault ${base.total}.`;
  return [{ grade: 'B', kind: 'requests', says, advice: 'Limit the number of attempts, and wait longer before each.' }];
}

/** The kind of thing that an operation creates. */
const kindMadeBy = (operation: string): Holding['kind'] | undefined =>
  holdingKinds.find((kind) => creations[kind].includes(operation));

// Whether what the operation does without the fault was done less often, in whichever way.
function isUndone({ tried: { point }, base, seen }: Ended): boolean {
  const { operation, changes } = point;
  if (operation.endsWith('.delete') || !(isCreation(operation) || changes)) return false;
  const kind = kindMadeBy(operation);
  const ways = kind === undefined ? [operation] : creations[kind];
  const timesIn = (counts: ReadonlyMap<string, number>): number =>
    ways.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
  return timesIn(countsIn(seen.requests).made) < timesIn(base.madeAtLeast);
}

/** Faults of a stream or a body that ends before its end. */
const cutOffs: readonly string[] = ['broken', 'broken-first', 'stalled', 'stalled-first', 'cut'];

// The test passed although what the client makes without the fault is not there, its key was refused, or its answer broke off.
function unnoticedIn(ended: Ended): Consequence[] {
  const { tried, base, seen, failure } = ended;
  const { point, kind } = tried;
  // A client may believe that a thing exists already, that a deployment which was accepted goes well, and what a whole
  // response says.
  if (failure !== 'none' || kind.mode !== undefined || kind.id === 'CONFLICT' || isOtherwise(kind)) return [];
  const things = holdingKinds.flatMap((one) => {
    const fewer = namesOf(base.holdings, one).length - namesOf(seen.holdings, one).length;
    return missingIn(ended, one).slice(0, Math.max(0, fewer));
  });
  if (things.length > 0 || isUndone(ended)) {
    const names = things.slice(0, 3).map((one) => `the ${one.kind} ${one.name}`);
    const what =
      names.length > 0 ? `${names.join(', ')} ${things.length > 1 ? 'are' : 'is'} missing` : 'it was never done';
    return [
      {
        grade: 'C',
        kind: 'unnoticed',
        says: `Nobody noticed: ${point.operation} failed, was not repeated, and the test passed although ${what}.`,
        advice: 'Check the status of each response, and pass on the error of what was not done.',
        things: things.map((one) => ({ kind: one.kind, name: one.name })),
      },
    ];
  }
  // It was sent again, or the client looked what has become of it.
  const { all } = countsIn(seen.requests);
  if (
    [...all].some(([operation, times]) => times > (base.counts.get(operation) ?? 0)) ||
    !isAnswerOnly(point.operation)
  )
    return [];
  // Another error may pass, and a client may do without: that of a key does not.
  if (isUnauthorized(tried) && !point.changes)
    return [
      {
        grade: 'C',
        kind: 'unnoticed',
        says: `Nobody noticed: ${point.operation} was refused because the key is not valid, and the test passed without its answer.`,
        advice: 'Pass on a 401: what is shown in the place of the answer, such as an empty list or 0, is wrong.',
        things: [],
      },
    ];
  const isAnswer = point.request.method === 'POST' && (point.request.isStream || !point.changes);
  if (!isOfResponse(tried) || !cutOffs.includes(kind.id) || !isAnswer) return [];
  return [
    {
      grade: 'C',
      kind: 'cut off',
      says: `Nobody noticed: the response to ${point.operation} broke off, was not asked for again, and the test passed.`,
      advice:
        'A stream is whole only with its last event (`[DONE]`, `response.completed`), and a body with its `Content-Length`: raise an error where they are missing.',
    },
  ];
}
