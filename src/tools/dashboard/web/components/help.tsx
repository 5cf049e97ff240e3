// The list of keys, on `?`.

import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { currentBindings, type KeyBinding } from '../keys.js';
import { set } from '../set.js';

const names: Record<string, string> = { ' ': 'Space', Escape: 'Esc', ArrowDown: '↓', ArrowUp: '↑', Enter: '⏎' };

export function HelpDialog({ isOpen }: { isOpen: Signal<boolean> }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen.value]);
  const keysOf = isOpen.value ? keysByAct(currentBindings()) : new Map<string, string[]>();
  return (
    <dialog ref={dialog} aria-label="Keys" onClose={() => set(isOpen, false)}>
      <h2>Keys</h2>
      <dl>
        {[...keysOf].map(([does, keys]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{names[key] ?? key}</kbd>
              ))}
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

function keysByAct(bindings: readonly KeyBinding[]): ReadonlyMap<string, string[]> {
  const acts = new Map(bindings.map(({ key, does }) => [key, does]));
  const keys = new Map<string, string[]>();
  for (const [key, does] of acts) keys.set(does, [...(keys.get(does) ?? []), key]);
  return keys;
}
