// An id, leading to the view that shows it.

import { hrefOf } from '../route.js';

const places: Partial<Record<string, (id: string) => string>> = {
  container: (id) => hrefOf({ view: 'containers', item: id }),
  agent: (id) => hrefOf({ view: 'hosted-agents', item: `agents/${id}` }),
  job: (id) => hrefOf({ view: 'hosted-agents', item: `jobs/${id}` }),
};

export function SubjectLink({ kind, id }: { kind: string; id: string }) {
  const href = places[kind]?.(id);
  return href === undefined ? <code>{id}</code> : <a href={href}>{id}</a>;
}

const kinds: Partial<Record<string, string>> = { containers: 'container', hostedAgents: 'agent', jobs: 'job' };

/** The kind of what a request of an operation concerns, as far as a view shows it. */
export function kindOfSubject(operation: string | null): string {
  return kinds[operation?.split('.')[0] ?? ''] ?? '';
}
