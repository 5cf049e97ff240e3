// An id, leading to the view that shows it.

import { hrefOf } from '../route.js';

const viewOf: Partial<Record<string, string>> = {
  container: 'containers',
  agent: 'hosted-agents',
  job: 'jobs',
};

export function SubjectLink({ kind, id }: { kind: string; id: string }) {
  const view = viewOf[kind];
  return view === undefined ? <code>{id}</code> : <a href={hrefOf({ view, item: id })}>{id}</a>;
}

const kinds: Partial<Record<string, string>> = { containers: 'container', hostedAgents: 'agent', jobs: 'job' };

/** The kind of what a request of an operation concerns, as far as a view shows it. */
export function kindOfSubject(operation: string | null): string {
  return kinds[operation?.split('.')[0] ?? ''] ?? '';
}
