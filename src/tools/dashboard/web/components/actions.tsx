// Buttons that act on the emulator, each with the command line that does the same.

import { useSignal } from '@preact/signals';
import { call, commandLine, commandOf, type Input, program, target } from '../operation.js';
import { set } from '../set.js';
import { Copy } from './copy.js';
import { attempt } from './toast.js';

/** What a button does: an operation with its input. */
export interface Action {
  label: string;
  /** Its id without `control.`; left out where the button does more than one. */
  operation?: string | undefined;
  input?: Input | undefined;
  /** The operation of the command, where that is another one. */
  as?: string | undefined;
  /** What the command says otherwise: a name in the place of an id. */
  shown?: Input | undefined;
  /** Done in its place. */
  run?: (() => Promise<unknown>) | undefined;
  /** Done afterwards, with what came of it. */
  next?: ((result: never) => unknown) | undefined;
  /** The whole command, where it is not that of the operation with its input. */
  command?: string | undefined;
  /** The message when the action is done; by default its label. */
  done?: string | undefined;
  disabled?: boolean | undefined;
  /** The action ends or deletes something. */
  isDangerous?: boolean;
  /** The action is the main one of its form. */
  isPrimary?: boolean;
  /** Whether this is how it is now, where the buttons are states of one thing. */
  isActive?: boolean;
}

const lineOf = ({ operation = '', as = operation, input, shown, command }: Action): string =>
  command ?? commandOf(as, { ...input, ...shown });

async function act({ operation = '', input, run = () => call(operation, input), next }: Action): Promise<void> {
  const result = await run();
  await next?.(result as never);
}

/** A row of buttons; beneath it the command of the one that was pointed at last, or of the first that can be pressed. */
export function Actions({ actions, label }: { actions: readonly Action[]; label: string }) {
  const pointed = useSignal('');
  const shown =
    actions.find((action) => action.label === pointed.value) ??
    actions.find(({ disabled = false }) => !disabled) ??
    actions[0];
  if (shown === undefined) return null;
  return (
    <div class="stack">
      <fieldset class="lead" aria-label={label}>
        {actions.map((action) => (
          <button
            key={action.label}
            type="button"
            disabled={action.disabled}
            class={action.isDangerous === true ? 'bad' : action.isPrimary === true ? 'primary' : ''}
            aria-pressed={action.isActive}
            title={lineOf(action)}
            onMouseEnter={() => set(pointed, action.label)}
            onFocus={() => set(pointed, action.label)}
            onClick={() => attempt(() => act(action), action.done ?? action.label)}
          >
            {action.label}
          </button>
        ))}
      </fieldset>
      <Command text={lineOf(shown)} />
    </div>
  );
}

/** A command line, to be copied. */
export function Command({ text, of = `the command ${text}`, isShell = false }: CommandProps) {
  return (
    <div class="command">
      <code>
        {!isShell && <span aria-hidden="true">$ </span>}
        {text}
      </code>
      <Copy text={text} of={of} />
    </div>
  );
}

interface CommandProps {
  text: string;
  /** What it is, for screen readers. */
  of?: string;
  /** It is no command of ours: several lines of a shell. */
  isShell?: boolean;
}

/** A first request of the path with the test key, where there is nothing to show yet; `args` are further arguments of curl. */
export function Sample({ path, args = '' }: { path: string; args?: string }) {
  const text = `eval "$(${commandLine('env')})"
curl -s "$CLOUD_BASE_URL${path}" \\
  -H "Authorization: Bearer $CLOUD_API_KEY"${args === '' ? '' : ` \\\n  ${args}`}`;
  return <Command text={text} of="the request" isShell />;
}

/** Several commands, each without `cloudemu`, one after the other. */
export function commandsOf(lines: readonly string[]): string {
  return lines.map((line) => `${program} ${line.replace(/(?= --world |$)/, target)}`).join(' && ');
}
