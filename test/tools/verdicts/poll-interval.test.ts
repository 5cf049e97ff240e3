// Polling no quicker than advised.

import { expect, it } from 'vitest';
import { pollIntervalObeyed } from '../../../src/tools/verdicts/poll-interval.js';
import { context, creation, judgedBy, look, type Timeline, timeline } from '../../support/records.js';

const judge = ({ records }: Timeline) =>
  judgedBy(pollIntervalObeyed, records, { ...context, pollingIntervalMs: 1_000 });

it('poll-interval-obeyed is not exercised by one poll, nor by polls of what runs', () => {
  const journal = timeline();
  journal.request(creation());
  journal.request(look('pending'));
  expect(judge(journal).verdict).toBe('not-exercised');
  journal.wait(10_000);
  journal.request(look('running'));
  for (let i = 0; i < 5; i++) journal.request(look('running'));
  expect(judge(journal).verdict).toBe('pass');
});

it('poll-interval-obeyed passes a client that waits as announced, the first poll at once', () => {
  const journal = timeline();
  journal.request(creation());
  journal.request(look('pending'));
  for (const status of ['building', 'deploying', 'running']) {
    journal.wait(10_000);
    journal.request(look(status));
  }
  expect(judge(journal)).toMatchObject({
    verdict: 'pass',
    summary: '3 repeated polls of what was in progress, none too early.',
  });
});

it('poll-interval-obeyed fails a client that polls each 100 ms', () => {
  const journal = timeline();
  journal.request(creation());
  for (let i = 0; i < 5; i++) {
    journal.request(look('building'));
    journal.wait(98);
  }
  expect(judge(journal)).toMatchObject({
    verdict: 'fail',
    summary: '4 of 4 repeated polls came too early: wait polling.intervalMs (10 s) between two polls.',
    evidence: [{ requestId: 'req_3', message: 'came 100 ms after the previous poll; 10 s is advised' }, {}, {}, {}],
  });
});

it('poll-interval-obeyed lets a tenth pass, and no more', () => {
  for (const [gap, verdict] of [
    [9_000, 'pass'],
    [8_990, 'fail'],
  ] as const) {
    const journal = timeline();
    journal.request(creation());
    journal.request(look('pending', { durationMs: 0 }));
    journal.wait(gap);
    journal.request(look('pending'));
    expect(judge(journal).verdict).toBe(verdict);
  }
});

it('poll-interval-obeyed counts virtual time when the clock is advanced', () => {
  const journal = timeline({ frozen: true });
  journal.request(creation());
  for (let i = 0; i < 3; i++) {
    journal.request(look('building'));
    journal.advance(10_000);
  }
  expect(judge(journal).verdict).toBe('pass');
});

it('poll-interval-obeyed takes the settings’ interval where the announcement is not there or was cut off', () => {
  for (const begin of [undefined, creation({ responseBody: '{"success":true,"data":{"id":"c1"' })]) {
    const journal = timeline();
    if (begin !== undefined) journal.request(begin);
    journal.request(look('building'));
    journal.wait(1_000);
    journal.request(look('building'));
    expect(judge(journal).verdict).toBe('pass');
    for (let i = 0; i < 3; i++) {
      journal.wait(500);
      journal.request(look('building'));
    }
    expect(judge(journal).verdict).toBe('fail');
  }
});

it('poll-interval-obeyed reads the status of a response that was cut off, and is not misled by texts in it', () => {
  const cut =
    '{"success":true,"data":{"id":"c1","name":"\\"status\\":\\"running\\"","status":"building","deployment_log":"…';
  const journal = timeline();
  journal.request(creation());
  journal.request(look('', { responseBody: cut }));
  journal.request(look('', { responseBody: cut }));
  expect(judge(journal).verdict).toBe('fail');
});

it('poll-interval-obeyed begins anew with an update', () => {
  const journal = timeline();
  journal.request(creation());
  journal.request(look('pending'));
  journal.wait(100);
  journal.request(creation());
  journal.request(look('pending'));
  expect(judge(journal).verdict).toBe('not-exercised');
});

it('poll-interval-obeyed leaves retries after a failure to other rules', () => {
  const journal = timeline();
  journal.request(creation());
  journal.request(look('', { status: 503, responseBody: null }));
  journal.wait(100);
  journal.request(look('pending'));
  expect(judge(journal).verdict).toBe('not-exercised');
});

it('poll-interval-obeyed keeps containers and callers apart', () => {
  const journal = timeline();
  journal.request(creation());
  journal.request(creation({ subject: 'c2' }));
  journal.request(look('pending'));
  journal.request(look('pending', { subject: 'c2' }));
  journal.request(look('pending', { caller: 'key:two' }));
  expect(judge(journal).verdict).toBe('not-exercised');
});

it('poll-interval-obeyed compares nothing across a reset', () => {
  const journal = timeline();
  journal.request(look('pending'));
  journal.mark('reset');
  journal.request(look('pending'));
  expect(judge(journal).verdict).toBe('not-exercised');
});

/** Looks at a container after these waits, by a connection for each. */
function looksApart(waits: readonly number[]): Timeline {
  const journal = timeline();
  journal.request(creation());
  for (const [index, wait] of waits.entries()) {
    journal.wait(wait);
    const { wall } = journal.records.at(-1) as { wall: number };
    journal.request(
      look('building', { connection: { number: index + 2, openedAt: wall + wait, others: 0, earlier: 0 } }),
    );
  }
  return journal;
}

it.each([
  ['each 100 ms', [0, 100, 103, 98, 101, 100, 99]],
  [
    'each second, with what a busy machine adds now and then',
    [0, 1_000, 1_020, 1_010, 1_900, 1_000, 990, 1_015, 1_000],
  ],
  ['each half of the interval', [0, 5_000, 5_012, 4_998, 5_020, 5_003, 5_000]],
])('poll-interval-obeyed fails a client that looks by a connection for each request %s', (_, waits) => {
  expect(judge(looksApart(waits)).verdict).toBe('fail');
});

it.each([
  ['two that look every ten seconds', [0, 3_000, 7_000, 3_000, 7_000, 3_000, 7_000]],
  ['two that do so nearly in turn', [0, 4_900, 5_100, 4_900, 5_100, 4_900, 5_100]],
  ['twelve that look every ten seconds', [0, 300, 1_700, 100, 900, 2_400, 300, 600, 1_200, 700, 500, 1_300, 300]],
  ['three in a row', [0, 100, 100]],
])('poll-interval-obeyed cannot tell of %s, by a connection for each request, whether they are one', (_, waits) => {
  expect(judge(looksApart(waits)).verdict).toBe('unclear');
});

it('poll-interval-obeyed takes the read after a failed change for a look at what became of it, and only that one', () => {
  const change = { ...look('running'), method: 'PATCH', operation: 'containers.update', status: 502, fault: 'fault_1' };
  const after = (gaps: readonly number[]) => {
    const journal = timeline();
    journal.request(creation());
    journal.request(change);
    for (const gap of gaps) {
      journal.wait(gap);
      journal.request(look('deploying'));
    }
    return judge(journal);
  };
  expect(after([250, 10]).verdict).toBe('not-exercised');
  expect(after([250, 10, 10_000]).verdict).toBe('pass');
  expect(after([250, 10, 2_000, 2_000]).verdict).toBe('fail');
  expect(after([250, 10, 10])).toMatchObject({ verdict: 'fail', evidence: [{}] });
});
