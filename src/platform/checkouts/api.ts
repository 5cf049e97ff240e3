// Endpoints of purchases of credits: begun and verified by a client, paid on a page of the emulator.

import { ApiError } from '../../core/errors.js';
import { toCredits } from '../../core/money.js';
import { wantsPage } from '../../http/accept.js';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { redirect } from '../sessions/pages.js';
import { beginCheckout, checkoutOf, payCheckout, statusAt, successUrlOf } from './checkout.js';
import { checkoutPage } from './pages.js';
import * as schema from './schema.js';

const page = { auth: 'public', page: true, path: '/checkout/sessions/{sessionId}', params: schema.pageParams } as const;

export const checkoutEndpoints: Endpoint[] = [
  endpoint({
    id: 'credits.checkout',
    method: 'POST',
    path: '/api/v1/credits/checkout',
    summary: 'Begin a purchase of credits: a person pays on the page of the returned URL',
    permission: 'unrestricted',
    body: schema.checkoutBody,
    example: { credits: 10, success_url: 'http://localhost:3000/paid', cancel_url: 'http://localhost:3000/credits' },
    responses: { 200: { description: 'The purchase waits for its payment', schema: schema.checkoutAnswer } },
    errors: ['CONFLICT'],
    assumptions: ['credits.checkout', 'credits.idempotency', 'money'],
    handle(call) {
      const { id } = beginCheckout(call, call.body);
      return ok({ url: `${call.baseUrl}/checkout/sessions/${id}`, sessionId: id });
    },
  }),
  endpoint({
    id: 'credits.verifyCheckout',
    method: 'GET',
    path: '/api/v1/credits/verify',
    summary: 'Say whether a purchase of credits was paid',
    permission: 'unrestricted',
    query: schema.verifyQuery,
    responses: { 200: { description: 'Whether it was paid', schema: schema.verifyAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['credits.checkout', 'money'],
    handle({ world, caller, query, now }) {
      const checkout = checkoutOf(world, query.session_id);
      const { organization_id, user_id, amount } = checkout;
      if (organization_id !== caller.organizationId || user_id !== caller.userId)
        throw new ApiError('FORBIDDEN', { message: 'This checkout belongs to somebody else' });
      if (statusAt(checkout, now) !== 'paid')
        return ok({ success: false, error: 'Payment not completed', status: 'unpaid' });
      return ok({ success: true, amount: toCredits(amount), message: 'Payment verified successfully' });
    },
  }),
  endpoint({
    ...page,
    id: 'credits.checkoutPage',
    method: 'GET',
    summary: 'Show the page on which a person pays a purchase of credits',
    responses: { 200: { description: 'A page for the browser', contentTypes: ['text/html'] } },
    errors: ['NOT_FOUND'],
    assumptions: ['credits.checkout'],
    handle({ world, params, now, baseUrl }) {
      const checkout = checkoutOf(world, params.sessionId);
      const prefix = new URL(baseUrl).pathname.replace(/\/+$/, '');
      return checkoutPage(world, { checkout, status: statusAt(checkout, now), prefix });
    },
  }),
  endpoint({
    ...page,
    id: 'credits.payCheckout',
    method: 'POST',
    summary: 'Pay a purchase of credits, as the button on its page does: the credits are there',
    responses: {
      200: { description: 'It is paid', schema: schema.paidAnswer },
      303: { description: 'Leads a browser on, which is one that accepts text/html', contentTypes: ['text/plain'] },
    },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['credits.checkout', 'money'],
    handle(call) {
      const { world, params, now: at, operation, requestId } = call;
      const checkout = payCheckout(world, checkoutOf(world, params.sessionId), { at, operation, requestId });
      const successUrl = successUrlOf(checkout).href;
      if (wantsPage(call.header('accept'))) return redirect(successUrl);
      return ok({ success: true, sessionId: checkout.id, status: 'paid', successUrl });
    },
  }),
];
