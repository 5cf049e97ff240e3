// Endpoints of top-ups, and of the facilitator that verifies and settles payments.

import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { keeping, ok } from '../../http/response.js';
import { facilitatorFields, notValid, verifySubmitted } from './facilitator.js';
import { isRefusal } from './payload.js';
import { networkOf } from './requirements.js';
import * as schema from './schema.js';
import { settle } from './settle.js';
import { topUpEndpoints } from './topup.js';

const path = '/api/v1/x402';

export const paymentEndpoints: Endpoint[] = [
  ...topUpEndpoints,
  endpoint({
    id: 'x402.supported',
    method: 'GET',
    harmless: true,
    path,
    summary: 'List the kinds of payment that are accepted',
    auth: 'public',
    responses: { 200: { description: 'The kinds of payment', schema: schema.supportedAnswer } },
    assumptions: ['x402.facilitator'],
    handle({ world }) {
      const { caip, name } = networkOf(world.config);
      const kinds = world.config.x402.versions.map((x402Version) => ({
        x402Version,
        scheme: 'exact',
        network: x402Version === 1 ? name : caip,
      }));
      const signers = { [caip]: [`0x${world.random.hex('x402', 'facilitator').slice(0, 40)}`] };
      return ok({ success: true, kinds, extensions: [], signers, version: '1.0.0' });
    },
  }),
  endpoint({
    id: 'x402.verify',
    method: 'POST',
    path: `${path}/verify`,
    summary: 'Check a payment without settling it',
    auth: 'public',
    body: schema.facilitatorBody,
    responses: { 200: { description: 'The payment is valid', schema: schema.verifyAnswer } },
    assumptions: ['x402.facilitator'],
    besideError: {
      schema: schema.notVerified,
      of: (error) => ({ isValid: false, ...facilitatorFields('invalidReason', error) }),
    },
    prepare: verifySubmitted,
    handle: ({ prepared }) => ok({ isValid: true, payer: prepared.payment.payer }),
  }),
  endpoint({
    id: 'x402.settle',
    method: 'POST',
    path: `${path}/settle`,
    summary: 'Settle a payment: transfer the USDC, once',
    auth: 'public',
    body: schema.facilitatorBody,
    responses: { 200: { description: 'The USDC are transferred', schema: schema.settleAnswer } },
    assumptions: ['x402.facilitator'],
    besideError: {
      schema: schema.notSettled,
      of: (error) => ({ transaction: '', network: '', ...facilitatorFields('errorReason', error) }),
    },
    prepare: verifySubmitted,
    handle({ world, operation, requestId, now: at, prepared: { payment, requirement } }) {
      const settlement = settle(world, payment, requirement.network, { operation, requestId, at });
      if (isRefusal(settlement)) return keeping(notValid(settlement, payment.payer));
      const { transaction, network } = settlement;
      return ok({ success: true, transaction, network, payer: payment.payer });
    },
  }),
];
