// A world as an exploration sees it, made from the answers of its control operations.

import { expect, it } from 'vitest';
import { seenWorld, type WorldAnswers } from '../../../src/tools/explore/seen.js';
import { seededKeyName } from '../../../src/world/seeded.js';

type Entry = WorldAnswers['requests'][number];

// The fields that are read of one.
const entry = (requestId: string, more: Partial<Entry> = {}): Entry =>
  ({
    requestId,
    operation: 'agents.create',
    method: 'POST',
    path: '/api/v1/app/agents',
    query: '',
    status: 200,
    errorCode: null,
    fault: null,
    outcome: 'answered',
    caller: 'key:seeded',
    keyId: 'seeded',
    requestBody: null,
    requestBodyHash: null,
    wall: 0,
    durationMs: 1,
    retryAfter: null,
    ...more,
  }) as Entry;

const answers: WorldAnswers = {
  requests: [],
  streams: [],
  total: 0,
  ledger: [],
  payments: [],
  containers: [],
  holdings: [{ kind: 'key', id: 'seeded', name: seededKeyName, isOver: false }],
  verdicts: [],
  faults: [],
  operations: [],
  expectations: [],
};
const world = { id: 'a', label: null };

it('a request that is refused with 200 by a rule did not take effect', () => {
  const refusal = { id: 'fault_1', hits: 1, match: {}, when: {}, phase: 'before', effect: { status: 200 } };
  const requests = [entry('1'), entry('2', { fault: 'fault_1' })];
  const { requests: seen } = seenWorld(world, { ...answers, requests, faults: [refusal] });
  expect(seen.map(({ happened }) => happened)).toEqual([true, false]);
});

it('names the key of each request: ids follow from the seed, so a rule may name one that a client creates later', () => {
  const requests = [entry('1'), entry('2', { keyId: 'made-later' }), entry('3', { keyId: null })];
  const { requests: seen } = seenWorld(world, { ...answers, requests });
  expect(seen.map(({ keyId }) => keyId)).toEqual(['seeded', 'made-later', null]);
});

it('charges count in full, whatever was returned for deleting early', () => {
  const ledger = [
    { type: 'charge', amount: -0.5, reason: 'Deployment of web' },
    { type: 'refund', amount: 0.5, reason: 'Deployment deleted before it ended' },
    { type: 'charge', amount: -1, reason: 'Chat' },
    { type: 'refund', amount: 0.75, reason: 'Chat: not used' },
    { type: 'charge', amount: -0.5, reason: 'Deployment of api' },
    { type: 'refund', amount: 0.5, reason: 'Deployment failed' },
  ];
  expect(seenWorld(world, { ...answers, ledger })).toMatchObject({ charged: 1.25, returned: 0.5 });
});

it('reads show where their responses have a status and a URL, and a list that has only what the client has made', () => {
  const get = (responseBody: unknown) => entry('2', { method: 'GET', responseBody: JSON.stringify(responseBody) });
  const shownOf = (requests: Entry[]) => seenWorld(world, { ...answers, requests }).requests.at(-1)?.shown;
  const made = entry('1', { subject: 'c1' });
  const one = { id: 'c1', name: 'a', status: 'running', load_balancer_url: 'http://a' };
  expect(shownOf([made, get({ data: one })])).toEqual({ status: '/data/status', url: '/data/load_balancer_url' });
  expect(shownOf([made, get({ data: [one] })])).toMatchObject({ status: '/data/0/status', ownList: '/data' });
  expect(shownOf([get({ data: [one] })])).not.toHaveProperty('ownList');
  expect(shownOf([made, get({ data: [one, one] })])).not.toHaveProperty('ownList');
  expect(shownOf([{ ...made, outcome: 'lost' }, get({ data: [{ id: 'c1' }] })])).toBeUndefined();
  expect(shownOf([get({ 'a/b': { status: 'x' } })])).toEqual({ status: '/a~1b/status' });
  expect(shownOf([entry('1', { responseBody: '{"data":{"status":"x"}}' })])).toBeUndefined();
  expect(shownOf([entry('1', { method: 'GET', responseBody: '{"data":[{"status":"x' })])).toBeUndefined();
});

it('a request says which fields it has in common with the one before it to the same place', () => {
  const post = (id: string, body: string | null, query = '') =>
    entry(id, { requestBody: body, requestBodyHash: body, query });
  const requests = [
    post('1', '{"name":"web","tag":"v1"}'),
    post('2', '{"name":"web","tag":"v1"}'),
    post('3', '{"name":"web","port":{"a":1}}', 'page=2'),
    post('4', 'text'),
    entry('5', { path: '/elsewhere' }),
  ];
  const { requests: seen } = seenWorld(world, { ...answers, requests });
  expect(seen.map(({ again }) => again)).toEqual([
    undefined,
    { same: ['name', 'tag'], differs: [] },
    { same: ['name'], differs: ['?page', 'port', 'tag'] },
    { same: [], differs: ['body', '?page', 'name', 'port'] },
    undefined,
  ]);
});
