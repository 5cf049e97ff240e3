// Not creating twice because an answer got lost.

import { expect, it } from 'vitest';
import { noDuplicateCreate } from '../../../src/tools/verdicts/duplicate-create.js';
import { creation, failure, judgedBy, start, type Timeline, timeline } from '../../support/records.js';

const judge = ({ records }: Timeline) => judgedBy(noDuplicateCreate, records);
const lost = { outcome: 'lost', status: 0, fault: 'f1' } as const;

it('no-duplicate-create is not exercised while no response to a creation is lost', () => {
  const journal = timeline();
  journal.request(creation());
  journal.request(creation());
  journal.request({ ...lost });
  expect(judge(journal).verdict).toBe('not-exercised');
});

it('no-duplicate-create fails a client that sends it again without a GET', () => {
  const journal = timeline();
  journal.request(creation(lost));
  journal.request({ operation: 'agents.list', path: '/api/my-agents/characters' });
  const again = journal.request(creation());
  expect(judge(journal)).toMatchObject({
    verdict: 'fail',
    evidence: [{ requestId: again.requestId, message: expect.stringContaining('req_1') }],
  });
});

it.each([
  ['lists', { operation: 'containers.list' }],
  ['gets it', { operation: 'containers.get', subject: 'c1' }],
  ['looks at what was charged', { operation: 'account.transactions' }],
])('no-duplicate-create passes a client that %s in between', (_, fields) => {
  const journal = timeline();
  journal.request(creation(lost));
  journal.request(fields);
  journal.request(creation());
  expect(judge(journal).verdict).toBe('pass');
});

const asked = { requestBody: '{"name":"Mine","project_name":"mine","port":80}' };
const there = { ...lost, ...asked, happened: true } as const;
const shown = (status: string, fields: object = {}) => ({
  id: 'c1',
  name: 'Mine',
  project_name: 'mine',
  status,
  ...fields,
});
const read = (operation: string, data: unknown) => ({
  operation,
  responseBody: JSON.stringify({ success: true, data }),
});

it.each([
  ['gets something else', read('containers.get', shown('running', { id: 'c2', project_name: 'other' })), 'fail'],
  ['gets it, and it runs', read('containers.get', shown('running')), 'fail'],
  ['gets it, and it has failed', read('containers.get', shown('failed')), 'pass'],
  ['lists it', read('containers.list', [shown('building')]), 'fail'],
  ['lists it among others', read('containers.list', [shown('running', { id: 'c0' }), shown('running')]), 'fail'],
  ['lists it, and it has failed', read('containers.list', [shown('failed')]), 'pass'],
  ['gets a list without it', read('containers.list', []), 'pass'],
  [
    'gets a list that the journal cut off before it',
    { operation: 'containers.list', responseBody: '[{"id":"c0",' },
    'pass',
  ],
  [
    'gets a list that the journal cut off behind it',
    { operation: 'containers.list', responseBody: '[{"id":"c1","project_name":"mine",' },
    'fail',
  ],
  ['deletes it', { method: 'DELETE', operation: 'containers.delete', subject: 'c1' }, 'pass'],
  ['reads the balance', read('account.balance', { balance: 5 }), 'fail'],
  ['reads the summary', read('account.summary', { balance: 5 }), 'fail'],
  ['reads what was charged, which it was', read('account.transactions', []), 'fail'],
] as const)('no-duplicate-create judges a client that %s and creates it again', (_, between, verdict) => {
  const journal = timeline();
  journal.request(creation(there));
  journal.request(between);
  journal.request(creation({ ...asked, subject: 'c2' }));
  expect(judge(journal).verdict).toBe(verdict);
});

it('no-duplicate-create lets a list clear what never was, whatever else has its name', () => {
  const journal = timeline();
  journal.request(creation({ ...lost, ...asked, subject: null }));
  journal.request(read('containers.list', [shown('running')]));
  journal.request(creation(asked));
  expect(judge(journal).verdict).toBe('pass');
});

it.each([
  ['mine-2', {}, 'fail'],
  ['mine-retry', {}, 'fail'],
  ['mine-1719400002', {}, 'fail'],
  ['mine-admin', {}, 'pass'],
  ['mall', {}, 'pass'],
  ['mine-2', { port: 8080 }, 'pass'],
] as const)('no-duplicate-create judges a client that creates it again as %s, with %o', (name, other, verdict) => {
  const body = { name: 'Mine', project_name: name, port: 80, ...other };
  const again = { requestBody: JSON.stringify(body), requestBodyHash: name, subject: 'c2' };
  const journal = timeline();
  journal.request(creation(there));
  journal.request(creation(again));
  expect(judge(journal).verdict).toBe(verdict);
  journal.request({ method: 'DELETE', operation: 'containers.delete', subject: 'c2' });
  expect(judge(journal).verdict, 'one of both is gone').toBe('pass');
});

it('no-duplicate-create sees a client that gives up and creates again before that is noticed', () => {
  for (const [openedMs, begunMs, verdict] of [
    [-8, -5, 'fail'],
    [-8, 3, 'fail'],
    [-400, -395, 'pass'],
  ] as const) {
    const journal = timeline();
    const first = journal.request(
      creation({
        outcome: 'aborted',
        status: 0,
        fault: 'f1',
        durationMs: 1_000,
        connection: { number: 1, openedAt: start - 5, others: 0 },
      }),
    );
    const wall = first.wall + 1_000 + begunMs;
    const connection = { number: 2, openedAt: first.wall + 1_000 + openedMs, others: 1 };
    journal.records.push({ ...journal.request(creation({ connection })), wall, at: wall });
    journal.records.splice(1, 1);
    expect(judge(journal).verdict).toBe(verdict);
  }
});

it.each([
  ['had taken effect', true, 'fail'],
  ['had not', undefined, 'not-exercised'],
] as const)(
  'no-duplicate-create judges a creation that was given up while it was served, which %s',
  (_, happened, verdict) => {
    const journal = timeline();
    const given = { outcome: 'aborted' as const, status: 0, durationMs: 1_000 };
    journal.request(creation({ ...given, ...(happened && { happened }) }));
    journal.request(creation());
    expect(judge(journal).verdict).toBe(verdict);
    const checked = timeline();
    checked.request(creation({ ...given, ...(happened && { happened }) }));
    checked.request({ responseBody: '{"success":true,"data":[]}' });
    checked.request(creation());
    expect(judge(checked).verdict).not.toBe('fail');
  },
);

it('no-duplicate-create passes a client that does not send it again, or creates something else', () => {
  const journal = timeline();
  journal.request(creation(lost));
  expect(judge(journal).verdict).toBe('pass');
  journal.request(creation({ requestBodyHash: 'other' }));
  journal.request({ ...creation(), operation: 'agents.create', path: '/api/v1/app/agents' });
  expect(judge(journal).verdict).toBe('pass');
});

it('no-duplicate-create wants a GET that showed something', () => {
  const journal = timeline();
  journal.request(creation(lost));
  journal.request(failure());
  journal.request({ ...lost });
  journal.request(creation());
  expect(judge(journal).verdict).toBe('fail');
});

it('no-duplicate-create wants a GET after each lost response', () => {
  const journal = timeline();
  journal.request(creation(lost));
  journal.request();
  journal.request(creation(lost));
  journal.request(creation(lost));
  expect(judge(journal)).toMatchObject({ verdict: 'fail', evidence: [{ requestId: 'req_4' }] });
});

it('no-duplicate-create counts an error in place of the response to a creation, but not one that came instead of it', () => {
  const after = timeline();
  after.request(creation({ ...lost, status: 500 }));
  after.request(creation());
  expect(judge(after).verdict).toBe('fail');
  const before = timeline();
  before.request(creation({ status: 500, fault: 'f1' }));
  before.request(creation());
  expect(judge(before).verdict).toBe('not-exercised');
});

it('no-duplicate-create takes requests that ran side by side, and another caller’s, for no repetition', () => {
  const journal = timeline();
  journal.together(creation({ ...lost, durationMs: 300 }), creation());
  journal.request(creation({ caller: 'key:two' }));
  expect(judge(journal).verdict).toBe('pass');
});

it('no-duplicate-create leaves out what exists only in its response', () => {
  const journal = timeline();
  for (const operation of [
    'chat.completions',
    'embeddings.create',
    'messages.create',
    'responses.create',
    'voice.tts',
  ]) {
    journal.request({ ...lost, method: 'POST', operation });
    journal.request({ method: 'POST', operation });
  }
  expect(judge(journal).verdict).toBe('not-exercised');
});

it('no-duplicate-create compares nothing across a reset', () => {
  const journal = timeline();
  journal.request(creation(lost));
  journal.mark('reset');
  journal.request(creation());
  expect(judge(journal).verdict).toBe('pass');
});

const topUp = (fields: object = {}) => ({
  operation: 'topup.create',
  method: 'POST',
  path: '/api/v1/topup/10',
  ...fields,
});

it.each([
  ['asks again for the price', [topUp({ ...lost }), topUp({ status: 402 })], 'not-exercised'],
  ['sends the same payment again', [topUp({ ...lost, paymentHash: 'a' }), topUp({ paymentHash: 'a' })], 'pass'],
  ['signs another payment', [topUp({ ...lost, paymentHash: 'a' }), topUp({ paymentHash: 'b' })], 'fail'],
] as const)('no-duplicate-create: a client that %s after a lost response to a payment', (_, sent, verdict) => {
  const journal = timeline();
  for (const one of sent) journal.request(one);
  expect(judge(journal).verdict).toBe(verdict);
});

it('no-duplicate-create knows a hosted agent by its agentName', () => {
  const operation = 'hostedAgents.create';
  const body = (more: object) => ({ operation, requestBody: JSON.stringify({ agentName: 'Support', ...more }) });
  const begun = (list: readonly object[], more: object) => {
    const journal = timeline();
    journal.request({ ...lost, ...body({ alwaysOn: true }), happened: true });
    journal.request(read('hostedAgents.list', list));
    journal.request(body(more));
    return judge(journal).verdict;
  };
  const agent = (status: string) => ({ id: 'a1', agentName: 'Support', status });
  expect(begun([agent('provisioning')], { alwaysOn: true, agentConfig: {} })).toBe('fail');
  expect(begun([agent('error')], { alwaysOn: true, agentConfig: {} })).toBe('pass');
  expect(begun([], { alwaysOn: true })).toBe('pass');
});
