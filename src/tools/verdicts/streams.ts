// The rule that streams are closed, and are not opened again and again.

import { counted } from '../../core/words.js';
import type { JournalEntry, JournalMarker } from '../journal/journal-entry.js';
import {
  apart,
  begunAt,
  endedAt,
  fieldIn,
  groupedBy,
  headerOf,
  markersOf,
  requestsOf,
  sequencesOf,
} from './reading.js';
import { conclude, type Evidence, evidenceOf, type Judgement, type Rule, waitText } from './verdict.js';

/** So many streams of one thing, each opened when the one before had ended, within so many milliseconds are a storm. */
const fewestInStorm = 6;
const stormMs = 1_000;
/** That a client closed a stream may be noticed so long after its next request. */
const noticedMs = 3;
/** A stream may stay open for so long after the end of what it watches and of all other requests: programs take leave. */
const leaveMs = 1_000;
/** Beyond that its client has forgotten it. */
const forgottenMs = 5_000;
const endStates: readonly string[] = ['failed', 'stopped'];

/**
 * Every stream has ended: the client closed it, or the server had nothing more to send. It has not been left open for
 * seconds after the client had seen the end of what it watches and sent its last request, and streams of one thing have
 * not been opened one after the other without a wait.
 */
export const streamsClosed: Rule = {
  id: 'streams-closed',
  title: 'Closes its streams',
  demands: 'The client leaves no stream open when it is done, and waits before it opens one again.',
  judge(records, { runningSince }): Judgement {
    const ended = new Map(markersOf(records, 'stream-ended').map((marker) => [marker.subject, marker]));

    const streams = requestsOf(records).filter(({ outcome }) => outcome === 'streaming');
    // Streams of a killed process have no end marker, but are no longer open.
    const open = streams.filter(({ seq, wall }) => !ended.has(String(seq)) && wall >= runningSince);
    const wrong = open.map((entry) => evidenceOf(entry, 'is still open'));
    const unclear: Evidence[] = [];
    for (const sequence of sequencesOf(records)) {
      const forgotten = forgottenIn(sequence, ended);
      for (const { entry, idleMs, isSure } of forgotten)
        (isSure ? wrong : unclear).push(
          evidenceOf(
            entry,
            `stayed open for ${waitText(idleMs)} after its container had ended and nothing else was sent`,
          ),
        );
      for (const group of groupedBy(sequence, streamOf)) {
        for (const entry of stormsIn(group, ended))
          wrong.push(evidenceOf(entry, `is opened for the ${fewestInStorm}th time within ${waitText(stormMs)}`));
      }
    }
    const of = counted(streams.length, 'stream');
    return conclude(
      streams.length,
      wrong,
      {
        none: 'No stream was opened.',
        pass: `${of}, all of them closed.`,
        fail: failure(open.length, wrong.length, of),
        unclear: `${counted(unclear.length, 'stream')} stayed open for a while after the container had ended: close a stream when you no longer read it.`,
      },
      unclear,
    );
  },
};

function failure(open: number, wrong: number, of: string): string {
  if (open === wrong) return `${open} of ${of} still open: close (or abort) a stream when you no longer read it.`;
  return `${wrong} of ${of} left open, or opened again at once: close (or abort) a stream when you no longer read it, and wait before you open it again.`;
}

type Ends = ReadonlyMap<string, JournalMarker>;

/** Streams of one thing. A model's replies are no such streams: each of them is asked for. */
function streamOf({ operation, method, path, outcome, status }: JournalEntry): string | undefined {
  const isStream = outcome === 'streaming' || (outcome === 'lost' && status === 200 && operation === logs);
  return isStream && method === 'GET' ? path : undefined;
}

const logs = 'containers.streamLogs';

/** When a stream had ended; one that a fault broke off had done so when it was recorded. */
function closedAt(entry: JournalEntry, ended: Ends): number {
  if (entry.outcome !== 'streaming') return endedAt(entry);
  return ended.get(String(entry.seq))?.wall ?? Infinity;
}

// Several watchers open their streams beside each other: only those that follow each other are of one loop.
function stormsIn(group: readonly JournalEntry[], ended: Ends): JournalEntry[] {
  let run: JournalEntry[] = [];
  return group.filter((entry) => {
    const former = run.at(-1);
    if (former !== undefined && closedAt(former, ended) - noticedMs > begunAt(entry)) run = [];
    run = [...run, entry].slice(-fewestInStorm);
    const [first] = run;
    if (run.length < fewestInStorm || first === undefined || apart(first, entry) >= stormMs) return false;
    run = [];
    return true;
  });
}

interface Forgotten {
  entry: JournalEntry;
  idleMs: number;
  isSure: boolean;
}

// Streams that the client ended only long after it had seen the end of their container, and had nothing else to do.
function forgottenIn(sequence: readonly JournalEntry[], ended: Ends): Forgotten[] {
  const streams = sequence.filter((entry) => entry.operation === logs && entry.outcome === 'streaming');
  if (streams.length === 0) return [];
  const others = sequence.filter((entry) => !streams.includes(entry));
  const last = Math.max(0, ...others.map(endedAt), ...streams.map(begunAt));
  return streams.flatMap((entry): Forgotten[] => {
    const end = ended.get(String(entry.seq));
    const telling = endOf(others, entry.subject);
    if (end?.by !== 'client' || telling === undefined) return [];
    const idleMs = end.wall - Math.max(last, endedAt(telling));
    if (idleMs < leaveMs) return [];
    // Another program may watch on purpose what the first one has given up.
    const isSame = agentOf(entry) === agentOf(telling);
    return [{ entry, idleMs, isSure: isSame && idleMs >= forgottenMs }];
  });
}

/** The response that showed that a container has ended, unless a later one showed otherwise. */
function endOf(others: readonly JournalEntry[], container: string | null): JournalEntry | undefined {
  let telling: JournalEntry | undefined;
  for (const entry of others) {
    if (container === null || entry.subject !== container || entry.outcome !== 'answered') continue;
    const isGet = entry.operation === 'containers.get' && entry.status === 200;
    const status = isGet ? fieldIn(entry.responseBody, 'status') : undefined;
    if (status !== undefined && endStates.includes(status)) telling = entry;
    else if (isGet || ['containers.create', 'containers.update'].includes(entry.operation ?? '')) telling = undefined;
  }
  return telling;
}

const agentOf = ({ requestHeaders }: JournalEntry): string | undefined => headerOf(requestHeaders, 'user-agent');
