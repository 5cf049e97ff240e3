// The controls of a world over HTTP: the same methods, each a call of its door.

import type { Controls } from '../controls/controls.js';
import type { WorldInfo, WorldRequest } from '../controls/worlds.js';
import type { Caller } from './call.js';

type Remote<Part> = Part extends (...args: infer Input) => infer Result
  ? Result extends Promise<unknown> | AsyncIterable<unknown>
    ? Part
    : (...args: Input) => Promise<Result>
  : { [Name in keyof Part]: Remote<Part[Name]> };

/** What `emulator.controls` has in process, with every answer a promise. Errors are the same. */
export type RemoteControls = Remote<Omit<Controls, 'worlds'>> & {
  /** Worlds beside each other. */
  worlds: {
    /** All worlds, `default` first. */
    list: () => Promise<WorldInfo[]>;
    /** Makes a world. `createWorld` does the same, and returns it with its controls. */
    create: (request?: WorldRequest) => Promise<WorldInfo>;
    /** Ends a world with everything in it. */
    drop: (id: string) => Promise<{ dropped: string }>;
  };
};

/** Each method calls the door that calls the method of the same name. */
export function createRemoteControls({ call, events }: Caller): RemoteControls {
  const get = <Result>(path: string, query?: object): Promise<Result> =>
    call('GET', path, { query: query as Record<string, unknown> | undefined });
  const post = <Result>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<Result> =>
    call('POST', path, { body, signal });
  const remove = <Result>(path: string): Promise<Result> => call('DELETE', path);
  const of = (list: string, name: string, act?: string): string =>
    `/${list}/${encodeURIComponent(name)}${act === undefined ? '' : `/${act}`}`;

  return {
    health: () => get('/health'),
    config: () => get('/config'),
    assumptions: () => get('/assumptions'),
    failures: () => get('/failures'),
    await: (request, { signal } = {}) => post('/await', request, signal),
    reset: (request) => post('/reset', request),
    verdicts: (options) => get('/verdicts', options),
    coverage: (options) => get('/coverage', options),
    ledger: (options) => get('/ledger', options),
    events: ({ signal } = {}) => events('/events', { signal }),
    clock: {
      get: () => get('/clock'),
      advance: (target) => post('/clock/advance', typeof target === 'object' ? target : { by: target }),
      freeze: () => post('/clock/freeze'),
      resume: (options) => post('/clock/resume', options),
      skew: (options) => post('/clock/skew', options),
    },
    containers: {
      list: () => get('/containers'),
      get: (id) => get(of('containers', id)),
      fail: (id, options) => post(of('containers', id, 'fail'), options),
      crash: (id) => post(of('containers', id, 'crash')),
      stop: (id) => post(of('containers', id, 'stop')),
      recover: (id) => post(of('containers', id, 'recover')),
      skip: (id, options) => post(of('containers', id, 'skip'), options),
    },
    images: {
      list: () => get('/images'),
      get: (image) => get(of('images', image)),
      make: (request) => post('/images', request),
      remove: (image) => remove(of('images', image)),
    },
    organizations: {
      list: () => get('/organizations'),
      create: (request) => post('/organizations', request),
      credits: (id, change) => post(of('organizations', id, 'credits'), change),
    },
    keys: {
      list: () => get('/keys'),
      create: (request) => post('/keys', request),
    },
    users: {
      list: () => get('/users'),
      create: (request) => post('/users', request),
    },
    sessions: {
      list: () => get('/sessions'),
      create: (request) => post('/sessions', request),
      revoke: (id) => remove(of('sessions', id)),
    },
    voices: {
      list: () => get('/voices'),
    },
    jobs: {
      list: () => get('/jobs'),
      get: (id) => get(of('jobs', id)),
      finish: (id) => post(of('jobs', id, 'finish')),
      fail: (id, options) => post(of('jobs', id, 'fail'), options),
    },
    wallets: {
      list: () => get('/wallets'),
      create: (request) => post('/wallets', request),
    },
    payments: {
      list: () => get('/payments'),
      failNextSettlement: (reason = 'invalid_transaction_state') => post('/payments', { failNext: reason }),
      balances: () => get('/payments/balances'),
      setBalance: (request) => post('/payments/balances', request),
    },
    limits: {
      list: () => get('/limits'),
      set: (request) => post('/limits', request),
      exhaust: (request) => post('/limits/exhaust', request),
      release: () => remove('/limits'),
    },
    faults: {
      add: (request) => post('/faults', request),
      check: (request) => call('POST', '/faults', { query: { dryRun: true }, body: request }),
      list: () => get('/faults'),
      get: (id) => get(of('faults', id)),
      neverFired: () => get('/faults/never-fired'),
      remove: (id) => remove(of('faults', id)),
      clear: () => remove('/faults'),
    },
    replies: {
      list: () => get('/replies'),
      add: (request) => post('/replies', request),
      clear: () => remove('/replies'),
    },
    requests: {
      list: (filter) => get('/requests', filter),
      get: (id) => get(of('requests', id)),
      follow: ({ since, after, signal } = {}) =>
        events('/requests/stream', {
          query: { since },
          headers: after === undefined ? {} : { 'last-event-id': String(after) },
          signal,
        }),
      clear: () => remove('/requests'),
    },
    scenarios: {
      list: () => get('/scenarios'),
      get: (name) => get(of('scenarios', name)),
      apply: (which, options) =>
        typeof which === 'string'
          ? post(of('scenarios', which), options)
          : post('/scenarios', { ...which, ...options }),
      save: ({ name, ...texts }) => post(of('scenarios', name, 'save'), texts),
      expectations: () => get('/expectations'),
    },
    snapshots: {
      list: () => get('/snapshots'),
      take: (request) => post('/snapshots', request),
      restore: (name) => post(of('snapshots', name, 'restore')),
      export: (name, options) => get(of('snapshots', name, 'export'), options),
      import: (document) => post('/snapshots/import', document),
      remove: (name) => remove(of('snapshots', name)),
    },
    worlds: {
      list: () => get('/worlds'),
      create: (request) => post('/worlds', request),
      drop: (id) => remove(of('worlds', id)),
    },
  };
}
