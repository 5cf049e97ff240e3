// `cloudemu wallet sign …`: what test wallets sign for a client's requests: right, or wrong in one way.

import { parsedJson } from '../../core/json.js';
import { nearest } from '../../core/nearest.js';
import type { ControlledWallet } from '../../platform/wallets/control.js';
import type { PaymentRequirement } from '../../testing/payments.js';
import { askPlatform, createClient } from '../client.js';
import { type Command, command, target, type ValuesOf } from '../command.js';
import { failUsage, printJson, printLine } from '../print.js';
import { Unreachable } from '../refusal.js';
import { findTarget, type Target } from '../target.js';

const signing = {
  wallet: { type: 'string', default: '0', describe: 'Index of the test wallet that signs' },
  wrong: { type: 'string', describe: 'Make the signature invalid: expired, tampered, malleated and so on' },
  ...target,
} as const;

const ofHeaders = {
  method: { type: 'string', default: 'GET', describe: 'Method of the request' },
  path: { type: 'string', describe: 'Path or URL of the request' },
  timestamp: { type: 'string', describe: 'X-Timestamp in milliseconds (default: now)' },
  ...signing,
} as const;

const ofSignIn = {
  statement: {
    type: 'string',
    describe: 'Statement of the message (default: the one in the response with the nonce)',
  },
  ...signing,
} as const;

const ofPayment = {
  amount: { type: 'string', default: '10', describe: 'Amount in USDC' },
  x402: {
    type: 'string',
    default: '1',
    choices: ['1', '2'],
    describe: 'Version of the protocol: 1 (X-PAYMENT) or 2 (PAYMENT-SIGNATURE)',
  },
  ...signing,
} as const;

export const signCommands: readonly Command[] = [
  command({
    words: 'wallet sign headers',
    valueIs: 'path',
    describe: 'Print the headers of a request signed by a wallet',
    flags: ofHeaders,
    examples: [
      [
        'wallet sign headers --path /api/v1/user',
        'one per line, to pipe into curl -H @- "$CLOUD_BASE_URL/api/v1/user"',
      ],
      ['wallet sign headers --path /api/v1/user --wrong expired', 'a header that is rejected, to test your client'],
    ],
    run: signHeaders,
  }),
  command({
    words: 'wallet sign siwe',
    describe: 'Get a nonce and print a signed sign-in',
    flags: ofSignIn,
    examples: [
      ['wallet sign siwe', 'to pipe into curl -d @- "$CLOUD_BASE_URL/api/auth/siwe/verify"'],
      ['wallet sign siwe --wrong wrong-domain', 'a signature that is rejected'],
    ],
    run: signSignIn,
  }),
  command({
    words: 'wallet sign payment',
    valueIs: 'amount',
    describe: 'Print the header that pays a request with virtual USDC (x402)',
    flags: ofPayment,
    examples: [
      ['wallet sign payment --amount 50', 'to pipe into curl -X POST -H @- "$CLOUD_BASE_URL/api/v1/topup/50"'],
      ['wallet sign payment --wrong underpaid', 'a signature that is rejected'],
    ],
    run: signPayment,
  }),
];

/** Prints the headers of a signed request, one a line, as `curl -H @-` reads them. */
async function signHeaders(options: ValuesOf<typeof ofHeaders>): Promise<void> {
  const { method, path, timestamp } = options;
  if (path === undefined)
    failUsage({ field: '--path', hint: 'the signature covers it: for example --path /api/v1/user' });
  if (timestamp !== undefined && !/^\d{1,15}$/.test(timestamp))
    failUsage({ field: '--timestamp', meant: 'milliseconds', received: timestamp });
  const { headerMistakes, signHeaders: sign } = await import('../../testing.js');
  const { client, signer, now } = await signatureOf(options, headerMistakes);
  const { service } = await client.get<{ service: { name: string } }>('/config', 'service');
  const at = timestamp === undefined ? now : Number(timestamp);
  printHeaders(await sign({ ...signer, method, path, timestamp: at, serviceName: service.name }), options.json);
}

/** Gets a nonce and prints the signed sign-in: the body of POST /api/auth/siwe/verify. */
async function signSignIn(options: ValuesOf<typeof ofSignIn>): Promise<void> {
  const { siweMistakes, signSiwe } = await import('../../testing.js');
  const { target, signer, now } = await signatureOf(options, siweMistakes);
  const { status, text: body } = await askPlatform(target, '/api/auth/siwe/nonce', { method: 'GET', headers: {} });
  if (status !== 200) throw new Unreachable(`${target.local} gives no nonce: the response is ${status}.`);
  const nonce = JSON.parse(body) as { nonce: string; domain: string; uri: string; statement: string };
  const { statement = nonce.statement } = options;
  const signed = await signSiwe({ ...nonce, ...signer, statement, issuedAt: new Date(now).toISOString() });
  printJson(signed, options.json ? 0 : 2);
}

/** Asks what payments must fulfil and prints the header of one. */
async function signPayment(options: ValuesOf<typeof ofPayment>): Promise<void> {
  const { amount } = options;
  const { paymentHeader, paymentMistakes } = await import('../../testing.js');
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(amount))
    failUsage({ field: '--amount', meant: 'a number of USDC with at most six decimals', received: amount });
  const version = options.x402 === '2' ? 2 : 1;
  const { target, signer, now } = await signatureOf(options, paymentMistakes);
  const field = version === 1 ? 'maxAmountRequired' : 'amount';
  const requirement = {
    ...(await requirementAt(target, version)),
    [field]: String(Math.round(Number(amount) * 1_000_000)),
  };
  printHeaders(await paymentHeader({ ...signer, requirement, version, now }), options.json);
}

// Every requirement is alike but for its amount, and a top-up sends one to anybody.
async function requirementAt(target: Target, version: 1 | 2) {
  const { status, headers, text } = await askPlatform(target, '/api/v1/topup/10', { method: 'POST', headers: {} });
  const offered = version === 1 ? text : Buffer.from(String(headers['payment-required'] ?? ''), 'base64').toString();
  const { accepts } = (parsedJson(offered) ?? {}) as { accepts?: PaymentRequirement[] };
  const requirement = accepts?.[0];
  if (requirement === undefined)
    throw new Unreachable(
      `${target.local} does not ask for payments of version ${version}: the response is ${status}. See the setting x402.versions.`,
    );
  return requirement;
}

// One a line, as `curl -H @-` reads them.
function printHeaders(headers: Record<string, string>, asJson = false): void {
  if (asJson) printJson(headers);
  else for (const [name, value] of Object.entries(headers)) printLine(`${name}: ${value}`);
}

// The test wallet that signs, right or wrong in one of some ways, at the client's own time, as the emulator assumes it.
async function signatureOf<Mistake extends string>(
  { wallet: index, wrong, ...where }: ValuesOf<typeof signing>,
  mistakes: readonly Mistake[],
) {
  const mistake = mistakes.find((word) => word === wrong);
  if (wrong !== undefined && mistake === undefined)
    failUsage({
      field: '--wrong',
      meant: `one of ${mistakes.join(', ')}`,
      received: wrong,
      suggestion: nearest(wrong, mistakes),
    });
  const target = await findTarget(where);
  const client = createClient(target);
  if (!/^\d{1,10}$/.test(index))
    failUsage({ field: '--wallet', meant: 'an index (`cloudemu wallet list` shows them)', received: index });
  const [wallet, { skewMs }] = await Promise.all([
    client.post<ControlledWallet>('/wallets', 'privateKey', { index: Number(index) }),
    client.get<{ skewMs: number }>('/clock', 'skewMs'),
  ]);
  const signer = { wallet, ...(mistake !== undefined && { wrong: mistake }) };
  return { target, client, signer, now: Date.now() + skewMs };
}
