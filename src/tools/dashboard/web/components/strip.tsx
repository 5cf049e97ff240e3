// Time from left to right: a lane for each kind of thing, the past, the line of now, and to its right what is to come.

import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { set } from '../set.js';
import { distanceText, durationText } from '../text.js';
import { Badge } from './parts.js';
import { Axis, Plane, Ring, type StripLane, Tip } from './strip-drawing.js';
import {
  axisHeight,
  type Bin,
  binsOf,
  closest,
  laneHeight,
  type Mark,
  pastShare,
  placeOf,
  type Stretch,
} from './strip-layout.js';

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

// The colours are those of the results in the list.
const legend = [
  ['good', 'good'],
  ['warning', 'warning'],
  ['bad', 'failed'],
  ['neutral', 'other'],
  ['ahead', 'to come'],
] as const;

const shortest = 1_000;
const longest = 400 * 86_400_000;
const reach = 12;
const dragged = 4;

/** The stretch of time that is in sight: around now until the wheel, a key or the pointer zooms or moves it. */
function useSight(plane: RefObject<HTMLDivElement | null>, usualSpan: number, now: number) {
  const width = useSignal(0);
  /** undefined: as long as fits. */
  const span = useSignal<number | undefined>(undefined);
  /** How far the view was moved from now. */
  const shift = useSignal(0);
  const length = span.value ?? usualSpan;
  const from = now + shift.value - length * pastShare;
  const stretch: Stretch = { from, until: from + length, width: width.value };

  /** Zooms around an instant, or around now. */
  const zoom = (factor: number, around = now): void => {
    const zoomed = Math.max(shortest, Math.min(longest, length * factor));
    const start = around - ((around - from) / length) * zoomed;
    span.value = zoomed;
    shift.value = around === now && shift.value === 0 ? 0 : start + zoomed * pastShare - now;
  };
  const reset = (): void => {
    shift.value = 0;
    span.value = undefined;
  };
  const latest = useRef({ zoom, stretch });
  latest.current = { zoom, stretch };

  useEffect(() => {
    const element = plane.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => set(width, Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      const { from: start, until, width: pixels } = latest.current.stretch;
      const perPixel = (until - start) / pixels;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        shift.value += (event.deltaX || event.deltaY) * perPixel;
      else latest.current.zoom(Math.exp(event.deltaY * 0.002), start + event.offsetX * perPixel);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', wheel);
    };
  }, []);
  return { stretch, length, shift, zoom, reset, isUsual: shift.value === 0 && span.value === undefined };
}

export function Strip({ lanes, next, usualSpan, now, open, onOpen }: StripProps) {
  const plane = useRef<HTMLDivElement>(null);
  const sight = useSight(plane, usualSpan, now);
  const { stretch, length, shift, zoom } = sight;
  const cursor = useSignal<{ lane: number; key: string } | undefined>(undefined);
  const hovered = useSignal<{ lane: number; bin: Bin } | undefined>(undefined);
  const drag = useRef<{ x: number; shift: number; moved: boolean } | undefined>(undefined);

  const drawn = lanes.map((lane) => ({ ...lane, bins: stretch.width === 0 ? [] : binsOf(lane.marks, stretch, now) }));
  const nowX = placeOf(now, stretch);
  const height = axisHeight + lanes.length * laneHeight;

  const nearest = (event: PointerEvent): { lane: number; bin: Bin } | undefined => {
    const box = plane.current?.getBoundingClientRect();
    if (box === undefined) return undefined;
    const x = event.clientX - box.left;
    const lane = Math.floor((event.clientY - box.top - axisHeight) / laneHeight);
    const [bin] = (drawn[lane]?.bins ?? [])
      .filter((one) => Math.abs(one.x - x) <= reach)
      .sort((one, other) => Math.abs(one.x - x) - Math.abs(other.x - x));
    return bin && { lane, bin };
  };
  const moved = (event: PointerEvent): void => {
    const held = drag.current;
    if (held !== undefined && (held.moved || Math.abs(event.clientX - held.x) > dragged)) {
      held.moved = true;
      hovered.value = undefined;
      shift.value = held.shift - ((event.clientX - held.x) * length) / stretch.width;
    } else hovered.value = nearest(event);
  };
  const released = (event: PointerEvent): void => {
    const wasDrag = drag.current?.moved === true;
    drag.current = undefined;
    const found = wasDrag ? undefined : nearest(event);
    if (found === undefined) return;
    cursor.value = { lane: found.lane, key: found.bin.mark.key };
    onOpen(found.bin.mark.key);
  };

  // The cursor of the keyboard: the mark that it was on, or else the one next to now.
  const laneIndex = Math.min(cursor.value?.lane ?? 0, drawn.length - 1);
  const bins = drawn[laneIndex]?.bins ?? [];
  const known = bins.findIndex(({ mark }) => mark.key === cursor.value?.key);
  const index = known === -1 ? closest(bins, nowX) : known;
  const current = bins[index];
  const goTo = (lane: number, bin: Bin | undefined): void => {
    cursor.value = { lane, key: bin?.mark.key ?? '' };
    hovered.value = undefined;
  };
  const step = (by: number): void => {
    const neighbour = bins[index + by];
    if (neighbour !== undefined) goTo(laneIndex, neighbour);
    else shift.value += by * length * 0.25;
  };
  const changeLane = (by: number): void => {
    const lane = Math.max(0, Math.min(drawn.length - 1, laneIndex + by));
    const others = drawn[lane]?.bins ?? [];
    goTo(lane, others[closest(others, current?.x ?? nowX)]);
  };
  const keys: Record<string, () => void> = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    ArrowUp: () => changeLane(-1),
    ArrowDown: () => changeLane(1),
    Enter: () => current !== undefined && onOpen(current.mark.key),
    '+': () => zoom(0.5),
    '-': () => zoom(2),
    Home: sight.reset,
  };
  const pressed = (event: KeyboardEvent): void => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const isFocused = useSignal(false);
  const told =
    hovered.value ?? (isFocused.value && current !== undefined ? { lane: laneIndex, bin: current } : undefined);
  return (
    <section class="strip" aria-label="Past and future">
      <header class="bar">
        <Next next={next} now={now} onOpen={onOpen} />
        <Legend />
        <Tools sight={sight} />
      </header>
      <div>
        <ul aria-hidden="true">
          {lanes.map(({ title }) => (
            <li key={title}>{title}</li>
          ))}
        </ul>
        <div
          ref={plane}
          class="plane"
          style={{ height: `${height}px` }}
          role="slider"
          tabIndex={0}
          aria-label="Things in time: left and right between them, up and down between lanes, Enter opens one"
          aria-valuemin={0}
          aria-valuemax={Math.max(0, bins.length - 1)}
          aria-valuenow={Math.max(0, index)}
          aria-valuetext={`${drawn[laneIndex]?.title ?? ''}: ${current === undefined ? 'nothing in sight' : binText(current, now)}`}
          onKeyDown={pressed}
          onFocus={() => set(isFocused, true)}
          onBlur={() => set(isFocused, false)}
          onPointerDown={(event) => {
            drag.current = { x: event.clientX, shift: shift.value, moved: false };
            plane.current?.setPointerCapture(event.pointerId);
          }}
          onPointerMove={moved}
          onPointerUp={released}
          onPointerCancel={() => (drag.current = undefined)}
          onPointerLeave={() => set(hovered, undefined)}
        >
          <Axis stretch={stretch} nowX={nowX} now={now} />
          <svg width={stretch.width} height={height} aria-hidden="true">
            <Plane drawn={drawn} stretch={stretch} nowX={nowX} open={open} />
            {told !== undefined && <Ring lane={told.lane} bin={told.bin} colour="--text-soft" />}
          </svg>
          {told !== undefined && <Tip lane={told.lane} bin={told.bin} width={stretch.width} now={now} />}
        </div>
      </div>
    </section>
  );
}

function Next({ next, now, onOpen }: Pick<StripProps, 'next' | 'now' | 'onOpen'>) {
  if (next === undefined) return <p class="faint">Nothing of the shown kinds is still to come.</p>;
  return (
    <p class="lead">
      <span class="faint ample">Next</span>
      <button type="button" class="quiet lead" onClick={() => onOpen(next.key)}>
        <span>{next.title}</span>
        {next.result !== '' && <Badge tone="ahead">{next.result}</Badge>}
      </button>
      <span class="faint">{distanceText(next.at, now)}</span>
    </p>
  );
}

function Legend() {
  return (
    <ul class="lead ample" aria-label="Colours of the marks">
      {legend.map(([tone, text]) => (
        <li key={tone} class={tone}>
          {text}
        </li>
      ))}
    </ul>
  );
}

function Tools({ sight: { isUsual, reset, zoom, length } }: { sight: ReturnType<typeof useSight> }) {
  return (
    <div class="lead">
      {!isUsual && (
        <button type="button" class="quiet" onClick={reset}>
          Back to now
        </button>
      )}
      <Zoom label="Show more time" sign="−" onPress={() => zoom(2)} />
      <span class="faint ample" title="Time in sight">
        {durationText(length)}
      </span>
      <Zoom label="Show less time" sign="+" onPress={() => zoom(0.5)} />
    </div>
  );
}

function Zoom({ label, sign, onPress }: { label: string; sign: string; onPress: () => void }) {
  return (
    <button type="button" class="quiet" aria-label={label} title={label} onClick={onPress}>
      {sign}
    </button>
  );
}

function binText({ mark: { title, result, at }, count }: Bin, now: number): string {
  return `${title} ${result}, ${distanceText(at, now)}${count > 1 ? `, and ${count - 1} more` : ''}`;
}
