// Schemas of logins, in browsers and of command-line clients.

import * as z from 'zod';
import { characters, confirmation, isoTime, success } from '../../http/wire.js';
import { userAnswer } from '../accounts/schema.js';

const returnTo = z
  .string()
  .max(2_000)
  .optional()
  .meta({ description: 'URL to return to, on this emulator or an origin that server.corsOrigins lists' });

export const pageQuery = z.lazy(() => z.object({ return_to: returnTo }));

export const loginBody = z.lazy(() =>
  z
    .object({
      userId: z.string().max(100).optional(),
      email: z.string().max(320).optional(),
      return_to: returnTo,
    })
    .refine(({ userId, email }) => (userId === undefined) !== (email === undefined), {
      message: 'must name one user, by userId or by email',
    }),
);

export const logoutBody = z.lazy(() => z.object({ return_to: returnTo }));
export const logoutAnswer = confirmation;

export const loginAnswer = z.lazy(() =>
  z.object({
    success,
    token: z.string().meta({ description: 'To be sent as Authorization: Bearer; the cookie holds the same' }),
    tokenType: z.literal('Bearer'),
    expiresAt: isoTime,
    user: userAnswer.unwrap().shape.data,
  }),
);

export const cliPageQuery = z.lazy(() =>
  z.object({
    session: z.string().max(200).optional().meta({ description: 'Session id that the command line has started' }),
  }),
);

const sessionId = characters(1, 200)
  .refine((text) => /^[\w.~:-]*$/.test(text), {
    message: 'must consist of letters, digits and . _ ~ : - so that it can stand in a path',
  })
  .meta({ minLength: 1, maxLength: 200, pattern: '^[\\w.~:-]*$' });

export const cliStartBody = z.lazy(() =>
  z.object({
    sessionId: sessionId.meta({
      description: 'Chosen by the command line; keep it secret, as anyone who has it gets the key',
    }),
  }),
);

// The path accepts any text: an id of the wrong form is simply not found.
export const cliParams = z.lazy(() => z.object({ sessionId: z.string() }));

export const todaysCliParams = z.lazy(() =>
  z.object({ sessionId: z.guid('must be the UUID that the start of the login has returned') }),
);

export const cliTokenParams = z.lazy(() => z.object({ session: z.string() }));

export const cliStartAnswer = z.lazy(() =>
  z.object({ sessionId: z.string(), status: z.literal('pending'), expiresAt: isoTime }),
);

const keyHandedOut = { apiKey: z.string(), keyPrefix: z.string(), expiresAt: isoTime.nullable() };

export const cliPollAnswer = z.lazy(() =>
  z.union([
    z.object({ status: z.literal('authenticated'), ...keyHandedOut }),
    z.object({ status: z.literal('authenticated'), message: z.string() }),
    z.object({ status: z.enum(['pending', 'expired']) }),
  ]),
);

export const todaysCliPollAnswer = z.lazy(() =>
  z.union([
    z.object({ status: z.literal('authenticated'), ...keyHandedOut }),
    z.object({ status: z.literal('authenticated'), message: z.string() }),
    z.object({ status: z.literal('pending') }),
  ]),
);

export const cliTokenAnswer = z.lazy(() => z.object(keyHandedOut));
export const cliWaitingAnswer = z.lazy(() => z.object({ status: z.literal('pending') }));

export const cliCompleteAnswer = z.lazy(() => z.object({ success, ...keyHandedOut }));
