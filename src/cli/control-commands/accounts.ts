// The commands for organizations, credits, keys, wallets and payments.

import type { OperationCommand } from '../operation-command.js';

export const accountCommands: readonly OperationCommand[] = [
  {
    operation: 'control.organizations.list',
    line: 'organization list',
    bare: true,
    examples: [['organization list', 'organizations and their balances']],
  },
  {
    operation: 'control.organizations.create',
    line: 'organization create',
    examples: [['organization create --credits 0.4 --plan pro', 'prints its key']],
  },
  {
    operation: 'control.organizations.credits',
    line: 'organization credits <id>',
    needs:
      'organization credits needs one of --set, --add and --fail-nth: `cloudemu organization credits <id> --set 10`',
    examples: [
      ['organization credits 30a05d5a-617c-… --set 0.4', 'not enough for a deployment'],
      ['organization credits 30a05d5a-617c-… --add -5', 'subtracts five'],
      ['organization credits 30a05d5a-617c-… --fail-nth 2', 'the second charge from now on fails'],
    ],
  },
  {
    operation: 'control.ledger',
    line: 'ledger',
    columns: 'at type amount balanceAfter reason operation?',
    examples: [['ledger', 'charges, refunds and top-ups']],
  },
  {
    operation: 'control.keys',
    line: 'key list',
    bare: true,
    columns: 'id name usable apiKey? organizationId?',
    examples: [['key list --json', 'includes the values of test keys']],
  },
  {
    operation: 'control.keys.create',
    line: 'key create',
    examples: [['key create --permissions chat:read --expires-in 10m', 'a key with one permission that expires soon']],
  },
  {
    operation: 'control.wallets',
    line: 'wallet list',
    columns: 'index address privateKey?',
    examples: [['wallet list', 'import one into a wallet, or use its key in your client']],
  },
  {
    operation: 'control.wallets.create',
    line: 'wallet create',
    examples: [['wallet create', 'creates another one and prints its private key']],
  },
  {
    operation: 'control.payments.list',
    line: 'payments list',
    bare: true,
    columns: 'at status amount payer reason? operation? requestId?',
    examples: [['payments', 'all payments with USDC']],
  },
  {
    operation: 'control.payments.fail',
    line: 'payments fail <reason>',
    names: { failNext: 'reason' },
    examples: [
      ['payments fail insufficient_funds', 'the next payment is verified but not settled'],
      ['payments fail null', 'cancels the failure'],
    ],
  },
  {
    operation: 'control.payments.balances',
    line: 'payments balances',
    examples: [['payments balances', 'wallets whose balance has changed']],
  },
  {
    operation: 'control.payments.setBalance',
    line: 'payments balance <address> <usdc>',
    examples: [['payments balance 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 0.5', 'not enough for a top-up']],
  },
  {
    operation: 'control.assumptions',
    line: 'assumptions',
    needsNone: true,
    columns: 'id text setting? level?',
    examples: [['assumptions', 'where responses rest on an assumption']],
  },
];
