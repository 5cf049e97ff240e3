// The controls of a world as calls of control operations: the same methods, over HTTP or in this process.

import { isTree } from '../../core/tree.js';
import type { WorldInfo, WorldRequest } from '../../modules/worlds/controls.js';
import type { Controls } from '../controls.js';
import type { Caller } from './call.js';
import { documentOf, optionsOf } from './options.js';

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

/** Each method calls the control operation of the same name. */
export function createRemoteControls({ call, events }: Caller): RemoteControls {
  type Params = Record<string, unknown>;
  const get = <Result>(path: string, query?: object, params?: Params): Promise<Result> =>
    call('GET', path, { query, params });
  const post = <Result>(path: string, body: unknown = {}, params?: Params): Promise<Result> =>
    call('POST', path, { body, params });
  const remove = <Result>(path: string, params?: Params): Promise<Result> => call('DELETE', path, { params });

  return {
    health: () => get('/health'),
    config: () => get('/config'),
    assumptions: () => get('/assumptions'),
    failures: () => get('/failures'),
    await: async (request, options) =>
      call('POST', '/await', { body: request ?? {}, signal: optionsOf(options, ['signal']).signal }),
    reset: (request) => post('/reset', request),
    verdicts: (options) => get('/verdicts', options),
    coverage: (options) => get('/coverage', options),
    ledger: (options) => get('/ledger', options),
    timeline: (query) => get('/timeline', query),
    events: (options) => events('/events', { signal: optionsOf(options, ['signal']).signal }),
    clock: {
      get: () => get('/clock'),
      advance: (target) => post('/clock/advance', typeof target === 'object' ? target : { by: target }),
      freeze: () => post('/clock/freeze'),
      resume: (options) => post('/clock/resume', options),
      skew: (options) => post('/clock/skew', options),
    },
    containers: {
      list: () => get('/containers'),
      get: (id) => get('/containers/{id}', undefined, { id }),
      inspect: (id, options) => get('/containers/{id}/inspect', options, { id }),
      fail: (id, options) => post('/containers/{id}/fail', options, { id }),
      crash: (id) => post('/containers/{id}/crash', undefined, { id }),
      stop: (id) => post('/containers/{id}/stop', undefined, { id }),
      recover: (id) => post('/containers/{id}/recover', undefined, { id }),
      skip: (id, options) => post('/containers/{id}/skip', options, { id }),
    },
    images: {
      list: () => get('/images'),
      get: (image) => get('/images/{image}', undefined, { image }),
      make: (request) => post('/images', request),
      remove: (image) => remove('/images/{image}', { image }),
    },
    organizations: {
      list: () => get('/organizations'),
      create: (request) => post('/organizations', request),
      credits: (id, change) => post('/organizations/{id}/credits', change, { id }),
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
      revoke: (id) => remove('/sessions/{id}', { id }),
    },
    voices: {
      list: () => get('/voices'),
    },
    jobs: {
      list: () => get('/jobs'),
      get: (id) => get('/jobs/{id}', undefined, { id }),
      finish: (id) => post('/jobs/{id}/finish', undefined, { id }),
      fail: (id, options) => post('/jobs/{id}/fail', options, { id }),
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
      check: (request) => call('POST', '/faults', { query: { dryRun: true }, body: request ?? {} }),
      list: () => get('/faults'),
      get: (id) => get('/faults/{id}', undefined, { id }),
      neverFired: () => get('/faults/never-fired'),
      remove: (id) => remove('/faults/{id}', { id }),
      clear: () => remove('/faults'),
    },
    replies: {
      list: () => get('/replies'),
      add: (request) => post('/replies', request),
      clear: () => remove('/replies'),
    },
    requests: {
      list: (filter) => get('/requests', filter),
      get: (id) => get('/requests/{id}', undefined, { id }),
      follow: (options) => {
        const { since, after, signal } = optionsOf(options, ['since', 'after', 'signal']);
        return events('/requests/stream', { query: { since }, after, signal });
      },
      clear: () => remove('/requests'),
    },
    scenarios: {
      list: () => get('/scenarios'),
      get: (name) => get('/scenarios/{name}', undefined, { name }),
      apply: async (which, options) =>
        typeof which === 'string'
          ? post('/scenarios/{name}', options, { name: which })
          : post('/scenarios', { ...documentOf(which), ...optionsOf(options, ['merge']) }),
      save: (request) => {
        const { name, ...texts } = isTree(request) ? request : { name: undefined };
        return post('/scenarios/{name}/save', texts, { name });
      },
      expectations: () => get('/expectations'),
    },
    snapshots: {
      list: () => get('/snapshots'),
      take: (request) => post('/snapshots', request),
      restore: (name) => post('/snapshots/{name}/restore', undefined, { name }),
      export: (name, options) => get('/snapshots/{name}/export', options, { name }),
      import: (document) => post('/snapshots/import', document),
      remove: (name) => remove('/snapshots/{name}', { name }),
    },
    worlds: {
      list: () => get('/worlds'),
      create: (request) => post('/worlds', request),
      drop: (id) => remove('/worlds/{id}', { id }),
    },
  };
}
