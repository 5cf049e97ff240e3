// Endpoints of billing: what costs credits at present, what was taken for it, how to stop it, and the settings.

import { found } from '../../core/errors.js';
import { toCredits } from '../../core/money.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { iso, isoOrNull } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { nextMidnight } from '../containers/lifecycle/billing.js';
import { removeContainer } from '../containers/lifecycle/deletion.js';
import { intervene } from '../containers/lifecycle/interventions.js';
import { containerAt } from '../containers/lifecycle/lifecycle.js';
import { dailyPrice } from '../containers/lifecycle/pricing.js';
import { type ContainerRecord, findContainer, listContainers } from '../containers/store.js';
import { presentBilling } from '../containers/wire/present.js';
import { billedFor, countMovements, type LedgerRow, latestMovements } from '../credits/store.js';
import { agentResources, type Cancelled, cancelAgent, cancelEndpointOf, type Resource } from './agents.js';
import * as schema from './schema.js';
import { changeSettings, noPaymentMethod, presentSettings } from './settings.js';
import { containersOfDeployments } from './store.js';

const base = '/api/v1/billing';

export const billingEndpoints: Endpoint[] = [
  endpoint({
    id: 'billing.active',
    method: 'GET',
    harmless: true,
    path: `${base}/active`,
    summary: 'List what costs credits as time passes, and how to stop it',
    permission: 'unrestricted',
    responses: { 200: { description: 'The resources with their prices', schema: schema.activeAnswer } },
    assumptions: ['billing.active', 'money'],
    prepare: ({ world, caller, now }) => activeResources(world, caller.organizationId, now),
    handle({ prepared }) {
      const cost = prepared.reduce((sum, one) => sum + one.unitPrice * (one.billingInterval === 'hour' ? 24 : 1), 0);
      const estimatedDailyCost = Math.round(cost * 1e6) / 1e6;
      return ok({ success: true, resources: prepared, totalActive: prepared.length, estimatedDailyCost });
    },
  }),
  endpoint({
    id: 'billing.ledger',
    method: 'GET',
    harmless: true,
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
    harmless: true,
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

// What costs an organization credits as time passes: its containers that run, and its hosted agents.

/** All of an organization: its containers and then its hosted agents, the newest first. */
function activeResources(world: World, organizationId: string, now: number): Resource[] {
  const resources: Resource[] = [];
  for (const record of listContainers(world.db, organizationId)) {
    const resource = containerResource(world, record, now);
    if (resource !== undefined) resources.push(resource);
  }
  return [...resources, ...agentResources(world, organizationId, now)];
}

function containerResource(world: World, record: ContainerRecord, now: number): Resource | undefined {
  const state = containerAt(record.deployments, now);
  const spec = state.serving?.deployment.spec;
  if (spec === undefined) return undefined;
  const billing = presentBilling(world, record, state, now);
  const { total, last } = billedFor(world.db, record.id);
  const isBilled = world.config.billing.daily;
  return {
    resourceType: 'container',
    resourceId: record.id,
    name: record.name,
    status: state.status,
    billingStatus: billing?.billing_status ?? 'active',
    unitPrice: isBilled ? toCredits(dailyPrice(world.config, spec).amount) : 0,
    billingInterval: 'day',
    lastBilledAt: isoOrNull(last),
    nextBillingAt: billing?.next_billing_at ?? null,
    estimatedNextBillingAt: isBilled ? iso(nextMidnight(now)) : null,
    totalBilled: toCredits(total),
    cancelEndpoint: cancelEndpointOf(world, 'container', record.id),
    cancelAction: 'stop',
    metadata: {
      projectName: record.project_name,
      cpu: spec.cpu,
      memory: spec.memory,
      desiredCount: spec.desired_count,
    },
  };
}

// Stops what costs credits as time passes.

/**
 * Stops or deletes a resource of the caller's organization, within his transaction. One that is stopped already stays so.
 *
 * @throws ApiError NOT_FOUND, also where the id is that of another type
 */
function cancelResource(
  call: HandlerContext,
  id: string,
  { type, mode }: { type: Resource['resourceType'] | undefined; mode: 'stop' | 'delete' },
): Cancelled {
  const { world, caller, now } = call;
  const record = type === 'agent_sandbox' ? undefined : findContainer(world.db, id, caller.organizationId);
  if (record === undefined) {
    const cancelled = type === 'container' ? undefined : cancelAgent(call, id, mode);
    return found(cancelled, 'Billable resource not found');
  }
  const named = { resourceType: 'container', resourceId: id, action: mode } as const;
  if (mode === 'delete') {
    removeContainer(world, record, now);
    const left = findContainer(world.db, id);
    const status = left === undefined ? 'deleted' : containerAt(left.deployments, now).status;
    return { ...named, status, message: 'The container is being deleted' };
  }
  const isStopped = containerAt(record.deployments, now).status === 'stopped';
  const stopped = isStopped ? record : intervene(world, id, { kind: 'stop' });
  // The intervention takes effect at the present instant, which may be later than that of the request.
  const { status } = containerAt(stopped.deployments, world.clock.now());
  return { ...named, status, message: 'The container is stopped' };
}

// The ledger as billing shows it: each movement with the resource that it was for.

/** A page of the movements of an organization, the newest first. */
function billingLedger({ db }: World, organizationId: string, page: { limit: number; offset: number }) {
  const rows = latestMovements(db, organizationId, 0, page);
  const deployments = rows.flatMap(({ operation, subject }) =>
    operation?.startsWith('containers.') === true && subject !== null ? [subject] : [],
  );
  const containers = containersOfDeployments(db, deployments);
  return rows.map((row) => {
    const { id, amount, type, reason, price_rule, operation, request_id, subject, created_at } = row;
    const explained = { price_rule, operation, request_id, subject };
    const resourceType = resourceTypeOf(row);
    return {
      id,
      amount: toCredits(amount),
      type,
      description: reason,
      createdAt: iso(created_at),
      source: 'credit_transaction',
      resourceType,
      resourceId: resourceType === 'container' ? containerOf(row, containers) : subject,
      metadata: Object.fromEntries(Object.entries(explained).filter(([, value]) => value !== null)),
    };
  });
}

function resourceTypeOf({
  type,
  operation,
}: LedgerRow): 'container' | 'agent_sandbox' | 'credits' | 'usage' | 'unknown' {
  const noun = operation?.split('.')[0];
  if (noun === 'containers' || operation === 'billing.daily') return 'container';
  if (noun === 'hostedAgents' || noun === 'jobs' || operation === 'billing.hourly') return 'agent_sandbox';
  if (type === 'charge' || type === 'refund') return operation === null ? 'unknown' : 'usage';
  return 'credits';
}

// Charges of deployments name these, those of days their container.
function containerOf({ operation, subject }: LedgerRow, containers: ReadonlyMap<string, string>): string | null {
  if (subject === null || operation === 'billing.daily') return subject;
  return containers.get(subject) ?? null;
}
