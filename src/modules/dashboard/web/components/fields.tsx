// Fields of small forms: their names are above them, and what they hold is a signal.

import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { set } from '../set.js';

/** The fields of an act in a row, with the act below. */
export function Form({ children }: { children: ComponentChildren }) {
  return <div class="form">{children}</div>;
}

interface FieldProps {
  label: string;
  value: Signal<string>;
  placeholder?: string;
}

/** A line of text. */
export function TextField({ label, value, placeholder = '' }: FieldProps) {
  return (
    <label class="form-field">
      <span class="field-name">{label}</span>
      <input
        type="text"
        value={value.value}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => set(value, currentTarget.value)}
      />
    </label>
  );
}

interface ChoiceProps extends FieldProps {
  /** Values, or pairs of a value and how it is called. */
  options: readonly (string | readonly [string, string])[];
}

/** One of several values. */
export function Choice({ label, value, options }: ChoiceProps) {
  return (
    <label class="form-field">
      <span class="field-name">{label}</span>
      <select value={value.value} onChange={({ currentTarget }) => set(value, currentTarget.value)}>
        {options.map((option) => {
          const [one = '', text = one] = typeof option === 'string' ? [option] : option;
          return (
            <option key={one} value={one}>
              {text}
            </option>
          );
        })}
      </select>
    </label>
  );
}

/** The flags of the fields that hold something: ` --name Ada --expires-in 10m`. */
export function flags(values: Record<string, string>, quoted: (text: string) => string): string {
  return Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ` --${name} ${quoted(value)}`)
    .join('');
}

/** The fields that hold something. */
export function filled(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}
