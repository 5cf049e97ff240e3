// Changing a signal, as an expression.

import type { Signal } from '@preact/signals';

/** @example onClick={() => set(isOpen, true)} */
export function set<Value>(signal: Signal<Value>, value: Value): void {
  signal.value = value;
}
