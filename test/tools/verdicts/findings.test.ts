// Findings in single requests.

import { describe, expect, it } from 'vitest';
import {
  noExpiredCredential,
  noLiveKey,
  noSecretInUrl,
  noUnknownFields,
} from '../../../src/tools/verdicts/findings.js';
import { judgedBy, type Timeline, timeline } from '../../support/records.js';

describe.each([
  [noSecretInUrl, 'secret-in-url'],
  [noLiveKey, 'live-key'],
  [noUnknownFields, 'unknown-field'],
] as const)('$id', (rule, finding) => {
  const judge = ({ records }: Timeline) => judgedBy(rule, records);

  it('is not exercised without a request', () => {
    expect(judge(timeline()).verdict).toBe('not-exercised');
  });

  it('passes requests in which it was not found', () => {
    const journal = timeline();
    journal.request();
    journal.request({ findings: ['expired-credential'] });
    expect(judge(journal)).toMatchObject({ verdict: 'pass', summary: expect.stringMatching(/^None of 2 requests/) });
  });

  it('fails a single one in which it was, and names it', () => {
    const journal = timeline();
    journal.request();
    journal.request({ findings: [finding], warnings: ['unknown field nmae, did you mean name?'] });
    expect(judge(journal)).toMatchObject({
      verdict: 'fail',
      summary: expect.stringMatching(/^1 of 2 requests had|^1 of 2 requests carried/),
      evidence: [{ requestId: 'req_2' }],
    });
  });
});

it('the verdict on an unknown field names it with its suggestion', () => {
  const journal = timeline();
  const warnings = ['the image is trusted', 'unknown field nmae, did you mean name?'];
  journal.request({ findings: ['unknown-field'], warnings });
  journal.request({ findings: ['unknown-field'], status: 400 });
  const { evidence } = judgedBy(noUnknownFields, journal.records);
  expect(evidence.map(({ message }) => message)).toEqual([
    'unknown field nmae, did you mean name?',
    'has an unknown field',
  ]);
});

describe('no-expired-credential', () => {
  const judge = ({ records }: Timeline) => judgedBy(noExpiredCredential, records);
  const expired = { findings: ['expired-credential' as const], status: 401, errorCode: 'UNAUTHORIZED', keyId: null };

  it('is not exercised without a request, and passes without an expired one', () => {
    expect(judge(timeline()).verdict).toBe('not-exercised');
    const journal = timeline();
    journal.request();
    expect(judge(journal).verdict).toBe('pass');
  });

  it('passes a client that learns of it and stops', () => {
    const journal = timeline();
    journal.request(expired);
    journal.wait(1_000);
    journal.request({ caller: 'key:new' });
    expect(judge(journal)).toMatchObject({
      verdict: 'pass',
      summary: '1 request used an expired credential, which was not used again after the refusal.',
    });
  });

  it('fails a client that goes on with it', () => {
    const journal = timeline();
    journal.request(expired);
    journal.request(expired);
    expect(judge(journal)).toMatchObject({
      verdict: 'fail',
      evidence: [{ requestId: 'req_2', message: 'uses the credential that req_1 showed to be expired' }],
    });
  });

  it('lets requests pass that were on their way, and takes each credential by itself', () => {
    const journal = timeline();
    journal.together(expired, { ...expired, path: '/other' });
    journal.request({ ...expired, caller: 'key:two' });
    expect(judge(journal).verdict).toBe('pass');
  });
});
