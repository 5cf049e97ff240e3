// An id, leading to the view that shows it.

import { hrefOf } from '../route.js';

const viewOf: Partial<Record<string, string>> = { container: 'containers', job: 'voices' };

export function SubjectLink({ kind, id }: { kind: string; id: string }) {
  const view = viewOf[kind];
  return view === undefined ? <code>{id}</code> : <a href={hrefOf({ view, item: id })}>{id}</a>;
}
