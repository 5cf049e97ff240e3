// Draws a strip of time: lanes with their marks, the future, the line of now, the axis, and the text of a mark.

import { distanceText, timeText } from '../text.js';
import { Badge } from './parts.js';
import {
  axisHeight,
  type Bin,
  closest,
  laneHeight,
  type Mark,
  pathOf,
  placeOf,
  type Stretch,
  ticksOf,
} from './strip-layout.js';

export interface StripLane {
  title: string;
  marks: readonly Mark[];
}

export interface DrawnLane extends StripLane {
  bins: readonly Bin[];
}

const middleOf = (lane: number): number => axisHeight + lane * laneHeight + laneHeight / 2;

export function Plane({
  drawn,
  stretch,
  nowX,
  open,
}: {
  drawn: readonly DrawnLane[];
  stretch: Stretch;
  nowX: number;
  open: string | undefined;
}) {
  const { width } = stretch;
  const bottom = axisHeight + drawn.length * laneHeight;
  const future = Math.max(0, Math.min(width, nowX));
  return (
    <>
      <rect
        fill="var(--ahead-bg)"
        opacity={0.5}
        x={future}
        y={axisHeight}
        width={Math.max(0, width - future)}
        height={bottom - axisHeight}
      />
      {ticksOf(stretch).map(({ at, x }) => (
        <line key={at} stroke="var(--line-strong)" stroke-dasharray="1 3" x1={x} x2={x} y1={axisHeight} y2={bottom} />
      ))}
      {drawn.map(({ title }, lane) => (
        <line key={title} stroke="var(--line)" x1={0} x2={width} y1={middleOf(lane)} y2={middleOf(lane)} />
      ))}
      {nowX >= 0 && nowX <= width && (
        <line
          class="now"
          stroke="var(--ahead)"
          stroke-width={1.5}
          x1={nowX}
          x2={nowX}
          y1={axisHeight - 4}
          y2={bottom}
        />
      )}
      {drawn.flatMap(({ title, bins }, lane) =>
        groups(bins).map(([style, some]) => (
          <path key={`${title} ${style}`} class={style} d={pathOf(some, middleOf(lane), laneHeight - 9)} />
        )),
      )}
      {drawn.map(({ title, bins, marks }, lane) => {
        const found = open === undefined ? undefined : marks.find(({ key }) => key === open);
        const x = found === undefined ? 0 : placeOf(found.at, stretch);
        const bin = bins[closest(bins, x)];
        return found === undefined || bin === undefined || Math.abs(bin.x - x) > near ? null : (
          <Ring key={title} lane={lane} bin={bin} colour="--text" />
        );
      })}
    </>
  );
}

// A path for each look: hundreds of marks are a few elements.
function groups(bins: readonly Bin[]): [style: string, bins: Bin[]][] {
  const found = new Map<string, Bin[]>();
  for (const bin of bins) {
    const style = bin.mark.isAhead ? `${bin.mark.tone === 'bad' ? 'bad' : 'ahead'} to-come` : bin.mark.tone;
    const some = found.get(style);
    if (some === undefined) found.set(style, [bin]);
    else some.push(bin);
  }
  return [...found];
}

export function Ring({ lane, bin: { x }, colour }: { lane: number; bin: Bin; colour: string }) {
  return (
    <rect
      fill="none"
      stroke={`var(${colour})`}
      stroke-width={1.5}
      x={x - 6}
      y={middleOf(lane) - 9}
      width={12}
      height={18}
      rx={6}
    />
  );
}

/** No bin is wider. */
const near = 8;
const labelRoom = 60;

export function Axis({ stretch, nowX, now }: { stretch: Stretch; nowX: number; now: number }) {
  const { width } = stretch;
  const isIn = nowX >= 0 && nowX <= width;
  return (
    <div aria-hidden="true">
      {ticksOf(stretch).map(({ at, x, text }) =>
        x < 14 || x > width - 24 || (isIn && Math.abs(x - nowX) < labelRoom) ? null : (
          <span key={at} style={{ left: `${x}px` }}>
            {text}
          </span>
        ),
      )}
      {isIn && (
        <span class="primary" style={{ left: `${Math.max(30, Math.min(width - 30, nowX))}px` }}>
          {timeText(now)}
        </span>
      )}
    </div>
  );
}

const tipWidth = 260;

export function Tip({ lane, bin, width, now }: { lane: number; bin: Bin; width: number; now: number }) {
  const { mark, count, x } = bin;
  const left = Math.max(0, Math.min(Math.max(0, width - tipWidth), x - tipWidth / 2));
  return (
    <div class="card stack" aria-hidden="true" style={{ left: `${left}px`, top: `${middleOf(lane) + 13}px` }}>
      <span class="line">{mark.title}</span>
      <span class="lead">
        {mark.result !== '' && <Badge tone={mark.isAhead ? 'ahead' : mark.tone}>{mark.result}</Badge>}
        <span class="faint">
          {timeText(mark.at)} · {distanceText(mark.at, now)}
          {count > 1 && ` · ${count - 1} more`}
        </span>
      </span>
    </div>
  );
}
