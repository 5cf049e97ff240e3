// The handle on the past: which point of the history every view shows, and the ways to others.

import { useSignal } from '@preact/signals';
import type { HistoryDetails, HistoryPage } from '../../../history/schema.js';
import { useKeys } from '../keys.js';
import { useData } from '../live.js';
import { commandLine } from '../operation.js';
import { route } from '../route.js';
import { set } from '../set.js';
import { backToNow, beginAt, source, standAt, standing } from '../standing.js';
import { attempt } from './toast.js';

/** Shown in the timeline, and everywhere while the page stands at a point. */
export function PastBand() {
  return standing !== undefined || route.value.view === 'timeline' ? <Band /> : null;
}

function Band() {
  const { value } = useData<HistoryPage>('/history', ['request', 'control', 'clock'], { limit: 1 }, source);
  const pulled = useSignal<number | undefined>(undefined);
  const [first, last] = [value?.first ?? undefined, value?.last ?? undefined];
  const here = standing?.point ?? last;
  const goTo = (point: number): void => {
    if (first === undefined || last === undefined || point === here) return;
    // The handle goes back to where the page still stands, if it cannot go there.
    void attempt(() => (point > last ? backToNow() : standAt(Math.max(first, point)))).then(() =>
      set(pulled, undefined),
    );
  };
  useKeys([
    { key: '[', does: 'Back by a point', run: () => here !== undefined && goTo(here - 1) },
    { key: ']', does: 'Forward by a point', run: () => here !== undefined && standing !== undefined && goTo(here + 1) },
  ]);
  if (first === undefined || last === undefined || here === undefined)
    return standing === undefined ? null : <Standing point={standing.point} last={undefined} />;
  const shown = pulled.value ?? here;
  const isNow = standing === undefined && shown === last;
  return (
    <section class={`past lead ${standing === undefined ? '' : 'ahead'}`} aria-label="Point of the history">
      {standing !== undefined && <Standing point={shown} last={last} />}
      <div class="lead">
        <button type="button" title="[" disabled={here <= first} onClick={() => goTo(here - 1)}>
          Back
        </button>
        <input
          type="range"
          aria-label="Show every view as of a point"
          aria-valuetext={`after point ${shown} of ${last}`}
          min={first}
          max={last}
          value={shown}
          onInput={({ currentTarget }) => set(pulled, currentTarget.valueAsNumber)}
          onChange={({ currentTarget }) => goTo(currentTarget.valueAsNumber)}
        />
        <button type="button" title="]" disabled={standing === undefined} onClick={() => goTo(here + 1)}>
          Forward
        </button>
        {isNow && <span class="faint">now</span>}
      </div>
      {standing === undefined && !isNow && (
        <p class="lead">
          <PointText point={shown} last={last} />
        </p>
      )}
    </section>
  );
}

interface PointProps {
  point: number;
  /** The newest one; undefined: the world of the history is gone. */
  last: number | undefined;
}

// The number of a point, and what it is.
function PointText({ point, last }: PointProps) {
  const { value, error } = useData<HistoryDetails>(`/history/${point}`, [], undefined, source);
  const what = value?.point === point ? value.summary : error;
  return (
    <span>
      <strong>{source}</strong> as it was after point {point}
      {last !== undefined && ` of ${last}`}
      {what !== '' && <span class="faint">: {what}</span>}
    </span>
  );
}

function Standing({ point, last }: PointProps) {
  return (
    <div class="lead" role="status">
      <p>
        <PointText point={point} last={last} />
      </p>
      <fieldset class="lead" aria-label="From here">
        <button
          type="button"
          title={commandLine(`world create --at ${point} --of ${source}`, '')}
          onClick={() => attempt(() => beginAt({ point }))}
        >
          Begin a world here
        </button>
        <button type="button" class="primary" onClick={() => attempt(backToNow)}>
          Back to now
        </button>
      </fieldset>
    </div>
  );
}
