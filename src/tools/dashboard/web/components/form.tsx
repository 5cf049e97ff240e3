// Fields of a form: what is filled in is kept in one signal of texts, and becomes the input of an operation.

import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { type Input, operationOf } from '../operation.js';
import { set } from '../set.js';
import { type Action, Actions } from './actions.js';
import { titleOf } from './fields.js';

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
  const change = ({ currentTarget }: { currentTarget: { value: string } }): void =>
    set(texts, { ...texts.value, [name]: currentTarget.value });
  const common = { ...more, id, value, spellcheck: false, autocomplete: 'off' } as const;
  return (
    <div class={isLong ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {options !== undefined ? (
        <select id={id} value={value} title={more.title} onChange={change}>
          <option value="">{none}</option>
          {options.map((option) => {
            const [one, text] = typeof option === 'string' ? [option, option] : option;
            return (
              <option key={one} value={one}>
                {text}
              </option>
            );
          })}
        </select>
      ) : isLong ? (
        <textarea {...common} rows={3} onInput={change} />
      ) : (
        <input {...common} type="text" list={suggestions && `${id}-list`} onInput={change} />
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
