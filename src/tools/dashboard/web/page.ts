// The page itself: its address, its keys, its signals.

import { type Signal, signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** @example onClick={() => set(isOpen, true)} */
export function set<Value>(signal: Signal<Value>, value: Value): void {
  signal.value = value;
}

export interface Route {
  view: string;
  /** The item that is open in the view: the rest of the path, or ''. */
  item: string;
  /** The filter of the view, or ''. */
  filter: string;
}

export const route = signal<Route>(read());

addEventListener('hashchange', () => {
  route.value = read();
});

function read(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [view = '', ...rest] = path.split('/');
  return { view: view || 'timeline', item: decode(rest.join('/')), filter: new URLSearchParams(query).get('q') ?? '' };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a place: without a view, of one in the present view. */
export function hrefOf({ view = route.value.view, item = '', filter = '' }: Partial<Route>): string {
  const query = filter === '' ? '' : `?q=${encodeURIComponent(filter)}`;
  return `#/${view}${item === '' ? '' : `/${encodeURIComponent(item)}`}${query}`;
}

/** Goes there. What is typed into a filter makes no history. */
export function go(place: Partial<Route>, { replace = false } = {}): void {
  const href = hrefOf(place);
  if (href === location.hash) return;
  if (replace) {
    history.replaceState(null, '', href);
    route.value = read();
  } else location.hash = href;
}

/** The filter of the address, for a view whose filter links set. */
export const filter = {
  get value(): string {
    return route.value.filter;
  },
  set value(text: string) {
    go({ item: route.value.item, filter: text }, { replace: true });
  },
};

interface KeyBinding {
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
