// Buttons that act on the emulator, each with the command line that does the same.

import { useSignal } from '@preact/signals';
import { commandLine } from '../command-line.js';
import { set } from '../set.js';
import { Copy } from './copy.js';
import { attempt } from './toast.js';

export interface Action {
  label: string;
  /** The command without `cloudemu`, for example 'clock advance 10m'. */
  command: string;
  /** The command is of all worlds, or names its own. */
  isOfAll?: boolean;
  run: () => Promise<unknown>;
  /** The message when the action is done; by default its label. */
  done?: string;
  disabled?: boolean;
  /** The action ends or deletes something. */
  isDangerous?: boolean;
  /** The action is the main one of its form. */
  isPrimary?: boolean;
  /** Whether this is how it is now, where the buttons are states of one thing. */
  isActive?: boolean;
}

/** A row of buttons; beneath it the command of the one that was pointed at last, or of the first that can be pressed. */
export function Actions({ actions, label }: { actions: readonly Action[]; label: string }) {
  const pointed = useSignal('');
  const shown =
    actions.find((action) => action.label === pointed.value) ??
    actions.find(({ disabled = false }) => !disabled) ??
    actions[0];
  return (
    <div class="actions">
      <fieldset class="buttons" aria-label={label}>
        {actions.map(({ label: text, run, done, disabled, isDangerous, isPrimary, isActive, command, isOfAll }) => (
          <button
            key={text}
            type="button"
            disabled={disabled}
            class={isDangerous === true ? 'dangerous' : isPrimary === true ? 'primary' : ''}
            aria-pressed={isActive}
            title={commandLine(command, isOfAll)}
            onMouseEnter={() => set(pointed, text)}
            onFocus={() => set(pointed, text)}
            onClick={() => attempt(run, done ?? text)}
          >
            {text}
          </button>
        ))}
      </fieldset>
      {shown !== undefined && <Command text={shown.command} isOfAll={shown.isOfAll} />}
    </div>
  );
}

/** One button that acts; `group` names it for screen readers. */
export function Act({ group, ...action }: Action & { group: string }) {
  return <Actions label={group} actions={[action]} />;
}

/** A command line, to be copied; `isOfAll`: of all worlds, whichever is shown. */
export function Command({ text, isOfAll }: { text: string; isOfAll?: boolean | undefined }) {
  const whole = commandLine(text, isOfAll);
  return (
    <div class="command">
      <code>
        <span aria-hidden="true">$ </span>
        {whole}
      </code>
      <Copy text={whole} of={`the command ${whole}`} />
    </div>
  );
}
