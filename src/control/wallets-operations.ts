// The control operations of test wallets.

import * as z from 'zod';
import { walletRequest } from '../modules/wallets/controls.js';
import { type ControlOperation, control, listed } from './operation.js';

const wallet = z.object({
  index: z.int(),
  address: z.string(),
  privateKey: z.string(),
  organizationId: z.string().nullable(),
});

export const walletOperations: readonly ControlOperation[] = [
  control({
    id: 'control.wallets',
    method: 'GET',
    path: '/_emulator/wallets',
    summary: 'List the test wallets and their private keys',
    response: listed('wallets', wallet),
    act: (controls) => controls.wallets.list(),
  }),
  control({
    id: 'control.wallets.create',
    method: 'POST',
    path: '/_emulator/wallets',
    summary: 'Create another test wallet, or the one with a given index',
    body: walletRequest,
    bodyOptional: true,
    response: wallet,
    act: (controls, { body }) => controls.wallets.create(body),
  }),
];
