// The list of keys, on `?`.

import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { currentBindings } from '../keys.js';
import { set } from '../set.js';

const names: Record<string, string> = { Escape: 'Esc', ArrowDown: '↓', ArrowUp: '↑', Enter: '⏎' };

export function HelpDialog({ isOpen }: { isOpen: Signal<boolean> }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen.value]);
  const unique = new Map(isOpen.value ? currentBindings().map(({ key, does }) => [key, does]) : []);
  return (
    <dialog ref={dialog} aria-label="Keys" onClose={() => set(isOpen, false)}>
      <h2>Keys</h2>
      <dl class="keys">
        {[...unique].map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{names[key] ?? key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => set(isOpen, false)}>
        Close
      </button>
    </dialog>
  );
}
