// Schemas of signing in with a wallet.

import * as z from 'zod';
import { id, isoTime } from '../../http/wire.js';

export const nonceQuery = z.lazy(() =>
  z.object({
    chainId: z.string().optional().meta({
      type: 'integer',
      minimum: 1,
      description: 'Chain id for the message; an invalid one counts as 1',
    }),
  }),
);

export const nonceAnswer = z.lazy(() =>
  z.object({
    nonce: z.string().meta({ description: 'Good for one sign-in, for five minutes' }),
    domain: z.string().meta({ description: 'What the message must begin with' }),
    uri: z.string(),
    chainId: z.int(),
    version: z.literal('1'),
    statement: z.string(),
  }),
);

const maxMessage = 10_000;

export const verifyBody = z.lazy(() =>
  z.object({
    message: z.string().min(1).max(maxMessage).meta({ description: 'The signed EIP-4361 message' }),
    signature: z.string().min(1).meta({ description: 'Signature of 65 bytes, in hexadecimal' }),
  }),
);

export const verifyAnswer = z.lazy(() =>
  z.object({
    success: z.literal(true),
    apiKey: z.string().meta({ description: 'The value of a new key; it is shown this once' }),
    address: z.string().meta({ description: 'With its checksum (EIP-55)' }),
    isNewAccount: z.boolean(),
    user: z.object({
      id,
      name: z.string(),
      role: z.string(),
      wallet_address: z.string(),
      organization_id: id,
      created_at: isoTime,
    }),
    organization: z.object({ id, name: z.string(), slug: z.string(), credit_balance: z.number() }),
  }),
);

export const welcomeAnswer = z.lazy(() =>
  verifyAnswer.unwrap().extend({
    initialCreditsGranted: z.boolean().meta({ description: 'Whether this sign-in made an account with credits' }),
    initialFreeCreditsUsd: z.number().meta({ description: 'What the account was given at this sign-in' }),
    welcomeBonusWithheld: z.boolean(),
    welcomeBonusWithheldReason: z.string().nullable(),
    welcomeBonusWithheldMessage: z.string().nullable(),
  }),
);
