// Log lines as a function of time: line i of a source exists at a fixed instant; only lines from outside are stored.

import { numberSeries, type Random } from '../../core/random.js';
import { type Grace, linesOfGraces } from './grace.js';
import { type ContainerState, lineOrder, type Run } from './lifecycle.js';
import { chatter, linesOf, mayChatter } from './log-templates.js';
import type { Segment } from './timeline.js';

/** The position of a line: by instant, then source, then index. Streams resume from it. */
export interface LineKey {
  /** Virtual milliseconds. */
  at: number;
  order: number;
  index: number;
}

type Level = 'info' | 'warn' | 'error';

export interface LogLine extends LineKey {
  level: Level;
  message: string;
}

/** A sequence of lines in order of time. */
interface Source {
  /** Its rank among the sources of a container; it never changes. */
  order: number;
  /** The number of lines by an instant. */
  count(instant: number): number;
  line(index: number): { at: number; level: Level; message: string };
  /** Whether a line may have a level, where there are so many that none is made in vain. */
  mayHave?(index: number, level: string): boolean;
  /** The instant of a line, or undefined past the last. */
  instant(index: number): number | undefined;
}

/** How long logs are kept. */
export const retentionMs = 7 * 86_400_000;

const beatMs = 1_000;
const firstBeatMs = 1_000;

/** All sources of a container's lines that have begun by an instant, in the order of their lines at one instant. */
function sourcesOf(state: ContainerState, context: LogContext, until = Infinity): Source[] {
  const sources = state.runs.flatMap((run) =>
    run.timeline.flatMap((segment, index) => {
      if (segment.at > until || (run.replacedAt !== null && segment.at >= run.replacedAt)) return [];
      const end = endOf(run, segment);
      const scripted = scriptSource(lineOrder(run.deployment.number, index, 1), run, segment, end, context);
      const isSilent = isSilentRun(run, context);
      const talks = !isSilent && (segment.phase.chatter ?? segment.phase.status === 'running');
      return talks
        ? [scripted, beatSource(lineOrder(run.deployment.number, index, 2), run, segment, end, context)]
        : [scripted];
    }),
  );
  const graces = state.runs.at(-1)?.deployment.graces ?? [];
  return graces.length === 0 ? sources : [...sources, graceSource(graces)];
}

// The output of a real process comes from outside.
function isSilentRun({ deployment }: Run, { isSilent = false }: LogContext): boolean {
  return isSilent || deployment.plan.run === 'image';
}

export interface LogContext {
  random: Random;
  stackName: string;
  /** The process writes no generated lines. */
  isSilent?: boolean;
  /** The last `tail` stored lines between two instants, of one level or of all, oldest first. */
  written?: (window: { from: number; until: number; tail: number; level: string | undefined }) => LogLine[];
}

function endOf(run: Run, segment: Segment): number {
  return Math.min(segment.end ?? Infinity, run.replacedAt ?? Infinity);
}

// Last of all: what billing does to a container takes effect before its log line is written.
const graceOrder = 999_999_999;

function graceSource(graces: readonly Grace[]): Source {
  const lines = linesOfGraces(graces);
  return {
    order: graceOrder,
    count: (instant) => lines.filter((line) => line.at <= instant).length,
    line: (index) => lines[index] ?? { at: 0, level: 'info', message: '' },
    instant: (index) => lines[index]?.at,
  };
}

function scriptSource(order: number, run: Run, segment: Segment, end: number, context: LogContext): Source {
  const { plan, spec, id } = run.deployment;
  const unit = segment.phase.ms ?? plan.times.running;
  const hurried = segment.endedBy === 'advance' || segment.endedBy === 'skip';
  const lines = linesOf(segment.phase, {
    ...context,
    spec,
    times: plan.times,
    deploymentId: id,
    image: plan.image ?? null,
    isReal: plan.run === 'image',
  })
    .map((line) => ({ at: segment.at + Math.round(line.at * unit), level: line.level, message: line.message }))
    // A stage that ended early still writes all its lines, at its end.
    .map((line) => (hurried ? { ...line, at: Math.min(line.at, end) } : line))
    .filter((line) => line.at < end || line.at === segment.at || hurried)
    .sort((a, b) => a.at - b.at);
  return {
    order,
    count: (instant) => lines.filter((line) => line.at <= instant).length,
    line: (index) => lines[index] ?? { at: segment.at, level: 'info', message: '' },
    instant: (index) => lines[index]?.at,
  };
}

function beatSource(order: number, run: Run, segment: Segment, end: number, context: LogContext): Source {
  const { id } = run.deployment;
  const chance = numberSeries(context.random, 'beat', id, order);
  const instantAt = (index: number): number =>
    segment.at + firstBeatMs + index * beatMs + Math.floor(chance(index) * beatMs * 0.6);
  return {
    order,
    count(instant) {
      const until = Math.min(instant, end - 1);
      const slots = Math.floor((until - segment.at - firstBeatMs) / beatMs);
      if (slots < 0) return 0;
      return instantAt(slots) <= until ? slots + 1 : slots;
    },
    line: (index) => ({ at: instantAt(index), ...chatter(index, chance(index)) }),
    instant: (index) => (instantAt(index) < end ? instantAt(index) : undefined),
    mayHave: mayChatter,
  };
}

export interface LogWindow {
  /** Only lines at or after this instant. */
  since?: number | undefined;
  /** Only lines after this position. */
  after?: LineKey | undefined;
  /** Only the last ones, this many. */
  tail?: number | undefined;
  /** Only lines of this level: the last ones are the last of these. */
  level?: string | undefined;
}

/**
 * The lines of a container by `now`, oldest first. Costs as much as it returns, however long the container has run;
 * lines of other levels between those of a rare one cost little each.
 */
export function linesAt(state: ContainerState, now: number, context: LogContext, window: LogWindow): LogLine[] {
  const { after, since = -Infinity, tail = Infinity, level } = window;
  const from = Math.max(now - retentionMs, since, after?.at ?? -Infinity);
  const lines: LogLine[] = [];
  for (const source of sourcesOf(state, context, now)) {
    const first = source.count(from - 1);
    let wanted = tail;
    for (let index = source.count(now) - 1; index >= first && wanted > 0; index--) {
      if (level !== undefined && source.mayHave?.(index, level) === false) continue;
      const line = source.line(index);
      if (level !== undefined && line.level !== level) continue;
      lines.push({ at: line.at, level: line.level, message: line.message, order: source.order, index });
      wanted--;
    }
  }
  if (context.written !== undefined) lines.push(...context.written({ from, until: now, tail, level }));
  lines.sort(compareKeys);
  const fresh = after === undefined ? lines : lines.filter((line) => compareKeys(line, after) > 0);
  return tail === Infinity ? fresh : fresh.slice(-tail);
}

/** The instant of the next line after `now`, if the timeline stays as it is. */
export function nextLineAt(state: ContainerState, now: number, context: LogContext): number | undefined {
  let next: number | undefined;
  for (const source of sourcesOf(state, context)) {
    const instant = source.instant(source.count(now));
    if (instant !== undefined && instant > now && (next === undefined || instant < next)) next = instant;
  }
  return next;
}

/** A position as the id of a server-sent event. */
export function keyText({ at, order, index }: LineKey): string {
  return `${at}-${order}-${index}`;
}

/** The position that an event id names, or undefined when this emulator did not issue it. */
export function parseKey(text: string): LineKey | undefined {
  const match = /^(\d{1,15})-(\d{1,9})-(\d{1,12})$/.exec(text);
  return match === null ? undefined : { at: Number(match[1]), order: Number(match[2]), index: Number(match[3]) };
}

export function compareKeys(a: LineKey, b: LineKey): number {
  return a.at - b.at || a.order - b.order || a.index - b.index;
}
