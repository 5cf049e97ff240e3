// Stretches of time beside each other: what was planned above what came of it, with the line of now.

import { Fragment } from 'preact';
import { distanceText, durationText, timeText } from '../text.js';
import { toneOf } from './parts.js';

export interface LaneStretch {
  status: string;
  at: string;
  /** null: until further notice. */
  end: string | null;
  endedBy?: string | null;
  error?: string | null;
}

export interface Lane {
  title: string;
  stretches: readonly LaneStretch[];
}

// The axis goes on for a quarter of its length behind the last instant, for stretches without an end.
const openShare = 0.25;
// Narrower than that nothing could be pointed at.
const leastShare = 0.02;

export function Lanes({ lanes, now }: { lanes: readonly Lane[]; now: number | undefined }) {
  const all = lanes.flatMap(({ stretches }) => stretches);
  const starts = all.map(({ at }) => Date.parse(at));
  const from = Math.min(...starts);
  const last = Math.max(...starts, ...all.map(({ end, at }) => Date.parse(end ?? at)));
  const until = last + Math.max(1_000, (last - from) * openShare);
  const place = (at: number): number => Math.max(0, Math.min(1, (at - from) / (until - from)));
  const nowAt = now === undefined ? 0 : place(now);
  return (
    <div class="lanes">
      {lanes.map(({ title, stretches }) => (
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
          {now === undefined ? '' : timeText(now)}
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
    isAhead && now !== undefined ? distanceText(start, now) : `from ${timeText(at)}`,
    endedBy == null ? '' : `ended by: ${endedBy}`,
    error ?? '',
  ];
  return (
    <li
      class={isAhead ? 'ahead' : toneOf(status)}
      title={text.filter((part) => part !== '').join('\n')}
      style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
    >
      <span>{status}</span>
    </li>
  );
}
