// Control operations of purchases of credits: list them, and pay one.

import * as z from 'zod';
import { listed, operation } from '../../control/operation.js';
import { noSuch } from '../../control/options.js';
import { toCredits } from '../../core/money.js';
import { iso, isoOrNull } from '../../http/wire.js';
import { checkoutStatuses, payCheckout, statusAt, successUrlOf } from './checkout.js';
import { type Checkout, findCheckout, listCheckouts } from './store.js';

export const checkout = z.lazy(() =>
  z.object({
    sessionId: z.string(),
    status: z.enum(checkoutStatuses).describe('expired: nobody has paid it within a day'),
    amount: z.number().describe('In dollars'),
    organizationId: z.string(),
    createdAt: z.string(),
    paidAt: z.string().nullable(),
    successUrl: z.string().describe('Where a browser is led after the payment'),
    cancelUrl: z.string(),
  }),
);

export type ControlledCheckout = z.output<typeof checkout>;

export const checkoutOperations = {
  /** Lists all purchases of credits by card, newest first. */
  list: operation({
    id: 'control.checkouts.list',
    route: 'GET /checkouts',
    summary: 'List all purchases of credits by card, newest first',
    output: listed('checkouts', checkout),
    command: {
      line: 'checkout list',
      columns: 'sessionId status amount createdAt? paidAt?',
      examples: [['checkout list', 'purchases of credits, and whether each was paid']],
    },
    run: ({ world }): ControlledCheckout[] =>
      listCheckouts(world.db).map((one) => presentCheckout(one, world.clock.now())),
  }),
  /**
   * Pays a purchase of credits, as the button on its page does: its organization gets the credits.
   *
   * @param sessionId as the client got it
   * @example controls.checkouts.paid(sessionId).successUrl
   * @throws ApiError NOT_FOUND; CONFLICT when it was paid before, or has expired
   */
  paid: operation({
    id: 'control.checkouts.paid',
    route: 'POST /checkouts/{sessionId}/paid',
    summary: 'Pay a purchase of credits, as the button on its page does',
    params: z.lazy(() => z.object({ sessionId: z.string().describe('The session’s id, as the client got it') })),
    output: checkout,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'checkout paid <session>',
      names: { sessionId: 'session' },
      examples: [['checkout paid cs_test_4f1c…', 'pays it: the credits are there']],
    },
    run: ({ world }, sessionId: string): ControlledCheckout => {
      const at = world.clock.now();
      world.settle(at);
      return world.db.transaction(() => {
        const found = findCheckout(world.db, sessionId);
        if (found === undefined) throw noSuch('checkout', sessionId);
        const by = { operation: 'control.checkouts.paid', requestId: null };
        return presentCheckout(payCheckout(world, found, { at, ...by }), at);
      });
    },
  }),
};

function presentCheckout(one: Checkout, now: number): ControlledCheckout {
  return {
    sessionId: one.id,
    status: statusAt(one, now),
    amount: toCredits(one.amount),
    organizationId: one.organization_id,
    createdAt: iso(one.created_at),
    paidAt: isoOrNull(one.paid_at),
    successUrl: successUrlOf(one).href,
    cancelUrl: one.cancel_url,
  };
}
