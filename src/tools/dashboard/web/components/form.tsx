// Fields of a form: what is filled in is kept in one signal of texts.

import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { set } from '../set.js';
import { shellQuoted } from '../text.js';
import { Act, type Action } from './actions.js';

/** The texts of a form by their names; what is missing is empty. */
export type Texts = Record<string, string>;

interface FieldProps {
  label: string;
  /** Its name in the texts. */
  name: string;
  texts: Signal<Texts>;
  placeholder?: string;
  /** Only these can be chosen (values, or pairs of a value and how it is called); the empty one is called what `none` says. */
  options?: readonly (string | readonly [value: string, text: string])[];
  none?: string;
  /** These are proposed as you type. */
  suggestions?: readonly string[];
  type?: 'text' | 'number';
  /** For longer texts. */
  isLong?: boolean;
  /** Has a row of its own. */
  isWide?: boolean;
}

/** The fields of a form, side by side where there is room. */
export function Fields({ children }: { children: ComponentChildren }) {
  return <div class="fields">{children}</div>;
}

/** Few fields in a row, with the act that they are of. */
export function Form({ label, act, children }: { label: string; act: Action; children?: ComponentChildren }) {
  return (
    <div class="form">
      {children}
      <Act group={label} isPrimary {...act} />
    </div>
  );
}

/** A field with its label. */
export function Field(props: FieldProps) {
  const { label, name, texts, placeholder, options, none = 'any', suggestions, type = 'text' } = props;
  const { isLong = false, isWide = isLong } = props;
  const id = useId();
  const value = texts.value[name] ?? '';
  const change = (text: string): void => set(texts, { ...texts.value, [name]: text });
  const common = { id, value, placeholder, spellcheck: false, autocomplete: 'off' } as const;
  return (
    <div class={`field ${isWide ? 'wide' : ''}`}>
      <label for={id}>{label}</label>
      {options !== undefined ? (
        <select id={id} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
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
        <textarea {...common} rows={3} onInput={({ currentTarget }) => change(currentTarget.value)} />
      ) : (
        <input
          {...common}
          type="text"
          inputMode={type === 'number' ? 'decimal' : 'text'}
          list={suggestions === undefined ? undefined : `${id}-list`}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
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

/** The fields that are filled in, as a request has them; numbers where `numbers` names them. */
export function filled(
  texts: Texts,
  names: readonly string[],
  numbers: readonly string[] = [],
): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = texts[name]?.trim() ?? '';
      if (text === '') return [];
      const isNumber = numbers.includes(name) && !Number.isNaN(Number(text));
      return [[name, isNumber ? Number(text) : text]];
    }),
  );
}

/** The flags of what is filled in: ` --name Ada --expires-in 10m`. */
export function flags(values: Record<string, unknown>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        ` --${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${shellQuoted(String(value))}`,
    )
    .join('');
}
