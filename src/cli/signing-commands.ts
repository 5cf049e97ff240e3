// The commands that sign as a test wallet.

import { type Command, type Flag, target, targetOptions, text, type Values } from './command.js';
import { walletSignHeaders, walletSignSiwe } from './commands/wallet.js';
import { walletSignPayment } from './commands/wallet-payment.js';

const signing: Record<string, Flag> = {
  wallet: { type: 'string', default: '0', describe: 'Index of the test wallet that signs' },
  wrong: { type: 'string', describe: 'Make the signature invalid: expired, tampered, malleated and so on' },
};

export const signingCommands: readonly Command[] = [
  {
    words: 'wallet sign headers',
    valueIs: 'path',
    describe: 'Print the headers of a request signed by a wallet',
    flags: {
      method: { type: 'string', default: 'GET', describe: 'Method of the request' },
      path: { type: 'string', describe: 'Path or URL of the request' },
      timestamp: { type: 'string', describe: 'X-Timestamp in milliseconds (default: now)' },
      ...signing,
      ...target,
    },
    examples: [
      [
        'wallet sign headers --path /api/v1/user',
        'one per line, to pipe into curl -H @- "$CLOUD_BASE_URL/api/v1/user"',
      ],
      ['wallet sign headers --path /api/v1/user --wrong expired', 'a header that is rejected, to test your client'],
    ],
    run: (values) =>
      walletSignHeaders({
        ...signOptions(values),
        method: String(values.method),
        path: text(values, 'path'),
        timestamp: text(values, 'timestamp'),
      }),
  },
  {
    words: 'wallet sign siwe',
    describe: 'Get a nonce and print a signed sign-in',
    flags: {
      statement: {
        type: 'string',
        describe: 'Statement of the message (default: the one in the response with the nonce)',
      },
      ...signing,
      ...target,
    },
    examples: [
      ['wallet sign siwe', 'to pipe into curl -d @- "$CLOUD_BASE_URL/api/auth/siwe/verify"'],
      ['wallet sign siwe --wrong wrong-domain', 'a signature that is rejected'],
    ],
    run: (values) => walletSignSiwe({ ...signOptions(values), statement: text(values, 'statement') }),
  },
  {
    words: 'wallet sign payment',
    valueIs: 'amount',
    describe: 'Print the header that pays a request with virtual USDC (x402)',
    flags: {
      amount: { type: 'string', default: '10', describe: 'Amount in USDC' },
      x402: {
        type: 'string',
        default: '1',
        choices: ['1', '2'],
        describe: 'Version of the protocol: 1 (X-PAYMENT) or 2 (PAYMENT-SIGNATURE)',
      },
      ...signing,
      ...target,
    },
    examples: [
      ['wallet sign payment --amount 50', 'to pipe into curl -X POST -H @- "$CLOUD_BASE_URL/api/v1/topup/50"'],
      ['wallet sign payment --wrong underpaid', 'a signature that is rejected'],
    ],
    run: (values) =>
      walletSignPayment({ ...signOptions(values), amount: String(values.amount), x402: String(values.x402) }),
  },
];

function signOptions(values: Values) {
  return { ...targetOptions(values), wallet: String(values.wallet), wrong: text(values, 'wrong') };
}
