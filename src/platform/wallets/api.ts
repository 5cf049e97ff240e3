// Endpoints of signing in with a wallet.

import type * as z from 'zod';
import { documented, todays } from '../../config/profiles.js';
import { toCredits, toMicros } from '../../core/money.js';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { json, ok } from '../../http/response.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { presentOrganization } from '../accounts/present.js';
import { usdcFor } from '../credits/dollars.js';
import { mintKey } from '../keys/mint.js';
import { deactivateKey } from '../keys/store.js';
import { accountOfWallet, type WalletAccount } from './accounts.js';
import * as schema from './schema.js';
import { checkSignIn, expectSignIn, issueNonce, type SignIn, statementOf, useNonce } from './sign-in.js';
import { replaceSignInKey } from './store.js';

export const walletEndpoints: Endpoint[] = [
  endpoint({
    id: 'auth.siweNonce',
    method: 'GET',
    path: '/api/auth/siwe/nonce',
    summary: 'Get a nonce and the other contents of a sign-in message; the nonce can be used once',
    auth: 'public',
    limit: 'siweNonce',
    query: schema.nonceQuery,
    responses: { 200: { description: 'A nonce, and the rest of the message', schema: schema.nonceAnswer } },
    assumptions: ['siwe.nonce'],
    handle({ world, query, baseUrl, now, warn }) {
      const chainId = readChainId(query.chainId, warn);
      const nonce = world.db.transaction(() => issueNonce(world, baseUrl, chainId, now));
      const { domain, uri, chain_id } = nonce;
      const shown = { nonce: nonce.nonce, domain, uri, chainId: chain_id, version: '1', statement: statementOf(world) };
      // A module that fails to load here fails again in the sign-in, which reports it.
      expectSignIn().catch(() => {});
      return json(200, shown, { 'Cache-Control': 'no-store' });
    },
  }),
  signIn(documented, schema.verifyAnswer, []),
  signIn(todays, schema.welcomeAnswer, ['siwe.welcome'], presentWelcome),
];

function signIn(
  profiles: NonNullable<Endpoint['profiles']>,
  answer: z.ZodType,
  assumptions: NonNullable<Endpoint['assumptions']>,
  more?: typeof presentWelcome,
): Endpoint {
  return endpoint({
    id: 'auth.siweVerify',
    profiles,
    method: 'POST',
    path: '/api/auth/siwe/verify',
    summary: 'Sign in with a signed message; each sign-in creates a key, and the first one an account',
    auth: 'public',
    limit: 'siweVerify',
    body: schema.verifyBody,
    secrets: ['signature'],
    responses: { 200: { description: 'A key of the wallet’s account', schema: answer } },
    errors: ['UNAUTHORIZED'],
    assumptions: ['siwe.verify', 'wallet.account', ...assumptions],
    prepare: ({ world, body, now }): Promise<SignIn> => checkSignIn(world, body, now),
    handle({ world, prepared: { address, nonce }, operation, requestId, now }) {
      useNonce(world, nonce, now);
      const account = accountOfWallet(world, address, { at: now, operation, requestId });
      const { id: userId, organization_id: organizationId } = account.user;
      const { key, value } = mintKey(world, { organizationId, userId, name: 'SIWE sign-in', at: now });
      const former = replaceSignInKey(world.db, userId, key.id);
      if (former !== undefined) deactivateKey(world.db, former, now);
      return ok({
        ...presentSignIn(address, value, account),
        ...more?.(world, account),
      });
    },
  });
}

function readChainId(text: string | undefined, warn: (text: string) => void): number {
  if (text === undefined) return 1;
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return Number(text);
  warn('query.chainId is not a chain id: 1 is used');
  return 1;
}

// A sign-in as responses show it.

/** The user who signed in, and the key for further requests. */
function presentSignIn(address: string, apiKey: string, { user, organization, isNew }: WalletAccount) {
  return {
    success: true,
    apiKey,
    address,
    isNewAccount: isNew,
    user: {
      id: user.id,
      name: user.name,
      role: user.role,
      wallet_address: user.wallet_address,
      organization_id: user.organization_id,
      created_at: iso(user.created_at),
    },
    organization: presentOrganization(organization),
  };
}

/** What a new account was given, as today's server tells it. Nothing is ever withheld here. */
function presentWelcome(world: World, { isNew }: WalletAccount) {
  const { initialFree } = world.config.credits;
  return {
    initialCreditsGranted: isNew && initialFree > 0,
    initialFreeCreditsUsd: isNew ? toCredits(usdcFor(world, toMicros(initialFree))) : 0,
    welcomeBonusWithheld: false,
    welcomeBonusWithheldReason: null,
    welcomeBonusWithheldMessage: null,
  };
}
