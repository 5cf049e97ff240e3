// The parts of a surface that requests have met.

import { expect, it } from 'vitest';
import { errorTable } from '../../../src/core/errors.js';
import { type CoverableEndpoint, cover } from '../../../src/tools/coverage/control.js';
import { entry } from '../../support/records.js';

const surface: CoverableEndpoint[] = [
  { id: 'things.get', method: 'GET', path: '/things/{id}', summary: 'A thing', errors: ['RATE_LIMITED', 'NOT_FOUND'] },
  { id: 'things.touch', method: 'GET', path: '/touch', summary: 'Touch', errors: ['RATE_LIMITED'] },
  { id: 'things.touch', method: 'POST', path: '/touch', summary: 'Touch', errors: ['RATE_LIMITED', 'INVALID_JSON'] },
];

it('the coverage report counts requests, statuses and errors, those that were forced apart', () => {
  const get = { operation: 'things.get' };
  const report = cover(
    [
      entry(get),
      entry(get),
      entry({ ...get, status: 404, errorCode: 'NOT_FOUND' }),
      entry({ ...get, status: 503, errorCode: 'SERVICE_UNAVAILABLE', fault: 'f1' }),
      entry({ ...get, status: 0, fault: 'f2', outcome: 'lost' }),
      entry({ operation: null, status: 404, errorCode: 'ROUTE_NOT_FOUND' }),
      entry({ operation: null, status: 501, errorCode: 'NOT_IMPLEMENTED', path: '/api/v1/apps/7' }),
      entry({ operation: null, status: 501, errorCode: 'NOT_IMPLEMENTED', path: '/api/v1/apps/8' }),
    ],
    surface,
  );
  expect(report.operations).toEqual([
    {
      operation: 'things.get',
      routes: ['GET /things/{id}'],
      summary: 'A thing',
      requests: 5,
      statuses: { 0: 1, 200: 2, 404: 1, 503: 1 },
      errors: [
        { code: 'NOT_FOUND', count: 1, forced: 0 },
        { code: 'SERVICE_UNAVAILABLE', count: 1, forced: 1 },
      ],
      neverMet: ['RATE_LIMITED'],
    },
    {
      operation: 'things.touch',
      routes: ['GET /touch', 'POST /touch'],
      summary: 'Touch',
      requests: 0,
      statuses: {},
      errors: [],
      neverMet: ['RATE_LIMITED', 'INVALID_JSON'],
    },
  ]);
  expect(report.unmatched).toBe(1);
  expect(report.notImplemented).toEqual([{ operation: 'GET /api/v1/apps/{id}', requests: 2 }]);
  expect(report.totals).toEqual({
    operations: { met: 1, all: 2 },
    errors: { met: 4, all: Object.keys(errorTable).length - 1 },
  });
  expect(report.errors).toContainEqual({ code: 'ROUTE_NOT_FOUND', status: 404, count: 1, forced: 0 });
  expect(report.errors).toContainEqual({ code: 'CONFLICT', status: 409, count: 0, forced: 0 });
});

it('the coverage report is empty without requests', () => {
  const { totals, unmatched } = cover([], surface);
  expect([totals.operations.met, totals.errors.met, unmatched]).toEqual([0, 0, 0]);
});
