// Worlds as an exploration sees them, made of a few requests.

import type { Try } from '../../src/tools/explore/fault-kinds.js';
import { type Point, pointsOf } from '../../src/tools/explore/points.js';
import { ruleText, type SeenRequest, type SeenWorld } from '../../src/tools/explore/seen.js';
import type { Holding } from '../../src/tools/scenarios/holdings-store.js';

export type Sent = Partial<SeenRequest> & { operation: string };

export function seen(label: string, sent: readonly Sent[], facts: Partial<SeenWorld> = {}): SeenWorld {
  const requests = sent.map(
    (one, index): SeenRequest => ({
      method: /\.(create|delete)$/.test(one.operation) ? 'POST' : 'GET',
      path: `/${one.operation}`,
      status: 200,
      errorCode: null,
      fault: null,
      happened: (one.status ?? 200) >= 200 && (one.status ?? 200) < 400,
      isStream: false,
      events: 0,
      caller: 'key 1',
      keyId: null,
      shape: '',
      content: one.operation,
      at: index * 10,
      durationMs: 1,
      retryAfter: null,
      ...one,
    }),
  );
  return {
    label,
    test: null,
    requests,
    from: 0,
    to: requests.length * 10,
    total: requests.length,
    charged: 0,
    returned: 0,
    paid: 0,
    holdings: [],
    hasDeployed: true,
    failed: [],
    unmet: [],
    rules: [],
    neverMet: {},
    ...facts,
  };
}

export const declared = (operation: string) => ({
  writes: /\.(create|update|publish|delete)$/.test(operation),
  isPaid: operation === 'containers.create',
  changes: /\.(update|publish|delete)$/.test(operation),
});

export function pointsIn(...worlds: SeenWorld[]): Point[] {
  return pointsOf(worlds, worlds, declared).points;
}

/** The rule of a try as one that has fired. */
export function fired(rule: { match: object; when: object; phase: string; effect: object } | undefined) {
  return rule === undefined ? [] : [{ id: 'fault_1', hits: 1, text: ruleText(rule) }];
}

export function found<Kind extends string>(tries: readonly Try[], id: Kind): Try {
  const one = tries.find(({ kind }) => kind.id === id);
  if (one === undefined) throw new Error(`There is no try ${id}`);
  return one;
}

/** Things of a kind that are there, by their names; a thing whose name ends with `!` is over. */
export function things(kind: Holding['kind'], ...names: string[]): Holding[] {
  return names.map((name) => ({ kind, id: `id-of-${name}`, name: name.replace('!', ''), isOver: name.endsWith('!') }));
}

/** The end of a run in which every test passed. */
export function passedRun(...labels: string[]) {
  const none = new Set<string>();
  return { exitCode: 0, isTimeout: false, output: '', open: none, stuck: none, labels, isAlone: true };
}
