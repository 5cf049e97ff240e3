// The virtual clock at the top of every view: where it stands, freeze and run, and a step ahead.

import { useSignal } from '@preact/signals';
import type { ClockView } from '../../../../core/clock.js';
import { post } from '../api.js';
import { commandLine } from '../command-line.js';
import { useKeys } from '../keys.js';
import { clock, now, setClock } from '../live.js';
import { set } from '../set.js';
import { dayText, timeText } from '../text.js';
import { attempt } from './toast.js';

/** Advances the clock by a duration such as 10m. */
export async function advance(by: string): Promise<void> {
  setClock(await post<ClockView>('/clock/advance', { by }));
}

/** Advances the clock to an instant. */
export async function advanceTo(to: string): Promise<void> {
  setClock(await post<ClockView>('/clock/advance', { to }));
}

export async function freeze(): Promise<void> {
  setClock(await post<ClockView>('/clock/freeze'));
}

/** Lets the clock run, `speed` times as fast as the wall's. */
export async function resume(speed = 1): Promise<void> {
  setClock(await post<ClockView>('/clock/resume', { speed }));
}

const steps = ['1s', '10s', '1m', '10m', '1h', '1d'];

export function ClockBar() {
  const step = useSignal('10s');
  const toggle = (): void => {
    if (clock.value !== undefined) void attempt(clock.value.frozen ? resume : freeze);
  };
  useKeys([
    { key: 'f', does: 'Freeze or resume the clock', run: toggle },
    { key: 'a', does: 'Advance the clock by the step', run: () => void attempt(() => advance(step.value)) },
  ]);
  const view = clock.value;
  if (view === undefined || now.value === undefined) return <div class="clock" />;
  return (
    <div class={`clock ${view.frozen ? 'frozen' : ''}`}>
      <time dateTime={new Date(now.value).toISOString()} title="Virtual time, UTC">
        <span class="clock-day">{dayText(now.value)}</span> <strong>{timeText(now.value)}</strong>
      </time>
      <span class="clock-state">{view.frozen ? 'frozen' : view.speed === 1 ? '' : `× ${view.speed}`}</span>
      <button type="button" title={commandLine(view.frozen ? 'clock resume' : 'clock freeze')} onClick={toggle}>
        {view.frozen ? 'Run' : 'Freeze'}
      </button>
      <span class="joined">
        <button
          type="button"
          title={commandLine(`clock advance ${step.value}`)}
          onClick={() => attempt(() => advance(step.value))}
        >
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
