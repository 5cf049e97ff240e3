// The messages that are taken and refused: where siwe and viem differ, what EIP-4361 says holds.

import { concat, parseSignature, serializeCompactSignature, signatureToCompactSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { siweMessage } from '../../../src/testing.js';
import { type Answer, startWorld } from '../../support/emulator.js';
import { getNonce, type NonceAnswer, refusalOf, verify, wallet } from '../../support/wallets.js';

const account = privateKeyToAccount(wallet().privateKey);

type Change = (message: string, nonce: NonceAnswer) => string;

/** Signs in with a message that is changed before it is signed. */
async function signChanged(world: EmulatorWorld, change: Change, fields: object = {}): Promise<Answer> {
  const nonce = await getNonce(world);
  const message = change(siweMessage({ ...nonce, address: account.address, ...fields }), nonce);
  return verify(world, { message, signature: await account.signMessage({ message }) });
}

const same: Change = (message) => message;

const taken: [what: string, change: Change, fields?: object][] = [
  ['a message with a statement', same],
  ['a message without a statement', same, { statement: undefined }],
  ['an empty statement', (message) => message.replace(/\n\n.+\n\n/, '\n\n\n\n')],
  ['a scheme before the domain', (message) => `https://${message}`],
  ['an address in lower case', (message) => message.replace(account.address, account.address.toLowerCase())],
  ['an address in upper case', (message) => message.replace(account.address, upper(account.address))],
  ['a domain in upper case', (message, { domain }) => message.replace(domain, domain.toUpperCase())],
  ['another chain than the nonce’s', same, { chainId: 8453 }],
  ['another URI than the nonce’s', same, { uri: 'https://dapp.example/login?x=1#y' }],
  ['a time with an offset', same, { expirationTime: '2099-12-31T23:59:59.5+05:30' }],
  ['a time in lower case', same, { expirationTime: '2099-12-31t23:59:59z' }],
  ['a leap second', same, { expirationTime: '2099-12-31T23:59:60Z' }],
  ['an empty request id', (message) => `${message}\nRequest ID: `],
  ['a request id of all that it may have', (message) => `${message}\nRequest ID: Az0-._~!$&'()*+,;=:@%2F`],
  ['an empty list of resources', (message) => `${message}\nResources:`],
  ['resources', same, { resources: ['https://example.com/a?b=c', 'urn:isbn:0451450523'] }],
  ['an issue long ago and one ahead', same, { issuedAt: '2001-01-01T00:00:00Z' }],
];
it.each(taken)('a sign-in takes %s in its message', async (_, change, fields) => {
  const answer = await signChanged(await startWorld(), change, fields);
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(account.address)]);
});

const refused: [what: string, reason: string, said: RegExp, change: Change, fields?: object][] = [
  ['a line break at the end', 'trailing', /line 11/, (message) => `${message}\n`],
  ['junk behind the end', 'trailing', /line 10/, (message) => `${message} and more`],
  ['a line behind the end', 'trailing', /line 11/, (message) => `${message}\nTransfer: everything`],
  ['a second message behind it', 'trailing', /line 11/, (message) => `${message}\n${message}`],
  ['version 2', 'malformed-message', /Version: must be 1/, same, { version: '2' }],
  [
    'a request id with a slash',
    'malformed-message',
    /line 11 Request ID: must consist of letters, digits and /,
    (message) => `${message}\nRequest ID: a/1`,
  ],
  ['a nonce of three characters', 'malformed-message', /at least 8/, same, { nonce: 'abc' }],
  ['a time that is none', 'malformed-message', /Issued At: must be a time/, same, { issuedAt: 'yesterday' }],
  ['a day that does not exist', 'malformed-message', /times must exist/, same, { issuedAt: '2026-02-30T00:00:00Z' }],
  ['a statement beyond ASCII', 'malformed-message', /line 4 .* "ü"/, same, { statement: 'Grüße' }],
  ['a statement of two lines', 'malformed-message', /line 5 .* one line/, same, { statement: 'one\ntwo' }],
  ['CRLF line ends', 'malformed-message', /CR/, (message) => message.replaceAll('\n', '\r\n')],
  ['no domain', 'malformed-message', /line 1/, (message, { domain }) => message.replace(domain, '')],
  [
    'an address without checksum',
    'malformed-message',
    /EIP-55/,
    (message) => message.replace(/a/, 'A').replace(account.address, miscased(account.address)),
  ],
  ['an address with 0X', 'malformed-message', /EIP-55/, (message) => message.replace('0x', '0X')],
  ['a short address', 'malformed-message', /line 2/, (message) => message.replace(account.address, '0x12')],
  [
    'no nonce',
    'malformed-message',
    /line 9 must begin with "Nonce: "/,
    (message) => message.replace(/\nNonce: .*/, ''),
  ],
  [
    'fields out of order',
    'malformed-message',
    /line 7/,
    (message) => message.replace(/(Version: 1)\n(Chain ID: 1)/, '$2\n$1'),
  ],
  ['a relative URI', 'malformed-message', /URI: must be/, same, { uri: '/login' }],
  [
    'a chain that is no number',
    'malformed-message',
    /Chain ID: must be/,
    (message) => message.replace('Chain ID: 1\n', 'Chain ID: main\n'),
  ],
];
it.each(refused)('a sign-in refuses %s in its message', async (_, reason, said, change, fields) => {
  const answer = await signChanged(await startWorld(), change, fields);
  expect(refusalOf(answer)).toEqual([401, reason]);
  expect(answer.body.error.message).toMatch(said);
});

it.each([
  ['v of 0 or 1', (signature: `0x${string}`) => signature.replace(/1b$/, '00').replace(/1c$/, '01')],
  ['a packed signature of 64 bytes (EIP-2098)', packed],
  ['digits in upper case', (signature: string) => `0x${signature.slice(2).toUpperCase()}`],
  ['0X before the digits', (signature: string) => `0X${signature.slice(2)}`],
])('a sign-in takes %s in place of the usual signature', async (_, change) => {
  const world = await startWorld();
  for (let n = 0; n < 4; n++) {
    const message = siweMessage({ ...(await getNonce(world)), address: account.address });
    const signature = change(await account.signMessage({ message }));
    expect((await verify(world, { message, signature })).status).toBe(200);
  }
});

it.each([
  ['garbage', 'malformed-signature', () => 'no signature at all, but long enough to be found again'],
  ['no 0x', 'malformed-signature', (signature: string) => signature.slice(2)],
  ['63 bytes', 'malformed-signature', (signature: string) => signature.slice(0, -4)],
  ['half a byte', 'malformed-signature', (signature: string) => signature.slice(0, -1)],
  ['v of 29', 'malformed-signature', (signature: string) => `${signature.slice(0, -2)}1d`],
  ['r of zero', 'malformed-signature', (signature: string) => `0x${'0'.repeat(64)}${signature.slice(66)}`],
  ['r beyond the order', 'malformed-signature', (signature: string) => `0x${'f'.repeat(64)}${signature.slice(66)}`],
  ['s in the upper half', 'malleated', malleated],
  ['one byte too many', 'contract-wallet', (signature: string) => `${signature}00`],
  [
    'a wrapped signature (EIP-6492)',
    'contract-wallet',
    (signature: `0x${string}`) => concat([signature, `0x${'6492'.repeat(16)}`]),
  ],
])('a sign-in refuses a signature with %s', async (_, reason, change) => {
  const world = await startWorld();
  const message = siweMessage({ ...(await getNonce(world)), address: account.address });
  const signature = change(await account.signMessage({ message }));
  const answer = await verify(world, { message, signature });
  expect(refusalOf(answer)).toEqual([401, reason]);
  expect(answer.text).not.toContain(signature.slice(4, 40));
});

function upper(address: string): string {
  return `0x${address.slice(2).toUpperCase()}`;
}

// The first letter of the address in its other case.
function miscased(address: string): string {
  const at = address.slice(2).search(/[a-f]/i) + 2;
  const letter = address.charAt(at);
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return address.slice(0, at) + other + address.slice(at + 1);
}

function packed(signature: `0x${string}`): string {
  return serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)));
}

function malleated(signature: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
  return signature.slice(0, 66) + s + (signature.endsWith('1b') ? '1c' : '1b');
}
