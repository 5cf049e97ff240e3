// Control operation of pairings: a token at once, for tests of what uses it.

import * as z from 'zod';
import { type ControlContext, operation } from '../../control/operation.js';
import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { iso } from '../../http/wire.js';
import { emulatorFacts } from '../../world/given.js';
import { seededIdentity } from '../../world/seeded.js';
import { namedHostedAgent } from '../hosted-agents/access.js';
import { createRunningAgent } from '../hosted-agents/create.js';
import { beginPairing } from './tokens.js';

export const pairingRequest = z.lazy(() =>
  z.object({
    agentId: z.string().optional().describe('Id or name of a hosted agent; by default a running one is made'),
    origin: z
      .string()
      .max(2_000)
      .optional()
      .describe('Origin of the page that uses the token; by default the emulator’s'),
  }),
);

/** The agent and the origin of a pairing; each part may be left out. */
export type PairingRequest = z.input<typeof pairingRequest>;

export const pairing = z.lazy(() =>
  z.object({
    token: z.string(),
    origin: z.string(),
    agentId: z.string(),
    expiresAt: z.string().describe('In virtual time'),
  }),
);

/** A token that was just made. */
export type ControlledPairing = z.output<typeof pairing>;

export const pairingOperations = {
  /**
   * Makes a token with which a page gets a key: `POST /api/auth/pair` with the header `Origin`, once, within 60 seconds of
   * virtual time.
   *
   * @example const { token, origin } = controls.pairings.create({ origin: 'http://localhost:3000' });
   * @throws ApiError NOT_FOUND for an agent that is not there; VALIDATION_ERROR for what is no origin
   */
  create: operation({
    id: 'control.pairings.create',
    route: 'POST /pairings',
    summary: 'Make a token with which the page of a hosted agent gets a key',
    body: pairingRequest,
    bodyOptional: true,
    output: pairing,
    errors: ['NOT_FOUND'],
    command: {
      line: 'pairing create',
      examples: [
        ['pairing create', 'for a new agent, and for the emulator’s own origin'],
        ['pairing create --origin http://localhost:3000', 'for a page of yours'],
      ],
    },
    run: (context: ControlContext, { agentId, origin }: PairingRequest = {}): ControlledPairing => {
      const { world } = context;
      const now = world.clock.now();
      world.settle(now);
      const wanted = origin === undefined ? originOf(context) : checkedOrigin(origin);
      return world.db.transaction(() => {
        const { organizationId, userId } = seededIdentity(world);
        const agent =
          agentId === undefined
            ? createRunningAgent(world, { organizationId, userId })
            : namedHostedAgent(world, agentId, 'agentId');
        const begun = beginPairing(world, {
          agent,
          userId: agent.user_id,
          permissions: null,
          origin: wanted,
          now,
        });
        return { token: begun.token, origin: wanted, agentId: agent.id, expiresAt: iso(begun.expiresAt) };
      });
    },
  }),
};

function originOf({ world, origin }: ControlContext): string {
  return new URL(origin ?? emulatorFacts.of(world).origin()).origin;
}

function checkedOrigin(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text;
  throw invalid({
    path: 'origin',
    message: 'must be an origin as browsers send it: http://localhost:3000',
    received: describe(text),
    ...(URL.canParse(text) && new URL(text).origin !== 'null' && { suggestion: new URL(text).origin }),
  });
}
