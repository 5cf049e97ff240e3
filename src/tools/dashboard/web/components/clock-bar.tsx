// The virtual clock at the top of every view: where it stands, freeze and run, and a step ahead.

import { useSignal } from '@preact/signals';
import { useKeys } from '../keys.js';
import { clock, now, setClock } from '../live.js';
import { call, commandOf, type Input } from '../operation.js';
import { set } from '../set.js';
import { dayText, timeText } from '../text.js';
import type { Action } from './actions.js';
import { attempt } from './toast.js';

/** What a button does to the clock, which the page then shows. */
export function clockAction(label: string, operation: string, input: Input, done: string): Action {
  return { label, operation: `clock.${operation}`, input, next: setClock, done };
}

/** The button that goes to an instant, if there is one. */
export function jumpTo(at: string | null, label = 'Jump to the next change'): Action[] {
  return at === null ? [] : [clockAction(label, 'advance', { to: at }, 'Time is there')];
}

const change = async (operation: string, input: Input): Promise<void> => setClock(await call(operation, input));

export const steps = ['1s', '10s', '1m', '10m', '1h', '1d'];

export function ClockBar() {
  const step = useSignal('10s');
  const switching = clock.value?.frozen === true ? 'clock.resume' : 'clock.freeze';
  const toggle = (): void => void attempt(() => change(switching, {}));
  const advance = (): void => void attempt(() => change('clock.advance', { by: step.value }));
  useKeys([
    { key: 'f', does: 'Freeze or resume the clock', run: toggle },
    { key: 'a', does: 'Advance the clock by the step', run: advance },
  ]);
  const view = clock.value;
  if (view === undefined || now.value === undefined) return <div />;
  return (
    <div class="lead">
      <time dateTime={new Date(now.value).toISOString()} title="Virtual time, UTC">
        <span class="faint ample">{dayText(now.value)}</span> <strong>{timeText(now.value)}</strong>
      </time>
      <span class="ahead ample">{view.frozen ? 'frozen' : view.speed === 1 ? '' : `× ${view.speed}`}</span>
      <button type="button" title={commandOf(switching, {})} onClick={toggle}>
        {view.frozen ? 'Run' : 'Freeze'}
      </button>
      <span class="lead">
        <button type="button" title={commandOf('clock.advance', { by: step.value })} onClick={advance}>
          Advance
        </button>
        <select aria-label="Step" value={step.value} onChange={({ currentTarget }) => set(step, currentTarget.value)}>
          {steps.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </span>
    </div>
  );
}
