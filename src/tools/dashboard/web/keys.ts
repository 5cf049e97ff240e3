// Keys of the keyboard: what each does now, and the list of them.

import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface KeyBinding {
  /** The name of the key in the browser: 'j', 'Enter', 'Escape', '/'. */
  key: string;
  /** The effect of the key, in a few words. */
  does: string;
  run: () => void;
}

type Source = () => readonly KeyBinding[];

const sources = signal<readonly Source[]>([]);

/** The bindings of now; the latest of a key wins. */
export function currentBindings(): KeyBinding[] {
  return sources.value.flatMap((source) => source());
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.target as HTMLElement;
  if (target.matches('input, textarea, select, [contenteditable]')) {
    // The browser would empty a search field.
    if (event.key !== 'Escape') return;
    event.preventDefault();
    return target.blur();
  }
  // A focused button does what it is for; Enter also follows a link.
  const pressed = event.key === 'Enter' ? 'button, a, summary, audio' : 'button, summary, audio';
  if (/^(Enter| )$/.test(event.key) && target.matches(pressed)) return;
  if (document.querySelector('dialog[open]') !== null) return;
  const binding = currentBindings().findLast(({ key }) => key === event.key);
  if (binding === undefined) return;
  event.preventDefault();
  binding.run();
});

/** Binds keys as long as the component is there. */
export function useKeys(list: readonly KeyBinding[]): void {
  const latest = useRef(list);
  latest.current = list;
  // Before the component is seen: somebody may be fast.
  useLayoutEffect(() => {
    const source: Source = () => latest.current;
    sources.value = [...sources.peek(), source];
    return () => {
      sources.value = sources.peek().filter((one) => one !== source);
    };
  }, []);
}
