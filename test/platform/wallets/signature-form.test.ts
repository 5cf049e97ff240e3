// The bytes of a signature, and what they tell.

import { expect, it } from 'vitest';
import { readSignature } from '../../../src/platform/wallets/signature-form.js';

const r = '11'.repeat(32);
const s = '22'.repeat(32);
const half = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';
const overHalf = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1';
const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';

it.each([
  ['as it is', `0x${r}${s}1b`, `0x${r}${s}1b`],
  ['v of 0', `0x${r}${s}00`, `0x${r}${s}1b`],
  ['v of 1', `0x${r}${s}01`, `0x${r}${s}1c`],
  ['packed, even', `0x${r}${s}`, `0x${r}${s}1b`],
  ['packed, odd', `0x${r}a2${'22'.repeat(31)}`, `0x${r}${s}1c`],
  ['the largest s', `0x${r}${half}1b`, `0x${r}${half}1b`],
  ['capitals', `0X${'AB'.repeat(32)}${s}1B`, `0x${'ab'.repeat(32)}${s}1b`],
])('a signature is read: %s', (_, text, signature) => expect(readSignature(text)).toEqual({ signature }));

it.each([
  ['nothing', '', 'malformed-signature'],
  ['0x', '0x', 'malformed-signature'],
  ['no 0x', `${r}${s}1b`, 'malformed-signature'],
  ['a space', `0x${r}${s}1b `, 'malformed-signature'],
  ['64 and a half bytes', `0x${r}${s}1`, 'malformed-signature'],
  ['v of 27 + 2', `0x${r}${s}1d`, 'malformed-signature'],
  ['v of a chain (EIP-155)', `0x${r}${s}25`, 'malformed-signature'],
  ['r of zero', `0x${'00'.repeat(32)}${s}1b`, 'malformed-signature'],
  ['s of zero', `0x${r}${'00'.repeat(32)}1b`, 'malformed-signature'],
  ['packed s of zero', `0x${r}80${'00'.repeat(31)}`, 'malformed-signature'],
  ['r of the order', `0x${order}${s}1b`, 'malformed-signature'],
  ['s of the order', `0x${r}${order}1b`, 'malformed-signature'],
  ['s over the half', `0x${r}${overHalf}1b`, 'malleated'],
  ['66 bytes', `0x${r}${s}1b00`, 'contract-wallet'],
  ['a megabyte', `0x${'00'.repeat(1_000_000)}`, 'contract-wallet'],
])('a signature is refused: %s', (_, text, reason) => expect(readSignature(text)).toMatchObject({ reason }));
