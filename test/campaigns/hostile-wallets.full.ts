// Hostile sign-ins and signed requests: whatever is sent, the answer is a refusal with a reason, and nothing changes.

import * as fc from 'fast-check';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { siweMessage } from '../../src/testing.js';
import { call, startWorld } from '../support/emulator.js';
import { getNonce, refusalOf, verify, wallet } from '../support/wallets.js';
import { oddText } from './support/hostile-values.js';

const account = privateKeyToAccount(wallet().privateKey);
const printable = fc.string({ unit: fc.constantFrom(...'0xabcdefABCDEF189 \n\t:-.ZT/'), maxLength: 300 });
const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 0, maxLength: 400 });

interface Act {
  kind: 'cut' | 'double' | 'insert' | 'replace' | 'swap';
  at: number;
  text: string;
}

/** A message in which something is cut, doubled, inserted, replaced or swapped, by lines. */
function spoilt(message: string, { kind, at, text }: Act): string {
  const lines = message.split('\n');
  const place = at % lines.length;
  const line = lines[place] ?? '';
  const inside = at % (line.length + 1);
  if (kind === 'cut') lines.splice(place, 1);
  else if (kind === 'double') lines.splice(place, 0, line);
  else if (kind === 'insert') lines[place] = line.slice(0, inside) + text + line.slice(inside);
  else if (kind === 'replace') lines[place] = text;
  else [lines[place], lines[0]] = [lines[0] ?? '', line];
  return lines.join('\n');
}

const act = fc.record({
  kind: fc.constantFrom<Act['kind']>('cut', 'double', 'insert', 'replace', 'swap'),
  at: fc.nat(2_000),
  text: fc.oneof(oddText, printable),
});
const wellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

it('hostile sign-ins are refused (TEST_SEED replays)', async () => {
  const world = await startWorld({ rateLimits: { enabled: false } });
  const message = siweMessage({ ...(await getNonce(world)), address: account.address });
  const signature = await account.signMessage({ message });
  const messages = fc.oneof(
    { weight: 6, arbitrary: act.map((how) => spoilt(message, how)) },
    { weight: 1, arbitrary: oddText },
    { weight: 1, arbitrary: fc.constant(message) },
  );
  const signatures = fc.oneof(
    { weight: 3, arbitrary: fc.constant(signature as string) },
    { weight: 2, arbitrary: hex.map((digits) => `0x${digits}`) },
    { weight: 1, arbitrary: fc.tuple(fc.nat(129), hex).map(([at, digits]) => signature.slice(0, 2 + at) + digits) },
    { weight: 1, arbitrary: oddText },
  );
  await fc.assert(
    fc.asyncProperty(messages, signatures, async (sent, signed) => {
      fc.pre(sent !== message || signed.toLowerCase() !== signature);
      fc.pre(wellFormed(sent) && wellFormed(signed));
      const answer = await verify(world, { message: sent, signature: signed });
      if (answer.status === 400) expect(answer.body.error.code).toBe('VALIDATION_ERROR');
      else expect(refusalOf(answer)).toEqual([401, expect.stringMatching(/^[a-z-]+$/)]);
      if (signed.length > 20) expect(answer.text).not.toContain(signed.slice(4));
    }),
    { numRuns: 600 },
  );
  expect(world.controls.organizations.list()).toHaveLength(1);
  expect((await verify(world, { message, signature })).status).toBe(200);
});

it('hostile signed requests are refused (TEST_SEED replays)', async () => {
  const world = await startWorld({ rateLimits: { enabled: false } });
  const path = '/api/v1/user';
  const now = String(Date.now());
  const text = (value: string) => `Example Cloud Authentication\nTimestamp: ${value}\nMethod: GET\nPath: ${path}`;
  const signature = await account.signMessage({ message: text(now) });
  const header = fc.oneof(printable, oddText).filter((value) => /^[\x21-\x7e][\x20-\x7e]*$/.test(value));
  const one = (good: string) => fc.oneof({ weight: 2, arbitrary: fc.constant(good) }, { weight: 3, arbitrary: header });
  await fc.assert(
    fc.asyncProperty(one(account.address), one(now), one(signature), async (address, timestamp, signed) => {
      fc.pre(address.toLowerCase() !== account.address.toLowerCase() || timestamp !== now || signed !== signature);
      fc.pre(address.length + timestamp.length + signed.length < 12_000);
      const answer = await call(world, 'GET', path, undefined, {
        'X-Wallet-Address': address,
        'X-Timestamp': timestamp,
        'X-Wallet-Signature': signed,
      });
      // The key beside them is no way out.
      expect(refusalOf(answer)).toEqual([401, expect.stringMatching(/^[a-z-]+$/)]);
    }),
    { numRuns: 400 },
  );
  expect(world.controls.organizations.list()).toHaveLength(1);
});
