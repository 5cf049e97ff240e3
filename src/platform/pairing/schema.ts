// Schemas of pairing: a page of an agent gets a key for a token that its owner was given.

import * as z from 'zod';
import { characters, success } from '../../http/wire.js';

const token = characters(1, 200).describe('The token of the pairing, which can be used once');
const agentId = characters(1, 200).describe('The agent that the token must be for');

export const pairBody = z.lazy(() => z.object({ token, agentId: agentId.optional() }));

export const nativeBody = z.lazy(() =>
  z.object({ token, agentId, expectedOrigin: characters(1, 2_000).describe('The origin that the token must be for') }),
);

export const pageQuery = z.lazy(() => z.object({ token: z.string().max(200).default('') }));

export const pageBody = z.lazy(() => z.object({ token: token.optional() }));

export const pairAnswer = z.lazy(() =>
  z.object({
    message: z.string(),
    apiKey: z.string(),
    agentName: z.string(),
    agentId: z.string(),
  }),
);

export const tokenAnswer = z.lazy(() =>
  z.object({
    success,
    data: z.object({
      token: z.string(),
      redirectUrl: z.string().describe('The page of the agent, which pairs with the token in it'),
      expiresIn: z.int().describe('Seconds of virtual time'),
    }),
  }),
);

export const startingAnswer = z.lazy(() =>
  z.object({
    success,
    data: z.object({
      agentId: z.string(),
      status: z.literal('starting'),
      jobId: z.string(),
      alreadyInProgress: z.boolean(),
      retryAfterMs: z.int(),
      message: z.string(),
    }),
  }),
);
