// Drawings over virtual time: the strip of past and future, stretches beside each other, and plots.

import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { set } from '../page.js';
import {
  creditsText,
  day,
  dayText,
  distanceText,
  durationText,
  hour,
  instantText,
  minute,
  numberText,
  second,
  tickText,
  timeText,
  whenText,
} from '../text.js';
import { Badge, type Tone, toneOf } from './parts.js';

export interface Mark {
  key: string;
  /** Milliseconds. */
  at: number;
  tone: Tone;
  /** The mark has not happened yet. */
  isAhead: boolean;
  title: string;
  result: string;
}

/** Marks that lie so close together that they are drawn as one. */
interface Bin {
  x: number;
  count: number;
  /** The worst of them; of equal ones the latest. */
  mark: Mark;
}

/** The time in sight. */
interface Stretch {
  from: number;
  length: number;
  /** So many texts have room beside each other. */
  texts: number;
}

/** Beside a text. */
const binsPerText = 14;
const beside = 1 / 220;
/** The page's clock is a little behind. */
const slack = 1_000;
const rank: Record<Tone, number> = { neutral: 0, ahead: 1, good: 1, warning: 2, bad: 3 };

export function placeOf(at: number, { from, length }: Stretch): number {
  return (at - from) / length;
}

/** The bins of a lane from left to right, those ahead apart from those that were. */
function binsOf(marks: readonly Mark[], stretch: Stretch, now: number): Bin[] {
  const bins = new Map<number, Bin>();
  for (const mark of marks) {
    const x = placeOf(mark.at, stretch);
    if (x < 0 || x > 1) continue;
    // A forecast that has just come true follows as a past mark in a moment; past marks after now were undone by a restore.
    if (mark.isAhead ? mark.at <= now : mark.at > now + slack) continue;
    const column = Math.floor(x * stretch.texts * binsPerText);
    const id = mark.isAhead ? column + 0.5 : column;
    const bin = bins.get(id) ?? { x, count: 0, mark };
    bins.set(id, bin);
    bin.x += (x - bin.x) / ++bin.count;
    if (rank[mark.tone] >= rank[bin.mark.tone]) bin.mark = mark;
  }
  // Beside the line of now, not on it: what happened lies to its left.
  const line = placeOf(now, stretch);
  for (const bin of bins.values())
    bin.x = bin.mark.isAhead ? Math.max(bin.x, line + beside) : Math.min(bin.x, line - beside);
  return [...bins.values()].sort((one, other) => one.x - other.x);
}

/** The index of the bin that is closest to a place; -1: there is none. */
function closest(bins: readonly Bin[], x: number): number {
  const distances = bins.map((bin) => Math.abs(bin.x - x));
  return distances.indexOf(Math.min(...distances));
}

const steps = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * day),
];

/** Round instants, far enough from each other for their names. */
function ticksOf(stretch: Stretch): { at: number; x: number; text: string }[] {
  const { from, length, texts } = stretch;
  const step = steps.find((one) => one >= length / texts) ?? length / texts;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.ceil((from + length - first) / step) }, (_, index) => {
    const at = first + index * step;
    return { at, x: placeOf(at, stretch), text: tickText(at, step) };
  });
}

const spans = [
  ...[0.5, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 45].map((count) => count * minute),
  ...[1, 1.5, 2, 3, 4, 6, 9, 12, 18].map((count) => count * hour),
  ...[1, 1.5, 2, 3, 5, 7, 10, 14, 20, 30, 45, 60, 90, 180, 400].map((count) => count * day),
];
/** The longest span that many things are worth. */
export const longSpan = 6 * hour;

/** The part of a strip that lies before now. */
export const pastShare = 0.62;

/** A round span that reaches so far back and ahead. */
export function usualSpan(back: number, forth: number): number {
  const wanted = Math.max(back / pastShare, forth / (1 - pastShare)) * 1.1;
  return spans.find((span) => span >= wanted) ?? 400 * day;
}

export interface StripLane {
  title: string;
  marks: readonly Mark[];
}

interface StripProps {
  lanes: readonly StripLane[];
  /** The next mark of the forecast. */
  next: Mark | undefined;
  /** In milliseconds, until somebody zooms. */
  usualSpan: number;
  now: number;
  /** The key of the mark that is open. */
  open: string | undefined;
  onOpen: (key: string) => void;
}

/** A bin with the number of its lane. */
interface Spot {
  lane: number;
  bin: Bin | undefined;
}

// The colours are those of the results in the list.
const legend = { good: 'good', warning: 'warning', bad: 'failed', neutral: 'other', ahead: 'to come' };

const shortest = 1_000;
const longest = 400 * day;
const draggedPx = 4;

const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;
const styleOf = ({ tone, isAhead }: Mark): string => (isAhead && tone !== 'bad' ? 'ahead' : tone);

interface StripHeadProps extends Pick<StripProps, 'next' | 'now' | 'onOpen'> {
  /** The time in sight, in milliseconds. */
  length: number;
  /** Whether somebody has moved or zoomed it. */
  isMoved: boolean;
  onReset: () => void;
  onZoom: (factor: number) => void;
}

/** What comes next, what the colours mean, and how much time is in sight. */
function StripHead({ next, now, onOpen, length, isMoved, onReset, onZoom }: StripHeadProps) {
  return (
    <header class="bar">
      {next === undefined ? (
        <p class="faint">Nothing of the shown kinds is still to come.</p>
      ) : (
        <p class="lead">
          <span class="faint ample">Next</span>
          <button type="button" class="quiet lead" onClick={() => onOpen(next.key)}>
            <span class="line">{next.title}</span>
            {next.result !== '' && <Badge tone="ahead">{next.result}</Badge>}
          </button>
          <span class="faint">{distanceText(next.at, now)}</span>
        </p>
      )}
      <ul class="lead ample" aria-label="Colours of the marks">
        {Object.entries(legend).map(([tone, text]) => (
          <li key={tone} class={tone}>
            {text}
          </li>
        ))}
      </ul>
      <div class="lead">
        {isMoved && (
          <button type="button" class="quiet" onClick={onReset}>
            Back to now
          </button>
        )}
        <button type="button" class="quiet" aria-label="Show more time" onClick={() => onZoom(2)}>
          −
        </button>
        <span class="faint ample" title="Time in sight">
          {durationText(length)}
        </span>
        <button type="button" class="quiet" aria-label="Show less time" onClick={() => onZoom(0.5)}>
          +
        </button>
      </div>
    </header>
  );
}

export function Strip({ lanes, next, usualSpan, now, open, onOpen }: StripProps) {
  const plane = useRef<HTMLDivElement>(null);
  /** The length of the time in sight; undefined: as long as fits. */
  const span = useSignal<number | undefined>(undefined);
  /** How far the view was moved from now. */
  const shift = useSignal(0);
  const cursor = useSignal({ lane: 0, key: '' });
  const hovered = useSignal<Spot | undefined>(undefined);
  const drag = useRef<{ x: number; shift: number; moved: boolean } | undefined>(undefined);

  const length = span.value ?? usualSpan;
  const texts = innerWidth > 700 ? 11 : 3;
  const stretch = { from: now + shift.value - length * pastShare, length, texts };
  const drawn = lanes.map(({ title, marks }) => {
    const bins = binsOf(marks, stretch, now);
    const x = placeOf(marks.find(({ key }) => key === open)?.at ?? -Infinity, stretch);
    return { title, bins, open: x >= 0 && x <= 1 ? bins[closest(bins, x)] : undefined };
  });
  const nowX = placeOf(now, stretch);
  /** The share of the width that so many pixels are. */
  const shareOf = (px: number): number => px / (plane.current?.clientWidth ?? 1);

  /** Zooms around a place. */
  const zoom = (factor: number, x = nowX): void => {
    const zoomed = Math.max(shortest, Math.min(longest, length * factor));
    shift.value += (length - zoomed) * (x - pastShare);
    span.value = zoomed;
  };
  const reset = (): void => {
    shift.value = 0;
    span.value = undefined;
  };
  const wheel = useRef((_: WheelEvent): void => {});
  wheel.current = (event) => {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      shift.value += shareOf(event.deltaX || event.deltaY) * length;
    else zoom(Math.exp(event.deltaY * 0.002), shareOf(event.clientX - (plane.current?.getBoundingClientRect().x ?? 0)));
  };
  useEffect(() => {
    const turned = (event: WheelEvent): void => wheel.current(event);
    // It must not be passive: the page would scroll.
    plane.current?.addEventListener('wheel', turned, { passive: false });
    return () => plane.current?.removeEventListener('wheel', turned);
  }, []);

  const spotOf = ({ target }: PointerEvent): Spot | undefined => {
    const { lane = '', key } = (target as HTMLElement).dataset;
    const bin = drawn[Number(lane)]?.bins.find(({ mark }) => mark.key === key);
    return bin && { lane: Number(lane), bin };
  };
  const moved = (event: PointerEvent): void => {
    if (event.buttons === 0) drag.current = undefined;
    const held = drag.current;
    if (held !== undefined && (held.moved || Math.abs(event.clientX - held.x) > draggedPx)) {
      held.moved = true;
      hovered.value = undefined;
      plane.current?.setPointerCapture(event.pointerId);
      shift.value = held.shift - shareOf(event.clientX - held.x) * length;
    } else hovered.value = spotOf(event);
  };
  const released = (event: PointerEvent): void => {
    const found = drag.current?.moved === true ? undefined : spotOf(event);
    drag.current = undefined;
    if (found?.bin === undefined) return;
    goTo(found);
    onOpen(found.bin.mark.key);
  };

  // The cursor of the keyboard: the mark that it was on, or else the one next to now.
  const lane = Math.min(cursor.value.lane, drawn.length - 1);
  const { title = '', bins = [] } = drawn[lane] ?? {};
  const known = bins.findIndex(({ mark }) => mark.key === cursor.value.key);
  const index = known === -1 ? closest(bins, nowX) : known;
  const current = bins[index];
  const goTo = ({ lane: to, bin }: Spot): void => {
    cursor.value = { lane: to, key: bin?.mark.key ?? '' };
    hovered.value = undefined;
  };
  const step = (by: number): void => {
    const neighbour = bins[index + by];
    if (neighbour !== undefined) goTo({ lane, bin: neighbour });
    else shift.value += by * length * 0.25;
  };
  const changeLane = (by: number): void => {
    const to = Math.max(0, Math.min(drawn.length - 1, lane + by));
    const others = drawn[to]?.bins ?? [];
    goTo({ lane: to, bin: others[closest(others, current?.x ?? nowX)] });
  };
  const keys: Record<string, () => void> = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    ArrowUp: () => changeLane(-1),
    ArrowDown: () => changeLane(1),
    Enter: () => current !== undefined && onOpen(current.mark.key),
    '+': () => zoom(0.5),
    '-': () => zoom(2),
    Home: reset,
  };
  const pressed = (event: KeyboardEvent): void => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const told = hovered.value ?? { lane, bin: current };
  const isMoved = shift.value !== 0 || span.value !== undefined;
  return (
    <section class="strip" aria-label="Past and future">
      <StripHead
        next={next}
        now={now}
        onOpen={onOpen}
        length={length}
        isMoved={isMoved}
        onReset={reset}
        onZoom={zoom}
      />
      <div>
        <ul aria-hidden="true">
          {lanes.map((one) => (
            <li key={one.title}>{one.title}</li>
          ))}
        </ul>
        <div
          ref={plane}
          class={hovered.value === undefined ? 'plane' : 'plane hovered'}
          role="slider"
          tabIndex={0}
          aria-label="Things in time: left and right between them, up and down between lanes, Enter opens one"
          aria-valuemin={0}
          aria-valuemax={Math.max(0, bins.length - 1)}
          aria-valuenow={Math.max(0, index)}
          aria-valuetext={`${title}: ${current === undefined ? 'nothing in sight' : textOf(current, now)}`}
          onKeyDown={pressed}
          onPointerDown={({ clientX }) => {
            drag.current = { x: clientX, shift: shift.value, moved: false };
          }}
          onPointerMove={moved}
          onPointerUp={released}
          onPointerCancel={() => (drag.current = undefined)}
          onPointerLeave={() => set(hovered, undefined)}
        >
          {nowX <= 1 && <div class="now" style={{ left: percent(Math.max(0, nowX)) }} data-text={timeText(now)} />}
          {ticksOf(stretch).map(({ at, x, text }) => {
            const hasRoom = x > 0.02 && x < 0.97 && Math.abs(x - nowX) > 0.6 / texts;
            return <span key={at} style={{ left: percent(x) }} data-text={hasRoom ? text : ''} />;
          })}
          {drawn.map((one, row) => (
            <div key={one.title} aria-hidden="true">
              {one.bins.map((bin) => (
                <i
                  key={bin.mark.key}
                  class={`${styleOf(bin.mark)} ${bin === one.open ? 'open' : ''} ${bin === told.bin ? 'told' : ''}`}
                  data-lane={row}
                  data-key={bin.mark.key}
                  style={{ left: percent(bin.x), '--size': `${Math.min(17, 6 + 2 * Math.log2(bin.count))}px` }}
                />
              ))}
            </div>
          ))}
          {told.bin !== undefined && <Tip {...told} bin={told.bin} now={now} />}
        </div>
      </div>
    </section>
  );
}

function Tip({ lane, bin: { mark, count, x }, now }: { lane: number; bin: Bin; now: number }) {
  const { title, result, isAhead, tone, at } = mark;
  return (
    <div class="card stack" aria-hidden="true" style={{ '--x': percent(x), '--lane': lane }}>
      <span class="line">{title}</span>
      <span class="lead">
        {result !== '' && <Badge tone={isAhead ? 'ahead' : tone}>{result}</Badge>}
        <span class="faint">
          {timeText(at)} · {distanceText(at, now)}
          {count > 1 && ` · ${count - 1} more`}
        </span>
      </span>
    </div>
  );
}

function textOf({ mark: { title, result, at }, count }: Bin, now: number): string {
  return `${title} ${result}, ${distanceText(at, now)}${count > 1 ? `, and ${count - 1} more` : ''}`;
}

interface LaneStretch {
  status: string;
  at: string;
  /** null: until further notice. */
  end: string | null;
  endedBy?: string | null;
  error?: string | null;
}

export type Lane = readonly LaneStretch[];

// The axis goes on for a quarter of its length behind the last instant, for stretches without an end.
const openShare = 0.25;
// Narrower than that nothing could be pointed at.
const leastShare = 0.02;

/** Lanes by their titles. */
export function Lanes({ lanes, now }: { lanes: Readonly<Record<string, Lane>>; now: number | undefined }) {
  const all = Object.values(lanes).flat();
  const starts = all.map(({ at }) => Date.parse(at));
  const from = Math.min(...starts);
  const last = Math.max(...starts, ...all.map(({ end, at }) => Date.parse(end ?? at)));
  const until = last + Math.max(1_000, (last - from) * openShare);
  const place = (at: number): number => Math.max(0, Math.min(1, (at - from) / (until - from)));
  const nowAt = now === undefined ? 0 : place(now);
  return (
    <div class="lanes">
      {Object.entries(lanes).map(([title, stretches]) => (
        <Fragment key={title}>
          <span>{title}</span>
          <ol aria-label={title}>
            {stretches.map((stretch, index) => (
              <Block key={`${stretch.at}-${index}`} stretch={stretch} place={place} now={now} />
            ))}
          </ol>
        </Fragment>
      ))}
      <div class="ahead" aria-hidden="true">
        <span style={{ left: `${nowAt * 100}%` }} class={nowAt > 0.85 ? 'end' : ''}>
          {now !== undefined && timeText(now)}
        </span>
      </div>
    </div>
  );
}

interface BlockProps {
  stretch: LaneStretch;
  place: (at: number) => number;
  now: number | undefined;
}

function Block({ stretch: { status, at, end, endedBy, error }, place, now }: BlockProps) {
  const start = Date.parse(at);
  const left = place(start);
  const width = Math.max(leastShare, (end === null ? 1 : place(Date.parse(end))) - left);
  const length = end === null ? 'until further notice' : durationText(Date.parse(end) - start);
  const isAhead = now !== undefined && start > now;
  const text = [
    `${status}, ${length}`,
    isAhead ? distanceText(start, now) : `from ${timeText(at)}`,
    endedBy && `ended by: ${endedBy}`,
    error,
  ];
  return (
    <li
      class={isAhead ? 'ahead' : toneOf(status)}
      title={text.filter(Boolean).join('\n')}
      style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
    >
      <span>{status}</span>
    </li>
  );
}

interface PlotProps {
  label: string;
  /** Milliseconds since the epoch. */
  times: readonly number[];
  /** `colour` is a variable of the style sheet: '--accent'. */
  series: { title: string; colour: string; values: readonly (number | null)[] };
  /** The present: everything right of it has not happened yet. */
  now?: number | undefined;
  /** The limit, as a line. */
  limit?: number | undefined;
  unit: string;
  /** Values stay from one time to the next: balances. */
  isStepped?: boolean;
}

const height = 130;

export function Plot(props: PlotProps) {
  const { label, times, series } = props;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    let isGone = false;
    const observer = new ResizeObserver(() => {
      chart.current?.setSize({ width: place.current?.clientWidth ?? 300, height });
    });
    void import('uplot').then(({ default: UPlot }) => {
      if (isGone || place.current === null) return;
      chart.current = draw(UPlot, place.current, () => latest.current);
      observer.observe(place.current);
    });
    return () => {
      isGone = true;
      observer.disconnect();
      chart.current?.destroy();
    };
  }, []);
  useEffect(() => {
    chart.current?.setData(dataOf(props));
  }, [times, series.values]);
  const [first, last] = [times[0], times.at(-1)];
  const span = first === undefined || last === undefined ? '' : `${instantText(first)} to ${timeText(last)}`;
  const told = `${label}: ${series.title} ${series.values.at(-1) ?? 'unknown'}; ${span}`;
  return <div ref={place} style={{ minHeight: `${height}px` }} role="img" aria-label={told} />;
}

// As the library takes them; in seconds.
function dataOf({ times, series, limit }: PlotProps): uPlot.AlignedData {
  const limits = limit === undefined ? [] : [times.map(() => limit)];
  return [times.map((time) => time / 1_000), [...series.values], ...limits];
}

function colour(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function draw(UPlot: typeof uPlot, place: HTMLElement, props: () => PlotProps): uPlot {
  const { series, isStepped = false, unit, limit } = props();
  const textOf = unit === 'credits' ? creditsText : numberText;
  const grid = { stroke: colour('--line'), width: 1 };
  const axis = { stroke: colour('--text-soft'), grid, ticks: { show: false }, font: '11px system-ui' };
  const paths = isStepped ? UPlot.paths.stepped?.({ align: 1 }) : undefined;
  const limits = [{ label: 'Limit', stroke: () => colour('--bad'), width: 1, dash: [4, 4], points: { show: false } }];
  const tellNow = (plot: uPlot): void => tellLast(plot, props().now);
  return new UPlot(
    {
      width: place.clientWidth,
      height,
      cursor: { y: false },
      scales: {
        // If all values are of one instant, they are drawn in the middle.
        x: { range: (_, low, high) => (low === high && low > 0 ? [low - 30, high + 30] : [low, high]) },
        // The axis of a balance shows its movements, which are small beside the balance, and need not begin at zero.
        y: {
          range: (_, low, high) => {
            const rest = high === low ? 1 : (high - low) * 0.1;
            return [isStepped ? low - rest : Math.min(0, low), high + rest];
          },
        },
      },
      series: [
        {
          label: 'Time',
          value: (_, at) => (at === null ? '' : whenText(at * 1_000, dayText(props().now ?? at * 1_000))),
        },
        {
          label: series.title,
          stroke: () => colour(series.colour),
          width: 1.5,
          points: { show: false },
          value: (_, value: number | null) => (value === null ? '' : `${textOf(value)} ${unit}`),
          ...(paths !== undefined && { paths }),
        },
        ...(limit === undefined ? [] : limits),
      ],
      axes: [
        { ...axis, size: 26, values: (_, splits) => splits.map((at) => tickText(at * 1_000)), space: 70 },
        { ...axis, size: 46 },
      ],
      hooks: {
        draw: [(plot) => shadeFuture(plot, props().now)],
        ready: [tellNow],
        setData: [tellNow],
        setCursor: [tellNow],
      },
    },
    dataOf(props()),
    place,
  );
}

// While nobody points at a place, the legend says what is the case now; last, where the plot ends before now.
function tellLast(chart: uPlot, now = Number.POSITIVE_INFINITY): void {
  if (chart.cursor.idx !== null && chart.cursor.idx !== undefined) return;
  const [times, values] = chart.data;
  const idx = times.findLastIndex((at, index) => at * 1_000 <= now && typeof values?.[index] === 'number');
  if (idx >= 0) chart.setLegend({ idx }, false);
}

// Draws a veil over the future, right of the line of now.
function shadeFuture({ ctx, bbox, valToPos }: uPlot, now: number | undefined): void {
  if (now === undefined) return;
  const x = Math.max(bbox.left, valToPos(now / 1_000, 'x', true));
  const right = bbox.left + bbox.width;
  if (x >= right) return;
  ctx.save();
  ctx.fillStyle = colour('--ahead');
  ctx.globalAlpha = 0.09;
  ctx.fillRect(x, bbox.top, right - x, bbox.height);
  ctx.globalAlpha = 1;
  ctx.fillRect(x, bbox.top, 1, bbox.height);
  ctx.restore();
}
