// The handle on the past: the point of a world's history at which this page stands, and the ways to others. Every view is then
// that of a world that begins there, with its clock frozen, and ends soon after the page has left it.

import { useSignal } from '@preact/signals';
import type { HistoryDetails, HistoryPage } from '../../../history/schema.js';
import { pageOf, worldId } from '../api.js';
import { call, commandLine, useData } from '../emulator.js';
import { route, set, useKeys } from '../page.js';
import { attempt } from './parts.js';

interface Standing {
  /** The world whose history it is. */
  of: string;
  point: number;
}

const query = new URLSearchParams(location.search);

/** undefined: the page shows a world as it is now. */
export const standing: Standing | undefined =
  query.get('of') === null ? undefined : { of: query.get('of') ?? '', point: Number(query.get('point')) };

/** The world whose history can be gone through on this page. */
export const source = standing?.of ?? worldId;

const lifetime = '10m';

/** Shows every view as of a point of the history. */
export async function standAt(point: number): Promise<void> {
  const input = { at: { world: source, point }, clock: { frozen: true }, ttl: lifetime };
  const { id } = await call<{ id: string }>('worlds.create', input, source);
  await leave();
  // The browser's way back leads to now, not through all points.
  const go = standing === undefined ? 'assign' : 'replace';
  location[go](`${pageOf(id)}?of=${encodeURIComponent(source)}&point=${point}${location.hash}`);
}

/** Shows the world as it is now. */
async function backToNow(): Promise<void> {
  await leave();
  location.replace(pageOf(source) + location.hash);
}

/** Begins a world at a point, and goes there. */
export async function beginAt(at: { point: number } | { requestId: string; side: 'before' | 'after' }): Promise<void> {
  const { id } = await call<{ id: string }>('worlds.create', { at: { world: source, ...at } }, source);
  await leave();
  location.assign(pageOf(id) + location.hash.split('/').slice(0, 2).join('/'));
}

// It would end by itself, or has done so.
async function leave(): Promise<void> {
  if (standing !== undefined) await call('worlds.drop', { id: worldId }, source).catch(() => {});
}

/** Shown in the timeline, and everywhere while the page stands at a point. */
export function PastBand() {
  return standing !== undefined || route.value.view === 'timeline' ? <Band /> : null;
}

function Band() {
  const { value } = useData<HistoryPage>('/history', ['request', 'control', 'clock'], { limit: 1 }, source);
  const pulled = useSignal<number | undefined>(undefined);
  const { first = null, last = null } = value ?? {};
  const here = standing?.point ?? last;
  const goTo = (point: number): void => {
    if (first === null || last === null || point === here) return;
    // The handle goes back to where the page still stands, if it cannot go there.
    void attempt(() => (point > last ? backToNow() : standAt(Math.max(first, point)))).then(() =>
      set(pulled, undefined),
    );
  };
  useKeys([
    { key: '[', does: 'Back by a point', run: () => here !== null && goTo(here - 1) },
    { key: ']', does: 'Forward by a point', run: () => here !== null && standing !== undefined && goTo(here + 1) },
  ]);
  if (here === null) return null;
  const point = pulled.value ?? here;
  const isNow = standing === undefined && point === last;
  return (
    <section class={`past lead ${standing === undefined ? '' : 'ahead'}`} aria-label="Point of the history">
      {!isNow && <PointText point={point} last={last} />}
      {standing !== undefined && (
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
      )}
      {first !== null && last !== null && (
        <div class="lead">
          <button type="button" title="[" disabled={here <= first} onClick={() => goTo(here - 1)}>
            Back
          </button>
          <input
            type="range"
            aria-label="Show every view as of a point"
            aria-valuetext={`after point ${point} of ${last}`}
            min={first}
            max={last}
            value={point}
            onInput={({ currentTarget }) => set(pulled, currentTarget.valueAsNumber)}
            onChange={({ currentTarget }) => goTo(currentTarget.valueAsNumber)}
          />
          <button type="button" title="]" disabled={standing === undefined} onClick={() => goTo(here + 1)}>
            Forward
          </button>
          {isNow && <span class="faint">now</span>}
        </div>
      )}
    </section>
  );
}

// The number of a point, and what it is; `last`: the newest one, null where the world of the history is gone.
function PointText({ point, last }: { point: number; last: number | null }) {
  const { value, error } = useData<HistoryDetails>(`/history/${point}`, [], undefined, source);
  const what = value?.point === point ? value.summary : error;
  return (
    <p role="status">
      <strong>{source}</strong> as it was after point {point}
      {last !== null && ` of ${last}`}
      {what !== '' && <span class="faint">: {what}</span>}
    </p>
  );
}
