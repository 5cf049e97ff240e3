// Why a request was answered as it was: the last point without which it would have ended otherwise, which is shown by sending
// it again in a world that begins before that point.

import { ApiError } from '../../core/errors.js';
import { changesIn } from '../../db/history-changes.js';
import type { Entry } from '../../db/history-entry.js';
import type { World } from '../../world/world.js';
import { worldAt } from '../history/fork.js';
import { lookAt } from '../history/look.js';
import { type FoundPoint, findPoint, historyOf, placeOf } from '../history/places.js';
import { changesOf, viewPoints } from '../history/points.js';
import { wordsOf as wordsOfRows } from '../history/words.js';
import { journalOf } from '../journal/journal.js';
import { type JournalEntry, messageOf } from '../journal/journal-entry.js';
import { actedAt } from '../worlds/rerun.js';
import { type Cause, failingOf } from './failing.js';
import { isDecided, isSame, type Made, outcomeOf, wordsOf } from './outcome.js';
import { credentialsEver, notKept, type Resend, resendOf } from './resend.js';
import type { WhyAnswer } from './schema.js';
import { newestOf, type Suspect, suspectsOf } from './search.js';
import { type Trial, tried, untriable } from './trial.js';

/** A request, and the world as it was before it. */
interface Asked {
  request: JournalEntry;
  place: FoundPoint;
  image: Buffer;
  resend: Resend;
}

/** What was found. */
interface Found {
  reason: string;
  isCertain: boolean;
  chain: Cause[];
}

/**
 * Why a request was answered as it was.
 *
 * @param name its id, or the number of its point
 * @throws ApiError NOT_FOUND, or CONFLICT where the world cannot be exactly as it was
 */
export async function whyOf(world: World, name: string): Promise<WhyAnswer> {
  const asked = requestNamed(world, name);
  const { requestId, status, errorCode, fault } = asked.request;
  const { reason, isCertain, chain } =
    status > 0 && status < 400 && fault === null ? await ofSuccess(world, asked) : await ofRefusal(world, asked);
  const points = viewPoints(
    world,
    historyOf(world),
    chain.map(({ entry }) => entry),
  );
  const told = chain.flatMap(({ entry, because }) => {
    const point = points.find((one) => one.point === entry.point?.point);
    return point === undefined ? [] : [{ ...point, because }];
  });
  return { requestId, status, errorCode, reason, certain: isCertain && told.length > 0, chain: told };
}

function requestNamed(world: World, name: string): Asked {
  const history = historyOf(world);
  const place = findPoint(history, name);
  const { request: id } = place.point;
  const request = journalOf(world)
    .records()
    .find((record) => record.kind === 'request' && record.requestId === id);
  if (request?.kind !== 'request')
    throw new ApiError('NOT_FOUND', {
      message: `Point ${place.point.point} is no request that the journal holds: \`cloudemu requests\` lists them`,
    });
  const image = worldAt(world, history, placeOf(history, place, 'before'), true);
  const ever = credentialsEver(world);
  const resend = lookAt.of(world)(image, (before) => resendOf(before, request, ever));
  return { request, place, image, resend };
}

const begunBy = ({ point, entry }: FoundPoint): number => point.from ?? entry.seq;

async function ofRefusal(world: World, asked: Asked): Promise<Found> {
  const { request, place, image, resend } = asked;
  const own = outcomeOf(request);
  const said =
    messageOf(request) ??
    (request.fault === null ? `it was answered ${wordsOf(own)}` : `the fault rule ${request.fault} acted on it`);
  const untried = untriable(world, request);
  if (untried !== undefined) return unknown(`${said}. What has decided it is not tried: ${untried}`);
  const again = await tried(world, image, { request, resend, at: actedAt(request) });
  if (!isSame(own, again.outcome)) {
    const then = `sent again in the world as it was before, it is answered ${wordsOf(again.outcome)}`;
    return unknown(
      `${said}. ${secretOf(world, asked) ?? `The history does not hold all that it depended on: ${then}`}`,
    );
  }
  const { reads } = again;
  const suspects = suspectsOf(world, { request, image, reads, begun: begunBy(place) });
  const without = trialsWithout(world, asked);
  const decides = async (suspect: Suspect): Promise<boolean> => {
    const { outcome } = await without(suspect);
    const made = madeBy(world, suspect.entry, request);
    return isDecided(own, outcome, made);
  };
  const newest = await newestOf(suspects, decides);
  if (newest === undefined) return unknown(`${said}. ${await withoutPoint(world, asked, suspects)}`);
  // What time has ended, somebody may have begun: a deletion, a job.
  const begun = isOfTime(newest) ? suspects.filter((one) => one.entry.seq < newest.entry.seq && !isOfTime(one)) : [];
  const found = [newest, (await newestOf(begun, decides)) ?? []].flat();
  const chain: Cause[] = [];
  for (const suspect of found) {
    const { outcome } = await without(suspect);
    const words = wordsOfSuspect(world, suspect);
    const because = `${words === '' ? '' : `${words}; `}before it, the answer is ${wordsOf(outcome)}`;
    chain.push({ entry: suspect.entry, because });
  }
  return { reason: said, isCertain: true, chain };
}

// Why no point has decided it: time that went on, or a secret that only its client has.
async function withoutPoint(world: World, asked: Asked, [last]: readonly Suspect[]): Promise<string> {
  const { request, resend } = asked;
  if (last !== undefined && !isOfTime(last)) {
    const place = placeOf(historyOf(world), last, 'after');
    const image = worldAt(world, historyOf(world), place, true);
    const { outcome } = await tried(world, image, { request, resend, at: undefined });
    if (isDecided(outcomeOf(request), outcome, { caller: false, subject: false }))
      return `No point has decided it, but the time since then: right after point ${last.point.point}, the answer is ${wordsOf(outcome)}`;
  }
  return secretOf(world, asked) ?? 'No change that the history holds has decided it';
}

function secretOf(world: World, { request, image, resend }: Asked): string | undefined {
  const secret = lookAt.of(world)(image, (before) => notKept(before, request, resend));
  return secret && `The history does not hold what it was sent with: ${secret}`;
}

// Without a jump of time it is earlier; what was due would be due again.
const isOfTime = ({ point }: Suspect): boolean => point.kind === 'clock' || point.kind === 'effect';

const unknown = (reason: string): Found => ({ reason, isCertain: false, chain: [] });

/** Tries a request in the world before a point, each once. */
function trialsWithout(world: World, { request, resend }: Asked): (suspect: Suspect) => Promise<Trial> {
  const known = new Map<string, Promise<Trial>>();
  const history = historyOf(world);
  return (suspect) => {
    const { entry, point, state, tables } = suspect;
    const isTime = isOfTime(suspect);
    const name = isTime || tables.length === 0 ? `point ${point.point}` : state;
    const trial =
      known.get(name) ??
      tried(world, worldAt(world, history, placeOf(history, { entry, point }, 'before'), true), {
        request,
        resend,
        at: isTime ? undefined : actedAt(request),
      });
    known.set(name, trial);
    return trial;
  };
}

function madeBy(world: World, { seq }: Entry, request: JournalEntry): Made {
  const tables =
    changesIn(world.db, historyOf(world).entries(), (entry) => (entry.seq === seq ? seq : undefined), seq).get(seq) ??
    [];
  const made = tables.flatMap(({ table, rows }) =>
    rows.flatMap(({ before, after }) => (before === undefined && after !== undefined ? [{ table, row: after }] : [])),
  );
  const { keyId, organizationId, subject } = request;
  return {
    caller: made.some(
      ({ table, row }) =>
        (table === 'api_keys' && row.id === keyId) || (table === 'organizations' && row.id === organizationId),
    ),
    subject: made.some(({ row }) => subject !== null && (row.id === subject || row.project_name === subject)),
  };
}

function wordsOfSuspect(world: World, { entry, tables }: Suspect): string {
  const changed = changesOf(world, historyOf(world), new Set([entry.seq])).get(entry.seq) ?? [];
  const words = wordsOfRows(changed.filter(({ table }) => tables.includes(table)));
  return words.slice(0, mostWords).join('; ');
}

const mostWords = 3;

// A failed container, agent or job is shown with 200.
async function ofSuccess(world: World, asked: Asked): Promise<Found> {
  const { request, place, image } = asked;
  const past = pastOf(world, begunBy(place));
  const failing = lookAt.of(world)(image, (before) => failingOf({ request, past, before }));
  if (failing === undefined) return unknown('it succeeded: nothing refused it');
  if (untriable(world, request) !== undefined) return unknown(failing.reason);
  const without = trialsWithout(world, asked);
  const own = outcomeOf(request);
  const chain: Cause[] = [];
  for (const cause of failing.chain) {
    const { entry } = cause;
    if (entry.point === undefined) continue;
    const { outcome } = await without({ entry, point: entry.point, tables: [], state: '' });
    if (!isSame(own, outcome)) chain.push(cause);
  }
  return { reason: failing.reason, isCertain: chain.length > 0, chain };
}

function pastOf(world: World, begun: number) {
  const history = historyOf(world);
  const earlier: Entry[] = [];
  for (const entry of history.entries().after(0)) {
    if (entry.seq >= begun) break;
    earlier.push(entry);
  }
  const seqs = new Set(earlier.map(({ seq }) => seq));
  const changes = changesIn(world.db, history.entries(), ({ seq }) => (seqs.has(seq) ? seq : undefined));
  return earlier.reverse().map((entry) => ({ entry, tables: changes.get(entry.seq) ?? [] }));
}
