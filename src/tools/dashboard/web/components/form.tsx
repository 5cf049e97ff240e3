// Buttons and forms that act on the emulator, each with the command line that does the same.

import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import {
  call,
  commandLine,
  commandOf,
  type Input,
  operationOf,
  program,
  setClock,
  target,
  useData,
} from '../emulator.js';
import { set } from '../page.js';
import { titleOf } from './fields.js';
import { attempt, Copy, Select } from './parts.js';

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
  /** The command is no one of ours: several lines of a shell. */
  isShell?: boolean;
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

/** Makes what buttons do to a thing: operations of its kind, called as the first word of the button is. */
export function actsOn(kind: string, id: string, name: string, usual: Partial<Action>) {
  return (label: string, done: string, more: Partial<Action> = {}): Action => ({
    label,
    operation: `${kind}.${label.split(' ')[0]?.toLowerCase()}`,
    done: `${name} ${done}`,
    ...usual,
    ...more,
    input: { id, ...more.input },
  });
}

/** What a button does to the clock, which the page then shows. */
export function clockAction(label: string, operation: string, input: Input, done: string): Action {
  return { label, operation: `clock.${operation}`, input, next: setClock, done };
}

/** The button that goes to an instant, if there is one. */
export function jumpTo(at: string | null, label = 'Jump to the next change'): Action[] {
  return at === null ? [] : [clockAction(label, 'advance', { to: at }, 'Time is there')];
}

export const steps = ['1s', '10s', '1m', '10m', '1h', '1d'];

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
      <Command text={lineOf(shown)} {...(shown.isShell === true && { of: 'the request as curl', isShell: true })} />
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

interface SampleProps {
  /** What comes of it. */
  says: string;
  path: string;
  /** Further arguments of curl. */
  args?: string;
  children?: ComponentChildren;
}

/** A first request of the path with the test key, where there is nothing to show yet. */
export function Sample({ says, path, args = '', children }: SampleProps) {
  const text = `eval "$(${commandLine('env')})"
curl -s "$CLOUD_BASE_URL${path}" \\
  -H "Authorization: Bearer $CLOUD_API_KEY"${args === '' ? '' : ` \\\n  ${args}`}`;
  return (
    <>
      <p>{says}</p>
      <Command text={text} of="the request" isShell />
      <p>{children}</p>
    </>
  );
}

/** Several commands, each without `cloudemu`, one after the other. */
export function commandsOf(lines: readonly string[]): string {
  return lines.map((line) => `${program} ${line.replace(/(?= --world |$)/, target)}`).join(' && ');
}

/** The texts of a form by their names; what is missing is empty. */
export type Texts = Record<string, string>;

interface FieldProps {
  label: string;
  /** Its name in the texts. */
  name: string;
  texts: Signal<Texts>;
  title?: string;
  placeholder?: string;
  /** Only these can be chosen (values, or pairs of a value and how it is called); the empty one is called what `none` says. */
  options?: readonly (string | readonly [value: string, text: string])[];
  none?: string;
  /** These are proposed as you type. */
  suggestions?: readonly string[];
  /** For longer texts. */
  isLong?: boolean;
}

/** A field with its label. */
export function Field({ label, name, texts, options, none = 'any', suggestions, isLong = false, ...more }: FieldProps) {
  const id = useId();
  const value = texts.value[name] ?? '';
  const change = (text: string): void => set(texts, { ...texts.value, [name]: text });
  const common = {
    ...more,
    id,
    value,
    spellcheck: false,
    autocomplete: 'off',
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value),
  } as const;
  return (
    <div class={isLong ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {options !== undefined ? (
        <Select id={id} value={value} title={more.title ?? ''} options={[['', none], ...options]} onPick={change} />
      ) : isLong ? (
        <textarea {...common} rows={3} />
      ) : (
        <input {...common} type="text" list={suggestions && `${id}-list`} />
      )}
      {suggestions !== undefined && (
        <datalist id={`${id}-list`}>
          {suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
    </div>
  );
}

interface Failure {
  mode: string;
  title: string;
  remedy: string;
}

/** A field for how something fails, as `mode` in the texts, and what that means. */
export function FailureField({ path, ...field }: Pick<FieldProps, 'label' | 'none' | 'texts'> & { path: string }) {
  const { value } = useData<{ failures: Failure[] }>(path);
  const chosen = value?.failures.find(({ mode }) => mode === field.texts.value.mode);
  return (
    <>
      <Field {...field} name="mode" options={value?.failures.map(({ mode }) => mode) ?? []} />
      {chosen !== undefined && <p class="faint">{`${chosen.title}. ${chosen.remedy}`}</p>}
    </>
  );
}

/** What a view knows better than the declaration, by the paths of fields. */
export type Known = Record<string, Partial<FieldProps>>;

interface DeclaredFieldsProps {
  operation: string;
  /** The paths of the fields, in a line. */
  fields: string;
  texts: Signal<Texts>;
  known?: Known | undefined;
}

/** Fields of an operation, as they are declared. */
export function DeclaredFields({ operation, fields, texts, known = {} }: DeclaredFieldsProps) {
  const declared = operationOf(operation).fields;
  return (
    <>
      {fields.split(' ').map((path) => {
        const field = declared.find((one) => one.path === path);
        const { describe = '', words = [], type } = field ?? {};
        const [, usual = ''] = /; by default (?:the )?([^;]+)/.exec(describe) ?? [];
        const choice = type === 'boolean' ? ['yes'] : type === 'list' || words.length === 0 ? undefined : words;
        return (
          <Field
            key={path}
            label={titleOf(path)}
            name={path}
            texts={texts}
            title={describe}
            placeholder={usual}
            none={usual === '' ? 'as usual' : usual}
            {...(choice !== undefined && { options: choice })}
            {...known[path]}
          />
        );
      })}
    </>
  );
}

/** What is filled in, as the operation takes it. */
export function inputOf(operation: string, texts: Texts): Input {
  return Object.fromEntries(
    operationOf(operation).fields.flatMap(({ path, type }): [string, unknown][] => {
      const text = texts[path]?.trim() ?? '';
      if (text === '') return [];
      if (type === 'list') return [[path, text.split(/[\s,]+/)]];
      if (type === 'boolean') return [[path, true]];
      // A duration can be a number too, but is a text.
      return [[path, type === 'number' && !Number.isNaN(Number(text)) ? Number(text) : text]];
    }),
  );
}

export interface OperationFormProps extends Action, Omit<DeclaredFieldsProps, 'texts' | 'operation'> {
  operation: string;
  /** The texts, where the view reads them too. */
  texts?: Signal<Texts>;
  /** Stands in a column: its fields side by side, the button beneath them. */
  isTall?: boolean;
  children?: ComponentChildren;
}

/** A form of an operation: its fields, the button, and the command that does the same. */
export function OperationForm({
  fields,
  known,
  texts: given,
  isTall = false,
  children,
  ...action
}: OperationFormProps) {
  const own = useSignal<Texts>({});
  const texts = given ?? own;
  const { as: operation = action.operation, input: fixed, next, disabled = false } = action;
  const input = { ...inputOf(operation, texts.value), ...fixed };
  // Another operation than that of the command may do without.
  const isMissing =
    action.as === undefined &&
    operationOf(operation).fields.some(({ path, isRequired }) => isRequired && !(path in input));
  const done = (result: never): unknown => {
    set(texts, {});
    return next?.(result);
  };
  return (
    <div class={isTall ? 'fields' : 'form'}>
      {fields !== '' && <DeclaredFields operation={operation} fields={fields} texts={texts} known={known} />}
      {children}
      <Actions
        label={action.label}
        actions={[{ isPrimary: true, ...action, input, next: done, disabled: disabled || isMissing }]}
      />
    </div>
  );
}
