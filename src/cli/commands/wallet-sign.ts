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
  const wrong = oneOf('--wrong', options.wrong, headerMistakes);
  const client = createClient(await findTarget(options));
  const [wallet, { service }, clientNow] = await Promise.all([
    walletOf(client, options.wallet),
    client.get<{ service: { name: string } }>('/config', 'service'),
    clientTime(client),
  ]);
  const headers = await sign({
    wallet,
    method,
    path,
    timestamp: timestamp === undefined ? clientNow : Number(timestamp),
    serviceName: service.name,
    ...(wrong !== undefined && { wrong }),
  });
  printHeaders(headers, options.json);
}

/** Gets a nonce and prints the signed sign-in: the body of POST /api/auth/siwe/verify. */
async function signSignIn(options: ValuesOf<typeof ofSignIn>): Promise<void> {
  const { siweMistakes, signSiwe } = await import('../../testing.js');
  const wrong = oneOf('--wrong', options.wrong, siweMistakes);
  const target = await findTarget(options);
  const client = createClient(target);
  const [wallet, clientNow] = await Promise.all([walletOf(client, options.wallet), clientTime(client)]);
  const { status, text: body } = await askPlatform(target, '/api/auth/siwe/nonce', { method: 'GET', headers: {} });
  if (status !== 200) throw new Unreachable(`${target.local} gives no nonce: the response is ${status}.`);
  const nonce = JSON.parse(body) as { nonce: string; domain: string; uri: string; statement: string };
  const signed = await signSiwe({
    ...nonce,
    ...(options.statement !== undefined && { statement: options.statement }),
    wallet,
    issuedAt: new Date(clientNow).toISOString(),
    ...(wrong !== undefined && { wrong }),
  });
  if (options.json) return printJson(signed);
  printJson(signed, 2);
}

/** Asks what payments must fulfil and prints the header of one. */
async function signPayment(options: ValuesOf<typeof ofPayment>): Promise<void> {
  const { paymentHeader, paymentMistakes } = await import('../../testing.js');
  const wrong = oneOf('--wrong', options.wrong, paymentMistakes);
  const version = options.x402 === '2' ? 2 : 1;
  const amount = atomicUnits(options.amount);
  const target = await findTarget(options);
  const client = createClient(target);
  const [wallet, now, requirement] = await Promise.all([
    walletOf(client, options.wallet),
    clientTime(client),
    requirementAt(target, version),
  ]);
  const headers = await paymentHeader({
    wallet,
    requirement: { ...requirement, [version === 1 ? 'maxAmountRequired' : 'amount']: amount },
    version,
    now,
    ...(wrong !== undefined && { wrong }),
  });
  printHeaders(headers, options.json);
}

function atomicUnits(amount: string): string {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(amount))
    failUsage({ field: '--amount', meant: 'a number of USDC with at most six decimals', received: amount });
  return String(Math.round(Number(amount) * 1_000_000));
}

// Every requirement is alike but for its amount, and a top-up sends one to anybody.
async function requirementAt(target: Target, version: 1 | 2) {
  const {
    status,
    headers,
    text: body,
  } = await askPlatform(target, '/api/v1/topup/10', { method: 'POST', headers: {} });
  const offered = version === 1 ? body : Buffer.from(String(headers['payment-required'] ?? ''), 'base64').toString();
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

type Client = ReturnType<typeof createClient>;

// A test wallet by its index.
async function walletOf(client: Client, index: string): Promise<ControlledWallet> {
  if (!/^\d{1,10}$/.test(index))
    failUsage({ field: '--wallet', meant: 'an index (`cloudemu wallet list` shows them)', received: index });
  return client.post<ControlledWallet>('/wallets', 'privateKey', { index: Number(index) });
}

// The client's own time, as the emulator assumes it.
async function clientTime(client: Client): Promise<number> {
  const { skewMs } = await client.get<{ skewMs: number }>('/clock', 'skewMs');
  return Date.now() + skewMs;
}

// The word that a flag says, or the end with the nearest one.
function oneOf<Word extends string>(flag: string, said: string | undefined, words: readonly Word[]): Word | undefined {
  if (said === undefined) return undefined;
  const found = words.find((word) => word === said);
  if (found !== undefined) return found;
  return failUsage({
    field: flag,
    meant: `one of ${words.join(', ')}`,
    received: said,
    suggestion: nearest(said, words),
  });
}
