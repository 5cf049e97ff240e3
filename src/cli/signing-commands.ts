// The commands that sign as a test wallet.

import { type Command, type Flag, target, targetOptions, text, type Values } from './command.js';
import { walletSignHeaders, walletSignSiwe } from './commands/wallet.js';
import { walletSignPayment } from './commands/wallet-payment.js';

const signing: Record<string, Flag> = {
  wallet: { type: 'string', default: '0', describe: 'Index of the test wallet that signs' },
  wrong: { type: 'string', describe: 'What is to be wrong with it: expired, tampered, malleated and so on' },
};

export const signingCommands: readonly Command[] = [
  {
    words: 'wallet sign headers',
    describe: 'Print the headers of a request that a wallet signs',
    flags: {
      method: { type: 'string', default: 'GET', describe: 'Method of the request' },
      path: { type: 'string', describe: 'Its path, or its URL' },
      timestamp: { type: 'string', describe: 'X-Timestamp in milliseconds (default: now)' },
      ...signing,
      ...target,
    },
    examples: [
      [
        'wallet sign headers --path /api/v1/user',
        'one a line, to be piped into curl -H @- "$CLOUD_BASE_URL/api/v1/user"',
      ],
      ['wallet sign headers --path /api/v1/user --wrong expired', 'one that is refused, to see what your client does'],
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
      statement: { type: 'string', describe: 'Statement of the message (default: as the nonce’s answer has it)' },
      ...signing,
      ...target,
    },
    examples: [
      ['wallet sign siwe', 'to be piped into curl -d @- "$CLOUD_BASE_URL/api/auth/siwe/verify"'],
      ['wallet sign siwe --wrong wrong-domain', 'one that is refused'],
    ],
    run: (values) => walletSignSiwe({ ...signOptions(values), statement: text(values, 'statement') }),
  },
  {
    words: 'wallet sign payment',
    describe: 'Print the header that pays a request with virtual USDC (x402)',
    flags: {
      amount: { type: 'string', default: '10', describe: 'USDC' },
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
      ['wallet sign payment --amount 50', 'to be piped into curl -X POST -H @- "$CLOUD_BASE_URL/api/v1/topup/50"'],
      ['wallet sign payment --wrong underpaid', 'one that is refused'],
    ],
    run: (values) =>
      walletSignPayment({ ...signOptions(values), amount: String(values.amount), x402: String(values.x402) }),
  },
];

function signOptions(values: Values) {
  return { ...targetOptions(values), wallet: String(values.wallet), wrong: text(values, 'wrong') };
}
