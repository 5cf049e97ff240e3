// Choosing a failure mode for what is begun next.

import type { Signal } from '@preact/signals';
import { set } from '../set.js';

interface ModeSelectOptions {
  label: string;
  /** What no mode means. */
  none: string;
  modes: readonly { mode: string }[] | undefined;
  chosen: Signal<string>;
  disabled?: boolean;
}

/** A list of failure modes; an empty text stands for none. */
export function ModeSelect({ label, none, modes = [], chosen, disabled = false }: ModeSelectOptions) {
  return (
    <select
      aria-label={label}
      disabled={disabled}
      value={chosen.value}
      onChange={({ currentTarget }) => set(chosen, currentTarget.value)}
    >
      <option value="">{none}</option>
      {modes.map(({ mode }) => (
        <option key={mode}>{mode}</option>
      ))}
    </select>
  );
}
