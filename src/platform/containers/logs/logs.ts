// Log lines as a function of time: line i of a source exists at a fixed instant; only lines from outside are stored.

import { numberSeries, type Random } from '../../../core/random.js';
import { linesOfGraces } from '../lifecycle/grace.js';
import type { ContainerState, Run } from '../lifecycle/lifecycle.js';
import { type Deployment, lastTurn, rankWithin, type Segment } from '../lifecycle/timeline.js';
import { chatter, linesOf, mayChatter } from './log-templates.js';

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

/** A segment of a run, and when its lines end. */
interface Part {
  run: Run;
  place: number;
  segment: Segment;
  /** The first instant without lines of it. */
  end: number;
  /** The highest rank of its lines. */
  lastOrder: number;
}

// The parts with lines between two instants, those whose last lines are the latest first.
function partsOf({ runs }: ContainerState, from: number, until: number): Part[] {
  const parts: Part[] = [];
  for (const run of runs)
    for (const [place, segment] of run.timeline.entries()) {
      if (segment.at > until || isReplaced(run, segment)) continue;
      const end = endOf(run, segment);
      // A segment without length has its lines nevertheless.
      if (Math.max(end, segment.at + 1) > from)
        parts.push({ run, place, segment, end, lastOrder: Math.max(segment.order + 2, segment.endOrder ?? 0) });
    }
  return parts.sort((a, b) => b.end - a.end || b.lastOrder - a.lastOrder);
}

function sourcesOf(part: Part, context: LogContext): Source[] {
  const { run, segment } = part;
  const scripted = scriptSources(part, context);
  const talks = segment.phase.chatter ?? segment.phase.status === 'running';
  // The output of a real process comes from outside.
  const isSilent = context.isSilent === true || run.deployment.plan.run === 'image';
  return talks && !isSilent ? [...scripted, beatSource(part, context)] : scripted;
}

export interface LogContext {
  random: Random;
  stackName: string;
  /** The process writes no generated lines. */
  isSilent?: boolean;
  /** The last `tail` stored lines between two instants, of one level or of all, oldest first. */
  written?: (window: { from: number; until: number; tail: number; level: string | undefined }) => LogLine[];
}

function isReplaced({ replacedAt, replacedOrder }: Run, { at, order }: Segment): boolean {
  return replacedAt !== null && (at > replacedAt || (at === replacedAt && order > replacedOrder));
}

// The first instant without lines of a segment. What ends it early comes after its lines of that instant, which may have
// been sent already.
function endOf({ replacedAt }: Run, { end, endedBy }: Segment): number {
  const ownEnd = end === null ? Infinity : endedBy === undefined ? end : end + 1;
  return Math.min(ownEnd, (replacedAt ?? Infinity) + 1);
}

// The ranks of lines within a turn.
const warned = 0;
const requested = 1;

/** The rank of a line from outside at an instant: after all that has happened to the container by then. */
export function rankOfWritten(deployments: readonly Deployment[], at: number): number {
  return rankWithin(lastTurn({ deployments }, at + 1), requested);
}

// The effect of billing on a container comes before the log line about it.
function graceSources({ runs }: ContainerState): Source[] {
  const graces = runs.at(-1)?.deployment.graces ?? [];
  if (graces.length === 0) return [];
  const deployments = runs.map(({ deployment }) => deployment);
  return linesOfGraces(graces).map(({ at, turn, lines }) =>
    listSource(
      rankWithin(turn ?? lastTurn({ deployments }, at), warned),
      lines.map(({ level, message }) => ({ at, level, message })),
    ),
  );
}

function listSource(order: number, lines: readonly { at: number; level: Level; message: string }[]): Source {
  return {
    order,
    count: (instant) => lines.filter((line) => line.at <= instant).length,
    line: (index) => lines[index] ?? { at: 0, level: 'info', message: '' },
    instant: (index) => lines[index]?.at,
  };
}

function scriptSources({ run, segment, end }: Part, context: LogContext): Source[] {
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
    .sort((a, b) => a.at - b.at);
  const own = lines.filter((line) => line.at < end || line.at === segment.at);
  const sources = [listSource(segment.order + 1, own)];
  // A stage that ended early still writes all its lines, at its end.
  const rest = hurried ? lines.slice(own.length).map((line) => ({ ...line, at: segment.end ?? line.at })) : [];
  if (rest.length > 0) sources.push(listSource(segment.endOrder ?? segment.order + 1, rest));
  return sources;
}

function beatSource({ run, place, segment, end }: Part, context: LogContext): Source {
  const { id, number } = run.deployment;
  const chance = numberSeries(context.random, 'beat', id, number * 10_000 + place * 3 + 2);
  const instantAt = (index: number): number =>
    segment.at + firstBeatMs + index * beatMs + Math.floor(chance(index) * beatMs * 0.6);
  return {
    order: segment.order + 2,
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
  const take = (source: Source): void => {
    const first = source.count(from - 1);
    let wanted = tail;
    for (let index = source.count(now) - 1; index >= first && wanted > 0; index--) {
      if (level !== undefined && source.mayHave?.(index, level) === false) continue;
      const line = source.line(index);
      if (level !== undefined && line.level !== level) continue;
      lines.push({ at: line.at, level: line.level, message: line.message, order: source.order, index });
      wanted--;
    }
  };
  const keepLast = (): void => {
    lines.sort(compareKeys);
    lines.splice(0, lines.length - tail);
  };
  for (const source of graceSources(state)) take(source);
  if (context.written !== undefined) lines.push(...context.written({ from, until: now, tail, level }));
  for (const part of partsOf(state, from, now)) {
    if (lines.length >= tail) {
      keepLast();
      // All that follow end earlier: thousands, where somebody has intervened often in one instant.
      const [first] = lines;
      const last: LineKey = { at: part.end - 1, order: part.lastOrder, index: Infinity };
      if (first !== undefined && compareKeys(last, first) < 0) break;
    }
    for (const source of sourcesOf(part, context)) take(source);
  }
  if (lines.length > tail) keepLast();
  else lines.sort(compareKeys);
  return after === undefined ? lines : lines.filter((line) => compareKeys(line, after) > 0);
}

/** The instant of the next line after `now`, if the timeline stays as it is. */
export function nextLineAt(state: ContainerState, now: number, context: LogContext): number | undefined {
  let next: number | undefined;
  const sources = partsOf(state, now + 1, Infinity).flatMap((part) => sourcesOf(part, context));
  for (const source of [...graceSources(state), ...sources]) {
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
  const match = /^(\d{1,15})-(\d{1,15})-(\d{1,12})$/.exec(text);
  return match === null ? undefined : { at: Number(match[1]), order: Number(match[2]), index: Number(match[3]) };
}

export function compareKeys(a: LineKey, b: LineKey): number {
  return a.at - b.at || a.order - b.order || a.index - b.index;
}
