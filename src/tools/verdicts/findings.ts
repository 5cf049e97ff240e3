// The rules that rest on what was found in single requests: secrets in URLs, live and expired keys, unknown fields.

import { counted } from '../../core/words.js';
import type { Finding } from '../../http/request-context.js';
import type { JournalEntry, JournalRecord } from '../journal/journal-entry.js';
import { groupedBy, requestsOf, sequencesOf } from './reading.js';
import { firstOnConnections, type Relate, type Relation, relateIn } from './relations.js';
import { conclude, type Evidence, evidenceOf, type Judgement, type Rule } from './verdict.js';

const nothing = 'No request was made.';

/** No request has a key or token in its path or query: URLs end up in logs. */
export const noSecretInUrl: Rule = {
  id: 'no-secret-in-url',
  title: 'Keeps secrets out of URLs',
  demands: 'No path or query contains a key or token.',
  judge: (records) =>
    judgeFinding(records, 'secret-in-url', () => 'has a secret in its URL', {
      pass: 'has a secret in its URL',
      fail: 'had a secret in the URL: send keys in the Authorization or X-API-Key header.',
    }),
};

/** No request carries a live key of the real platform. */
export const noLiveKey: Rule = {
  id: 'no-live-key',
  title: 'Does not use live keys',
  demands: 'The client sends no live key of the real platform to the emulator.',
  judge: (records) =>
    judgeFinding(records, 'live-key', () => 'carries a live key', {
      pass: 'carries a live key',
      fail: 'carried a live key: use the test key that `cloudemu env` prints, and replace the live key if others could see it.',
    }),
};

/** No request has a field or query parameter that the operation does not know. */
export const noUnknownFields: Rule = {
  id: 'no-unknown-fields',
  title: 'Sends only known fields',
  demands: 'No request contains a field or query parameter that its operation does not know.',
  judge: (records) =>
    judgeFinding(records, 'unknown-field', tellUnknown, {
      pass: 'has an unknown field',
      fail: 'had unknown fields, which have no effect: correct or remove them.',
    }),
};

// Warnings also report other things; a strict world refuses the request with an error instead.
function tellUnknown({ warnings }: JournalEntry): string {
  return warnings.filter((warning) => warning.startsWith('unknown ')).join('; ') || 'has an unknown field';
}

function judgeFinding(
  records: readonly JournalRecord[],
  finding: Finding,
  message: (entry: JournalEntry) => string,
  says: { pass: string; fail: string },
): Judgement {
  const requests = requestsOf(records);
  const affected = requests.filter(({ findings }) => findings.includes(finding));
  return conclude(
    requests.length,
    affected.map((entry) => evidenceOf(entry, message(entry))),
    {
      none: nothing,
      pass: `None of ${counted(requests.length, 'request')} ${says.pass}.`,
      fail: `${affected.length} of ${counted(requests.length, 'request')} ${says.fail}`,
    },
  );
}

/**
 * The client does not send a key or token again after a refusal because it has expired. A single refusal passes: only
 * by it does the client learn that the credential has expired.
 */
export const noExpiredCredential: Rule = {
  id: 'no-expired-credential',
  title: 'Stops using expired credentials',
  demands: 'The client does not send a key or token again after it was rejected as expired.',
  judge(records): Judgement {
    const requests = requestsOf(records);
    const expired = ({ findings }: JournalEntry): boolean => findings.includes('expired-credential');
    // A client with a new token goes on using the connections of the old one.
    const firstOn = firstOnConnections(requests);
    const used: ReturnType<typeof usesAfterRefusal> = [];
    for (const sequence of sequencesOf(records)) {
      const relate = relateIn(sequence, credentialOf, firstOn);
      for (const uses of groupedBy(sequence.filter(expired), credentialOf)) {
        for (const one of usesAfterRefusal(uses, relate)) used.push(one);
      }
    }
    const evidence = (relation: Relation): Evidence[] =>
      used.filter((one) => one.relation === relation).map((one) => one.evidence);
    const wrong = evidence('after');
    const refused = requests.filter(expired).length;
    const summaries = {
      none: nothing,
      pass:
        refused === 0
          ? `None of ${counted(requests.length, 'request')} used an expired credential.`
          : `${counted(refused, 'request')} used an expired credential, which was not used again after the refusal.`,
      fail: `${counted(wrong.length, 'request')} used a credential that had been refused as expired: get a new one at the first refusal.`,
    };
    return conclude(requests.length, wrong, summaries, evidence('unclear'));
  },
};

function credentialOf({ caller, keyId }: JournalEntry): string {
  return keyId ?? caller;
}

function usesAfterRefusal(uses: readonly JournalEntry[], relate: Relate): { relation: Relation; evidence: Evidence }[] {
  const [first, ...rest] = uses;
  if (first === undefined) return [];
  return rest.map((entry) => ({
    relation: relate(first, entry),
    evidence: evidenceOf(entry, `uses the credential that ${first.requestId} showed to be expired`),
  }));
}
