// The changes that people made to a world's clock since the emulator started: freezes, resumptions, jumps.

import type { ClockState } from '../../core/clock.js';
import { formatDuration } from '../../core/duration.js';
import { lastOccurrence } from '../../db/occurrences.js';
import type { WorldPart } from '../../world/parts.js';
import { clockChanged } from '../../world/topics.js';
import type { PartKey, World } from '../../world/world.js';
import { journalOf } from '../journal/journal.js';

export interface ClockChange {
  seq: number;
  /** Virtual milliseconds at which it ended. */
  at: number;
  text: string;
  /** The number of the last journal record before it, and of what else happened last. */
  after: number;
  occurrence: number;
  /** The number of its entry in the history of the world; 0: none is recorded. */
  entry: number;
  /** The entry of the restore that has taken its time away; undefined: none has. */
  goneBy?: number;
}

interface ClockHistory extends WorldPart {
  after(seq: number): ClockChange[];
  last(): number;
}

const capacity = 1_000;
// A jump shorter than this cannot be told from the time that the change itself took.
const leastJumpMs = 20;

const historyKey: PartKey<ClockHistory> = { name: 'clock history', create: createHistory };

/** The history of a world's clock, which begins when it is first asked for. */
export function clockHistoryOf(world: World): ClockHistory {
  return world.part(historyKey);
}

function createHistory(world: World): ClockHistory {
  const { bus, clock, db } = world;
  let changes: ClockChange[] = [];
  let seq = 0;
  let before = clock.state();
  const here = (): number => world.remembered.history?.here() ?? 0;
  const stop = bus.on(clockChanged, () => {
    const after = clock.state();
    const text = describeChange(before, after);
    before = after;
    if (text === undefined) return;
    changes.push({
      seq: ++seq,
      at: after.anchorVirtual,
      text,
      after: journalOf(world).last(),
      occurrence: lastOccurrence(db),
      entry: here(),
    });
    if (changes.length > 2 * capacity) changes = changes.slice(-capacity);
  });
  return {
    after: (number) => changes.filter((change) => change.seq > number),
    last: () => seq,
    replaced(event) {
      before = clock.state();
      if (event !== 'restored') changes = [];
      for (const change of changes) if (change.at > before.floor) change.goneBy ??= here();
    },
    close: stop,
  };
}

/** The words for a change of a clock; undefined where nothing that a person sees has changed. */
function describeChange(before: ClockState, after: ClockState): string | undefined {
  const expected = before.anchorVirtual + before.speed * (after.anchorWall - before.anchorWall);
  const jump = Math.round(after.anchorVirtual - Math.max(expected, before.floor));
  if (jump >= leastJumpMs || (jump > 0 && after.speed === 0 && before.speed === 0))
    return `Time advanced by ${formatDuration(jump)}`;
  if (before.speed !== after.speed)
    return after.speed === 0
      ? 'The clock was frozen'
      : `The clock runs${after.speed === 1 ? '' : ` at ${after.speed} times the speed`}`;
  if (before.skewMs !== after.skewMs)
    return `Clients’ clocks are taken to differ by ${formatDuration(Math.abs(after.skewMs))}`;
  return undefined;
}
