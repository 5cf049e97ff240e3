// Not polling on when the end was told.

import { expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/tools/journal/journal-entry.js';
import { quietAfterEnd } from '../../../src/tools/verdicts/quiet-after-end.js';
import { creation, judgedBy, listing, look, start, type Timeline, timeline } from '../../support/records.js';

const judge = ({ records }: Timeline) => judgedBy(quietAfterEnd, records);
const gone = look('', { status: 404, errorCode: 'NOT_FOUND', responseBody: null });
const deletion: Partial<JournalEntry> = {
  ...look(''),
  method: 'DELETE',
  operation: 'containers.delete',
  responseBody: null,
};

function polled(...requests: Partial<JournalEntry>[]): Timeline {
  const journal = timeline();
  for (const request of requests) {
    journal.request(request);
    journal.wait(10_000);
  }
  return journal;
}

it('quiet-after-end is not exercised while nothing ends', () => {
  expect(judge(polled(creation(), look('pending'), look('running'), look('running'))).verdict).toBe('not-exercised');
});

it('quiet-after-end does not say that nothing has failed where only the list of containers showed it', () => {
  const list = { ...look(''), operation: 'containers.list', subject: null, responseBody: null };
  const { summary } = judge(polled(creation(), list, list));
  expect(summary).toMatch(/^No GET of a container, hosted agent or job showed that it had ended, /);
});

it.each([
  ['failed', look('failed')],
  ['stopped', look('stopped')],
  ['deleted', deletion],
  ['not there', gone],
])('quiet-after-end passes two further polls of a container that is %s, and fails a third', (_, end) => {
  const vain = end === deletion || end === gone ? gone : end;
  expect(judge(polled(creation(), end, vain, vain)).verdict).toBe('pass');
  expect(judge(polled(creation(), end, vain, vain, vain))).toMatchObject({
    verdict: 'fail',
    evidence: [
      {
        requestId: 'req_5',
        message: expect.stringMatching(/^still polls, although req_2 reported that the container /),
      },
    ],
  });
});

it('quiet-after-end passes polls of a container that runs again', () => {
  const failed = look('failed');
  const runs = look('running');
  expect(judge(polled(failed, failed, runs, runs, runs, runs)).verdict).toBe('pass');
  expect(
    judge(polled(failed, failed, failed, creation(), look('pending'), look('pending'), look('pending'))).verdict,
  ).toBe('pass');
});

it('quiet-after-end passes a client that watches a deletion, and one that checks whether it worked', () => {
  const deleting = look('deleting');
  expect(judge(polled(deletion, deleting, deleting, deleting, deleting, gone)).verdict).toBe('pass');
  expect(judge(polled(look('failed'), look('failed'), look('failed'), deletion, gone, gone)).verdict).toBe('pass');
});

it('quiet-after-end passes a client that reads the log of what has failed', () => {
  const logs = { ...look(''), operation: 'containers.logs' };
  expect(judge(polled(look('failed'), logs, logs, logs, logs)).verdict).toBe('pass');
});

it('quiet-after-end does not count polls that were on their way, or whose end was reported to nobody', () => {
  const journal = timeline();
  journal.together(...Array.from({ length: 5 }, () => look('failed', { durationMs: 100 })));
  expect(judge(journal).verdict).toBe('pass');
  const lost = look('failed', { outcome: 'lost' });
  expect(judge(polled(lost, lost, lost, lost)).verdict).toBe('not-exercised');
});

it('quiet-after-end keeps containers and callers apart, and forgets at a reset', () => {
  const journal = timeline();
  for (const subject of ['c1', 'c2', 'c3', 'c4']) journal.request(look('failed', { subject }));
  for (const caller of ['key:1', 'key:2', 'key:3', 'key:4']) journal.request(look('failed', { caller }));
  expect(judge(journal).verdict).toBe('pass');
  const cut = timeline();
  for (let i = 0; i < 6; i++) {
    cut.request(look('failed'));
    if (i % 2 === 1) cut.mark('reset');
  }
  expect(judge(cut).verdict).toBe('pass');
});

it.each([
  ['job', 'jobs.get', 'completed', 'has completed'],
  ['job', 'jobs.get', 'failed', 'has failed'],
  ['hosted agent', 'hostedAgents.get', 'error', 'is in error'],
])('quiet-after-end judges polls of a %s by %s that shows %s', (noun, operation, status, words) => {
  const poll = (shown: string) => ({ ...look(shown), operation, path: '/polled' });
  const open = poll(noun === 'job' ? 'in_progress' : 'provisioning');
  const over = poll(status);
  expect(judge(polled(open, open, open, open, over, over, over)).verdict).toBe('pass');
  expect(judge(polled(open, over, over, over, over))).toMatchObject({
    verdict: 'fail',
    evidence: [{ requestId: 'req_5', message: `still polls, although req_2 reported that the ${noun} ${words}` }],
  });
});

it('quiet-after-end passes polls of a hosted agent that is provisioned again', () => {
  const agent = (status: string) => ({ ...look(status), operation: 'hostedAgents.get' });
  const again = { ...agent('pending'), method: 'POST', operation: 'hostedAgents.provision', status: 202 };
  const [over, open] = [agent('error'), agent('provisioning')];
  expect(judge(polled(over, over, over, again, open, open, open, open)).verdict).toBe('pass');
});

it('quiet-after-end judges polls by the list of what the client has begun', () => {
  const [open, over] = [listing('building'), listing('failed')];
  expect(judge(polled(creation(), open, open, open, over, over, over)).verdict).toBe('pass');
  expect(judge(polled(creation(), open, over, over, over, over))).toMatchObject({
    verdict: 'fail',
    evidence: [{ requestId: 'req_6', message: 'still polls, although req_3 reported that the container has failed' }],
  });
});

it.each([
  ['of what others have begun', [listing('failed')]],
  ['that shows something else under way', [creation({ subject: 'c0' }), creation(), listing('building')]],
  ['after another change', [creation(), listing('failed'), { method: 'POST', operation: 'keys.create' }]],
  ['of what runs', [creation(), listing('running')]],
])('quiet-after-end lets pass a client that reads a list %s', (_, before) => {
  const shown = before.length === 3 && before[2]?.method === undefined ? listing('building') : listing('failed');
  const last = before.at(-1)?.responseBody === listing('running').responseBody ? listing('running') : shown;
  expect(judge(polled(...before, last, last, last)).verdict).not.toBe('fail');
  expect(judge(polled(...before, last, last, last)).verdict).not.toBe('unclear');
});

it.each([
  ['two connections of a pool', (n: number) => ({ number: 1 + (n % 2), openedAt: start - 5, others: 4, earlier: 0 })],
  ['a connection for each', (n: number) => ({ number: n, openedAt: start, others: 0, earlier: 0 })],
])('quiet-after-end knows a client by its equal waits, by %s', (_, connectionOf) => {
  const journal = timeline();
  for (let n = 0; n < 6; n++) {
    journal.request(look('failed', { connection: connectionOf(n) }));
    journal.wait(100);
  }
  expect(judge(journal)).toMatchObject({ verdict: 'fail', evidence: [{}, {}, {}] });
});
