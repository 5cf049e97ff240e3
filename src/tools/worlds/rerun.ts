// Sends a request of the journal again, in a world that is as this one was before it.

import * as z from 'zod';
import { byId, type ControlContext, operation } from '../../control/operation.js';
import { request as send, textOf } from '../../control/request.js';
import { ApiError, invalid } from '../../core/errors.js';
import { parseInstant } from '../../core/instant.js';
import { freshWorldId } from '../../core/random.js';
import { emulatorFacts } from '../../world/given.js';
import type { World } from '../../world/world.js';
import { prefixOf } from '../../world/world-name.js';
import { findPoint, historyOf } from '../history/places.js';
import { requestOperations } from '../journal/control.js';
import { journalOf } from '../journal/journal.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { type ChangedTable, changedTable, changesOfRequest } from '../journal/row-changes.js';
import { hosting } from './hosting.js';
import { makeWorld } from './make-world.js';
import { type Changes, type ReplayedRequest, replayed } from './replayed-request.js';
import { asked } from './request.js';

const mostThrough = 200;

export const rerunRequest = z.lazy(() =>
  z.object({
    body: z.unknown().optional().describe('Another body: text, or what is sent as JSON'),
    headers: z.record(z.string(), z.string()).optional().describe('Headers to send in place of its own'),
    set: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Fields of its body to send otherwise, by their names with dots between: {"spec.port": 80}'),
    as: z.string().max(500).optional().describe('Another key: its value, or the id of one of the world'),
    through: z
      .int()
      .min(0)
      .max(mostThrough)
      .optional()
      .describe('Also sends so many of the requests that followed, each at its own time'),
    keep: z.boolean().optional().describe('Whether the world stays, for an hour without requests; by default it does'),
    verify: z
      .boolean()
      .optional()
      .describe('Fail unless every answer and every changed row is as it was: the proof that this place is exact'),
  }),
);

/** What is to be otherwise when a request is sent again. */
export type RerunRequest = z.input<typeof rerunRequest>;

const seen = z.object({
  requestId: z.string(),
  status: z.int(),
  errorCode: z.string().nullable(),
  body: z.string().nullable().describe('As the journal keeps it: without secrets'),
});

export const rerunResult = z.lazy(() =>
  z.object({
    world: z.string().nullable().describe('The world in which it was sent again; null: it was not to be kept'),
    original: seen,
    rerun: seen,
    changes: z.object({
      original: z
        .array(changedTable)
        .nullable()
        .describe('The rows that it changed; null: the history does not hold them'),
      rerun: z.array(changedTable).nullable(),
    }),
    followed: z.int().describe('How many of the following requests were sent'),
    endedBefore: z
      .object({ requestId: z.string(), reason: z.string() })
      .nullable()
      .describe('The first of them that cannot be sent as it was, where there is one: nothing is sent from there on'),
    partsAt: z
      .string()
      .nullable()
      .describe('The first request whose answer or changes are others than they were; null: all are the same'),
  }),
);

/** Both responses and both sets of changes. */
export type RerunResult = z.output<typeof rerunResult>;

/** The operations of the journal, with that which sends a request again. */
export const journalOperations = {
  ...requestOperations,
  /**
   * Sends a request of the journal again, changed or not, in a new world that is as this one was before the request.
   * Nothing happens in this world.
   *
   * @example const { original, rerun } = await controls.requests.rerun(requestId, { set: { name: 'other' } })
   * @throws ApiError NOT_FOUND, or CONFLICT where the world or the request cannot be exactly as it was
   */
  rerun: operation({
    id: 'control.requests.rerun',
    route: 'POST /requests/{id}/rerun',
    summary: 'Send a request again, in a new world that is as this one was before it',
    params: byId('request: its X-Request-Id, or the number of its point'),
    body: rerunRequest,
    bodyOptional: true,
    output: rerunResult,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'requests rerun <id>',
      prints: 'rerun',
      untrusted: 'whole',
      names: { headers: 'header' },
      examples: [
        ['requests rerun req_7820e0a…', 'the same once more: both answers and what they changed'],
        [
          'requests rerun req_7820e0a… --set name=shop --through 5',
          'with another name, and the five requests after it',
        ],
        ['requests rerun 12 --verify', 'exit code 1 unless the answer and the changed rows are the same'],
      ],
    },
    runs: 'async',
    run: async (context, name: string, request: RerunRequest = {}): Promise<RerunResult> => {
      const { through = 0, verify = false, keep = !verify, ...changes } = request;
      if (verify) requireNoChange(changes);
      const entries = requestsFrom(context.world, name, through);
      const { requestId } = entries[0] as JournalEntry;
      const id = (context.team?.prefix ?? '') + freshWorldId();
      const at = { requestId, side: 'before' as const };
      // Each request comes at its own time, the first too: none may pass before it.
      await makeWorld(context, id, asked({ at, clock: { frozen: true } }, context.team?.ttl));
      const host = hosting.of(context.world);
      try {
        const result = await sendAll(context, host.worlds().get(id), entries, changes);
        if (verify) requireSame(result);
        return { world: keep ? id : null, ...result };
      } catch (error) {
        host.drop(id);
        throw error;
      } finally {
        if (!keep && host.worlds().has(id)) host.drop(id);
      }
    },
  }),
};

function requireNoChange(changes: Changes): void {
  const [path] = Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (path !== undefined) throw invalid({ path, message: 'cannot be given with `verify`, which sends what was sent' });
}

function requireSame({ partsAt, endedBefore, original, rerun }: Omit<RerunResult, 'world'>): void {
  if (partsAt === null && endedBefore !== null)
    throw new ApiError('CONFLICT', { message: `Not all can be verified: ${endedBefore.reason}` });
  if (partsAt === null) return;
  const isFirst = partsAt === original.requestId && original.status !== rerun.status;
  const how = isFirst
    ? `is answered ${rerun.status} instead of ${original.status}`
    : 'has another answer or changes other rows';
  throw new ApiError('CONFLICT', {
    message: `The place before it is not exact: ${partsAt} ${how} when it is sent again. Send it without \`verify\` to see both`,
  });
}

/** A request of the journal, and those that followed it. */
function requestsFrom(world: World, id: string, through: number): JournalEntry[] {
  const records = journalOf(world).records();
  const requests = records.filter((record): record is JournalEntry => record.kind === 'request');
  // The number of a point does as well.
  const meant = /^\d+$/.test(id) ? findPoint(historyOf(world), id).point.request : id;
  const first = requests.findIndex(({ requestId }) => requestId === meant);
  if (first < 0)
    throw new ApiError('NOT_FOUND', {
      message: `The journal holds no request ${JSON.stringify(id)}: \`cloudemu requests\` lists them`,
    });
  return requests.slice(first, first + 1 + through);
}

async function sendAll(
  context: ControlContext,
  fork: World,
  entries: readonly JournalEntry[],
  changes: Changes,
): Promise<Omit<RerunResult, 'world'>> {
  const { world } = context;
  const results: Pick<RerunResult, 'original' | 'rerun' | 'changes'>[] = [];
  let partsAt: string | null = null;
  let endedBefore: RerunResult['endedBefore'] = null;
  for (const [index, entry] of entries.entries()) {
    const sending = index === 0 ? replayed(fork, entry, changes) : follower(fork, entry);
    if (sending instanceof ApiError) {
      endedBefore = { requestId: entry.requestId, reason: sending.message };
      break;
    }
    const at = actedAt(entry);
    if (at > fork.clock.now()) await fork.clock.advanceTo(at);
    const rerun = await sendOne(fork, sending);
    const result = {
      original: shown(entry),
      rerun: shown(rerun),
      changes: {
        original: changesOfRequest(world, entry.requestId),
        rerun: changesOfRequest(fork, rerun.requestId),
      },
    };
    if (partsAt === null && !isSame(result, world, fork)) partsAt = entry.requestId;
    results.push(result);
  }
  const { speed } = world.clock.state();
  if (speed > 0) fork.clock.resume(speed);
  const [first] = results;
  if (first === undefined) throw new Error('there is a first request');
  return { ...first, followed: results.length - 1, endedBefore, partsAt };
}

// What is missing of the first request can be given, of those that follow nothing can.
function follower(fork: World, entry: JournalEntry): ReplayedRequest | ApiError {
  try {
    return replayed(fork, entry, {});
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** When a request took effect: time may run on between its arrival and its effect, in which its response was made. */
export function actedAt({ at, responseHeaders }: JournalEntry): number {
  return parseInstant(responseHeaders['x-emulator-now'] ?? '') ?? at;
}

async function sendOne(fork: World, { path, ...sending }: ReplayedRequest): Promise<JournalEntry> {
  const answer = await send(emulatorFacts.of(fork).origin() + prefixOf(fork.id) + path, sending).catch(() => undefined);
  // A fault may break the connection: the journal knows what became of it.
  await (answer && textOf(answer).catch(() => ''));
  const [sent] = journalOf(fork).recent(1);
  if (sent !== undefined) return sent;
  throw new ApiError('SERVICE_UNAVAILABLE', { message: 'The request was not answered: the emulator may be closing' });
}

const shown = ({ requestId, status, errorCode, responseBody }: JournalEntry): RerunResult['rerun'] => ({
  requestId,
  status,
  errorCode,
  body: responseBody,
});

// A container's address has a port that was free when it was opened.
const address = /(:\/\/[^\s"\\/]+):\d+(?=\\?")/g;
// What belongs to the process: that port, and numbers which say in which order things happened, of which some are left out.
const ofProcess = /(^|\.)(listener_port|occurrence|turn|after)$/;

function isSame(
  { original, rerun, changes }: Pick<RerunResult, 'original' | 'rerun' | 'changes'>,
  world: World,
  fork: World,
): boolean {
  // The ids of both worlds stand in URLs alone.
  const plain = (text: string, { prefix }: World): string =>
    (prefix === '' ? text : text.replaceAll(prefix, '')).replace(address, '$1');
  return (
    original.status === rerun.status &&
    plain(original.body ?? '', world) === plain(rerun.body ?? '', fork) &&
    plain(rowsOf(changes.original), world) === plain(rowsOf(changes.rerun), fork)
  );
}

const rowsOf = (tables: readonly ChangedTable[] | null): string =>
  JSON.stringify(tables, (_, value) =>
    typeof value?.name === 'string' && ofProcess.test(value.name) ? undefined : value,
  );
