// Users on the wire.

import * as z from 'zod';
import { characters, id, isBlank, isoTime, someOf, success } from '../../http/wire.js';

export const updateUserBody = z.lazy(() =>
  someOf({
    name: z.string().trim().pipe(characters(1, 100)).meta({ minLength: 1, maxLength: 100 }),
    avatar: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .nullable(),
    // An empty one takes it away; one of spaces would show nothing where a name is expected.
    nickname: characters(0, 50)
      .refine((text) => text === '' || !isBlank(text), { message: 'must not be blank' })
      .nullable(),
    work_function: characters(0, 50)
      .nullable()
      .meta({ description: 'Field of work; any text, because the platform’s list is not known' }),
    preferences: characters(0, 1_000).nullable(),
    response_notifications: z.boolean(),
    email_notifications: z.boolean(),
  }),
);

const user = z.lazy(() =>
  z
    .object({
      id,
      email: z.string().nullable(),
      name: z.string(),
      avatar: z.string().nullable(),
      nickname: z.string().nullable(),
      work_function: z.string().nullable(),
      preferences: z.string().nullable(),
      response_notifications: z.boolean(),
      email_notifications: z.boolean(),
      role: z.string(),
      email_verified: z.boolean(),
      wallet_address: z.string().nullable(),
      wallet_chain_type: z.string().nullable(),
      wallet_verified: z.boolean(),
      is_active: z.boolean(),
      created_at: isoTime,
      updated_at: isoTime,
      organization: z.object({ id, name: z.string(), slug: z.string(), credit_balance: z.number() }),
    })
    .meta({ id: 'User' }),
);

export const userAnswer = z.lazy(() => z.object({ success, data: user }));
export const updateUserAnswer = z.lazy(() => userAnswer.unwrap().extend({ message: z.string() }));
