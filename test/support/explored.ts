// The report of an exploration with a find, an accepted one, and one with the platform's error.

import type { ExploreReport } from '../../src/tools/explore/report.js';

const find: ExploreReport['finds'][number] = {
  name: 'deploys-containers.create-1-lost',
  grade: 'A',
  label: 'deploys',
  tests: ['deploys'],
  operation: 'containers.create',
  occurrence: 1,
  fault: 'lost',
  what: 'The first containers.create takes effect, but the response is lost',
  consequences: [
    { grade: 'A', kind: 'spent', says: 'It spent <1> credits.', advice: 'Look first, with `GET <x>`.', cost: 0.5 },
  ],
  also: ['cut (1)'],
  requests: [
    { method: 'POST', path: '/x', status: 0, errorCode: null, fault: 'fault_1', at: 0, operation: 'containers.create' },
    {
      ...{
        method: 'POST',
        path: '/x',
        status: 202,
        errorCode: null,
        fault: null,
        at: 7,
        operation: 'containers.create',
      },
      again: { same: ['project_name', 'image'], differs: ['name'] },
    },
  ],
  output: [],
  places: [],
  scenario: 'scenarios/found/deploys-containers.create-1-lost.json',
  known: null,
};
const accepted = { ...find, name: 'other', label: 'other', known: 'there is no way' };
const failed = { ...find, name: 'failed', grade: 'E' as const };

export const explored: ExploreReport = {
  command: ['npm', 'test'],
  seconds: 12.5,
  runs: 9,
  worlds: 2,
  requests: 3,
  points: 3,
  tried: 20,
  triedBefore: 0,
  merged: 4,
  unstable: [],
  finds: [find, accepted, failed],
  interrupted: false,
  unconfirmed: [],
  gone: ['mended'],
  flaky: [],
  notMet: ['deploys containers.get 1 503'],
  hints: ['1 fault did not act: no request came that they match.'],
  notTried: [],
  matrix: [{ operation: 'containers.create', faults: { lost: 'A', 503: 'ok' } }],
};
