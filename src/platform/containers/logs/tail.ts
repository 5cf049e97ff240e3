// The live log stream: everything after a position, then each line and status at its instant.

import { nextTurn } from '../../../core/clock.js';
import type { SseEvent, SseSink } from '../../../http/response.js';
import { iso } from '../../../http/wire.js';
import { replaced } from '../../../world/topics.js';
import type { World } from '../../../world/world.js';
import { historyOf, wholeStateOf } from '../lifecycle/history.js';
import type { ContainerState } from '../lifecycle/lifecycle.js';
import { type ContainerRecord, findContainer } from '../store.js';
import { linesTopic, logContextOf } from './lines-store.js';
import {
  compareKeys,
  keyText,
  type LineKey,
  type LogContext,
  type LogLine,
  linesAt,
  nextLineAt,
  retentionMs,
} from './logs.js';

interface TailOptions {
  world: World;
  containerId: string;
  /** The position at which an interrupted stream left off; without it, the last `tail` lines come first. */
  after: LineKey | undefined;
  /** Only lines from this instant on. */
  since: number | undefined;
  tail: number;
  /** Only lines of this level. */
  level: string | undefined;
}

// How much virtual time is sent at once: a jump of days is sent in pieces that a socket can take.
const windowMs = 3_600_000;

/** Writes to a sink until the container is gone or the client leaves. */
export function openTail(options: TailOptions, sink: SseSink): void {
  const { world, containerId } = options;
  let last = options.after;
  let cancelSleep: (() => void) | undefined;
  let closed = false;
  let work: Promise<void> = Promise.resolve();

  const unsubscribe = world.bus.on(`container:${containerId}`, () => void pump());
  const unsubscribeLines = world.bus.on(linesTopic(containerId), () => void pump());
  const unsubscribeReplaced = world.bus.on(replaced, () => void startAgain());
  sink.onClose(() => {
    closed = true;
    unsubscribe();
    unsubscribeLines();
    unsubscribeReplaced();
    cancelSleep?.();
  });

  // One after the other: a change may come while the lines of the last one are still being written. In a
  // turn of its own: a jump of the clock wakes all streams of the world at once.
  function pump(): Promise<void> {
    work = work.then(nextTurn).then(deliver).catch(giveUp);
    return work;
  }
  // Ends the stream if the data cannot be read: the client's next request says why.
  function giveUp(): void {
    if (!closed) sink.end();
  }

  // The data are different now, perhaps of an earlier time: what was sent so far no longer applies.
  function startAgain(): Promise<void> {
    work = work.then(() => {
      cancelSleep?.();
      last = undefined;
      return sink.send([{ data: JSON.stringify({ type: 'reset' }) }]);
    });
    return pump();
  }

  async function deliver(): Promise<void> {
    for (;;) {
      if (closed) return;
      const now = world.clock.now();
      // A completed deletion ends the stream even if nothing reads the container.
      const settling = world.settleInParts(now);
      if (settling !== undefined) {
        await settling;
        continue;
      }
      const record = findContainer(world.db, containerId);
      if (record === undefined) return sink.end();
      const state = wholeStateOf(world.db, record, now);
      const context = logContextOf(world, record);
      await catchUp(record, state, now, context);
      const next = Math.min(nextLineAt(state, now, context) ?? Infinity, state.nextAt ?? Infinity);
      if (closed || next === Infinity) return;
      // Time may have moved while the bytes were written; then no timer would fire any more.
      if (next > world.clock.now()) {
        cancelSleep?.();
        cancelSleep = world.clock.sleepUntil(next, pump);
        return;
      }
    }
  }

  async function catchUp(record: ContainerRecord, state: ContainerState, now: number, context: LogContext) {
    const statuses = historyOf(world.db, record, now, last).map((change): Entry => ({ ...change, index: 0 }));
    if (last === undefined) {
      const { tail, since, level } = options;
      const lines = linesAt(state, now, context, { tail, since, level });
      const from = lines[0]?.at ?? now;
      const shown = statuses.filter((s) => s.at >= from);
      // The stream goes on after the newest line, whatever its level; what is written while it sends comes later.
      const [newest] = linesAt(state, now, context, { tail: 1 });
      await write([...(shown.length === 0 ? statuses.slice(-1) : shown), ...lines]);
      if (newest !== undefined && (last === undefined || compareKeys(newest, last) > 0)) last = newest;
      return;
    }
    const writeWindow = async (after: LineKey): Promise<number> => {
      const until = Math.min(now, Math.max(after.at, now - retentionMs) + windowMs);
      const lines = linesAt(state, until, context, { after, since: now - retentionMs });
      await write([...statuses.filter((s) => compareKeys(s, after) > 0 && s.at <= until), ...lines]);
      return until;
    };
    let until = await writeWindow(last);
    while (!closed && until < now) {
      const after: LineKey = { at: until, order: Number.MAX_SAFE_INTEGER, index: 0 };
      await nextTurn();
      until = await writeWindow(after);
    }
  }

  async function write(entries: Entry[]): Promise<void> {
    if (entries.length === 0) return;
    entries.sort(compareKeys);
    last = entries.at(-1);
    const { level, since = -Infinity } = options;
    const wanted = entries.filter(
      (entry) => 'status' in entry || (entry.at >= since && (level === undefined || entry.level === level)),
    );
    if (wanted.length > 0) await sink.send(wanted.map(eventOf));
  }

  // A position in the future: the world was restored or reset since.
  if (last !== undefined && last.at > world.clock.now()) void startAgain();
  else void pump();
}

type Entry = LogLine | (LineKey & { status: string });

function eventOf(entry: Entry): SseEvent {
  const data =
    'status' in entry
      ? { type: 'status', data: { status: entry.status, timestamp: iso(entry.at) } }
      : { type: 'log', data: { timestamp: iso(entry.at), level: entry.level, message: entry.message } };
  return { id: keyText(entry), data: JSON.stringify(data) };
}
