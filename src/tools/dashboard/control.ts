// The control operation by which the dashboard hears that something has changed.

import { operation } from '../../control/operation.js';
import { type Change, followChanges } from './changes.js';

export const changeOperations = {
  /**
   * Reads which kinds of things change, with `for await`: at most ten times a second, three times while they do so without a
   * pause. It does not report what time alone does to things; `events` does, and reports each thing itself.
   *
   * @example for await (const { topics } of controls.changes()) if (topics.includes('container')) show();
   */
  changes: operation({
    id: 'control.changes',
    route: 'GET /changes',
    summary:
      'Stream which kinds of things change, at most ten times a second: requests, streams, containers, agents, jobs, clock …',
    extras: ['signal'],
    run: ({ world }, { signal }: { signal?: AbortSignal | undefined } = {}): AsyncIterable<Change> =>
      followChanges(world, signal),
  }),
};
