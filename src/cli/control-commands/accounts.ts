// The verbs for organizations, credits, keys, wallets and payments.

import type { OperationCommand } from '../operation-command.js';

export const accountCommands: readonly OperationCommand[] = [
  {
    door: 'control.organizations.list',
    line: 'organization list',
    bare: true,
    examples: [['organization list', 'with their credits']],
  },
  {
    door: 'control.organizations.create',
    line: 'organization create',
    examples: [['organization create --credits 0.4 --plan pro', 'prints its key']],
  },
  {
    door: 'control.organizations.credits',
    line: 'organization credits <id>',
    needs:
      'organization credits needs one of --set, --add and --fail-nth: `cloudemu organization credits <id> --set 10`',
    examples: [
      ['organization credits 30a05d5a-617c-… --set 0.4', 'too little for a deployment'],
      ['organization credits 30a05d5a-617c-… --add -5', 'takes five'],
      ['organization credits 30a05d5a-617c-… --fail-nth 2', 'the charge after the next one is refused'],
    ],
  },
  {
    door: 'control.ledger',
    line: 'ledger',
    columns: 'at type amount balanceAfter reason operation?',
    examples: [['ledger', 'what was charged, refunded and paid in']],
  },
  {
    door: 'control.keys',
    line: 'key list',
    bare: true,
    columns: 'id name usable apiKey? organizationId?',
    examples: [['key list --json', 'the values of the keys that were made for tests']],
  },
  {
    door: 'control.keys.create',
    line: 'key create',
    examples: [['key create --permissions chat:read --expires-in 10m', 'one that may little, and not for long']],
  },
  {
    door: 'control.wallets',
    line: 'wallet list',
    columns: 'index address privateKey?',
    examples: [['wallet list', 'import one into a wallet, or give its key to your client']],
  },
  {
    door: 'control.wallets.create',
    line: 'wallet create',
    examples: [['wallet create', 'one more, with its private key']],
  },
  {
    door: 'control.payments.list',
    line: 'payments list',
    bare: true,
    columns: 'at status amount payer reason? operation? requestId?',
    examples: [['payments', 'what was paid with USDC']],
  },
  {
    door: 'control.payments.fail',
    line: 'payments fail <reason>',
    names: { failNext: 'reason' },
    examples: [
      ['payments fail insufficient_funds', 'the next payment is verified, and then not settled'],
      ['payments fail null', 'called off'],
    ],
  },
  {
    door: 'control.payments.balances',
    line: 'payments balances',
    examples: [['payments balances', 'of those wallets whose balance has changed']],
  },
  {
    door: 'control.payments.setBalance',
    line: 'payments balance <address> <usdc>',
    examples: [['payments balance 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 0.5', 'too little for a top-up']],
  },
  {
    door: 'control.assumptions',
    line: 'assumptions',
    needsNone: true,
    columns: 'id text setting? level?',
    examples: [['assumptions', 'the guesses that answers rest on']],
  },
];
