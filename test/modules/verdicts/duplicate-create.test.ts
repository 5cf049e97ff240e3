// Not creating twice because an answer got lost.

import { expect, it } from 'vitest';
import { noDuplicateCreate } from '../../../src/modules/verdicts/duplicate-create.js';
import { creation, failure, judgedBy, type Timeline, timeline } from '../../support/records.js';

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

it('no-duplicate-create fails a client that only read something else', () => {
  const asked = { requestBody: '{"name":"Mine","project_name":"mine"}' };
  for (const [name, verdict] of [
    ['other', 'fail'],
    ['mine', 'pass'],
  ]) {
    const journal = timeline();
    journal.request(creation({ ...lost, ...asked }));
    const responseBody = `{"success":true,"data":{"id":"c1","name":"Mine","project_name":"${name}"}}`;
    journal.request({ operation: 'containers.get', subject: 'c1', responseBody });
    journal.request(creation(asked));
    expect(judge(journal).verdict).toBe(verdict);
  }
});

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
  for (const operation of ['chat.completions', 'embeddings.create', 'responses.create', 'voice.tts']) {
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
