// The place within the dashboard: #/<view>/<item>?<filter>.

import { signal } from '@preact/signals';

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
