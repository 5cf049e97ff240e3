// Not creating twice because an answer got lost.

import { expect, it } from 'vitest';
import { noDuplicateCreate } from '../../../src/modules/verdicts/duplicate-create.js';
import { creation, failure, judgedBy, type Timeline, timeline } from '../../support/records.js';

const judge = ({ records }: Timeline) => judgedBy(noDuplicateCreate, records);
const lost = { outcome: 'lost', status: 0, fault: 'f1' } as const;

it('is not exercised while no response to a creation is lost', () => {
  const journal = timeline();
  journal.request(creation());
  journal.request(creation());
  journal.request({ ...lost });
  expect(judge(journal).verdict).toBe('not-exercised');
});

it('fails one that sends it again without looking', () => {
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
])('passes one that %s in between', (_, fields) => {
  const journal = timeline();
  journal.request(creation(lost));
  journal.request(fields);
  journal.request(creation());
  expect(judge(journal).verdict).toBe('pass');
});

it('fails one that only looked at something else', () => {
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

it('passes one that does not send it again, or creates something else', () => {
  const journal = timeline();
  journal.request(creation(lost));
  expect(judge(journal).verdict).toBe('pass');
  journal.request(creation({ requestBodyHash: 'other' }));
  journal.request({ ...creation(), operation: 'agents.create', path: '/api/v1/app/agents' });
  expect(judge(journal).verdict).toBe('pass');
});

it('wants a look that showed something', () => {
  const journal = timeline();
  journal.request(creation(lost));
  journal.request(failure());
  journal.request({ ...lost });
  journal.request(creation());
  expect(judge(journal).verdict).toBe('fail');
});

it('wants a look after each lost answer', () => {
  const journal = timeline();
  journal.request(creation(lost));
  journal.request();
  journal.request(creation(lost));
  journal.request(creation(lost));
  expect(judge(journal)).toMatchObject({ verdict: 'fail', evidence: [{ requestId: 'req_4' }] });
});

it('counts an error that stands in for the answer to a creation, but not one that came instead of it', () => {
  const after = timeline();
  after.request(creation({ ...lost, status: 500 }));
  after.request(creation());
  expect(judge(after).verdict).toBe('fail');
  const before = timeline();
  before.request(creation({ status: 500, fault: 'f1' }));
  before.request(creation());
  expect(judge(before).verdict).toBe('not-exercised');
});

it('takes requests that ran side by side, and another caller’s, for no repetition', () => {
  const journal = timeline();
  journal.together(creation({ ...lost, durationMs: 300 }), creation());
  journal.request(creation({ caller: 'key:two' }));
  expect(judge(journal).verdict).toBe('pass');
});

it('leaves out what exists only in its answer', () => {
  const journal = timeline();
  for (const operation of ['chat.completions', 'embeddings.create', 'responses.create', 'voice.tts']) {
    journal.request({ ...lost, method: 'POST', operation });
    journal.request({ method: 'POST', operation });
  }
  expect(judge(journal).verdict).toBe('not-exercised');
});

it('compares nothing across a reset', () => {
  const journal = timeline();
  journal.request(creation(lost));
  journal.mark('reset');
  journal.request(creation());
  expect(judge(journal).verdict).toBe('pass');
});
