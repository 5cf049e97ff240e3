// Endpoints of billing: what costs credits at present, what was taken for it, how to stop it, and the settings.

import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { countMovements } from '../credits/store.js';
import { activeResources, dailyCostOf } from './active.js';
import { cancelResource } from './cancel.js';
import { billingLedger } from './ledger.js';
import * as schema from './schema.js';
import { changeSettings, noPaymentMethod, presentSettings } from './settings.js';

const base = '/api/v1/billing';

export const billingEndpoints: Endpoint[] = [
  endpoint({
    id: 'billing.active',
    method: 'GET',
    path: `${base}/active`,
    summary: 'List what costs credits as time passes, and how to stop it',
    permission: 'unrestricted',
    responses: { 200: { description: 'The resources with their prices', schema: schema.activeAnswer } },
    assumptions: ['billing.active', 'money'],
    prepare: ({ world, caller, now }) => activeResources(world, caller.organizationId, now),
    handle: ({ prepared }) =>
      ok({
        success: true,
        resources: prepared,
        totalActive: prepared.length,
        estimatedDailyCost: dailyCostOf(prepared),
      }),
  }),
  endpoint({
    id: 'billing.ledger',
    method: 'GET',
    path: `${base}/ledger`,
    summary: 'List movements of credits, newest first, with the resources that they were for',
    permission: 'unrestricted',
    query: schema.ledgerQuery,
    responses: { 200: { description: 'The movements, newest first', schema: schema.ledgerAnswer } },
    assumptions: ['billing.ledger', 'money'],
    handle({ world, caller, query }) {
      const ledger = billingLedger(world, caller.organizationId, query);
      return ok({ success: true, ledger, total: countMovements(world.db, caller.organizationId, 0) });
    },
  }),
  endpoint({
    id: 'billing.cancel',
    method: 'POST',
    path: `${base}/resources/{id}/cancel`,
    summary: 'Stop what costs credits as time passes, or delete it',
    permission: 'unrestricted',
    params: schema.cancelParams,
    query: schema.cancelQuery,
    body: schema.cancelBody,
    bodyOptional: true,
    example: { mode: 'stop' },
    responses: { 200: { description: 'It costs nothing any more', schema: schema.cancelAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['billing.cancel'],
    handle(call) {
      const { params, query, body } = call;
      const type = body.resourceType ?? query.resourceType;
      return ok({ success: true, ...cancelResource(call, params.id, { type, mode: body.mode }) });
    },
  }),
  endpoint({
    id: 'billing.settings',
    method: 'GET',
    path: `${base}/settings`,
    summary: 'Get the billing settings of the organization',
    permission: 'unrestricted',
    responses: { 200: { description: 'The settings', schema: schema.settingsAnswer } },
    assumptions: ['billing.settings'],
    handle: ({ world, caller }) => ok({ success: true, settings: presentSettings(world, caller.organizationId) }),
  }),
  endpoint({
    id: 'billing.settings',
    method: 'PUT',
    path: `${base}/settings`,
    summary: 'Change the billing settings of the organization',
    permission: 'unrestricted',
    body: schema.settingsBody,
    example: { payAsYouGoFromEarnings: false },
    flatAs: (error) => (error.message.includes(noPaymentMethod) ? { error: noPaymentMethod } : {}),
    responses: { 200: { description: 'The settings after the change', schema: schema.settingsAnswer } },
    assumptions: ['billing.settings'],
    handle(call) {
      changeSettings(call, call.body);
      const settings = presentSettings(call.world, call.caller.organizationId);
      return ok({ success: true, message: 'Billing settings updated successfully', settings });
    },
  }),
];
