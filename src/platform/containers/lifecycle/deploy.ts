// Creating and updating containers. Everything here runs in the handler's transaction.

import { isTodaysServer } from '../../../config/profiles.js';
import { ApiError } from '../../../core/errors.js';
import type { Micros } from '../../../core/money.js';
import { nextOccurrence } from '../../../db/occurrences.js';
import type { HandlerContext } from '../../../http/endpoint.js';
import type { World } from '../../../world/world.js';
import { findOrganization } from '../../accounts/store.js';
import { chargeCaller, type Price } from '../../credits/ledger.js';
import { checkQuota } from '../../quotas/tiers.js';
import { containerSlug, stackNameOf } from '../address/address.js';
import { type InspectedImage, inspectImage, parseImage } from '../image.js';
import { processesOf } from '../processes.js';
import {
  type ContainerRecord,
  countContainers,
  findNamesakes,
  findPaidDeployment,
  insertContainer,
  insertDeployment,
  renameContainer,
} from '../store.js';
import type { Spec } from '../wire/schema.js';
import { isDeleting } from './deletion.js';
import { selectMode } from './failures.js';
import { containerAt } from './lifecycle.js';
import { type DeploymentSettings, settingsOfNext } from './outcomes.js';
import { drawPlan, type PlanInput } from './plan.js';
import { deployPrice } from './pricing.js';
import { scheduleRefund } from './refunds.js';
import { type Deployment, outcomeOf, timelineOf } from './timeline.js';

/** The caller, time and request of a deployment. */
type DeployCall = Pick<
  HandlerContext,
  'world' | 'caller' | 'now' | 'requestId' | 'operation' | 'payment' | 'header' | 'warn'
>;

export interface DeployRequest {
  name: string;
  project_name: string;
  description?: string | undefined;
  spec: Spec;
}

export interface Deployed {
  record: ContainerRecord;
  deducted: Micros;
  balance: Micros;
  /** The usual durations of its stages. */
  timing: DeploymentSettings['timing'];
}

/**
 * Creates a container, or redeploys the organization's container of that project_name. On today's server it creates one
 * in any case: projects have several there, and names are not unique.
 *
 * @throws ApiError NOT_FOUND (image), CONFLICT (name, deletion), QUOTA_EXCEEDED, INSUFFICIENT_CREDITS, in this order
 */
export function deployProject(context: DeployCall, request: DeployRequest): Deployed {
  const { world, caller } = context;
  const settings = settingsOfNext(world, request.project_name, request.spec.ecr_image_uri);
  const { image, mode } = selectOutcome(context, request.spec, settings);
  const names = { name: request.name, projectName: request.project_name };
  const { existing, nameTaken } = isTodaysServer(world.config)
    ? { existing: undefined, nameTaken: false }
    : findNamesakes(world.db, caller.organizationId, names);
  if (nameTaken) {
    throw new ApiError('CONFLICT', {
      message: `Another container of your organization is named ${JSON.stringify(request.name)}; choose another name, or its project_name to update it`,
    });
  }
  if (existing !== undefined) refuseDeleting(existing);
  if (existing === undefined) {
    const count = (): number => countContainers(world.db, caller.organizationId);
    checkQuota(world, 'containers', caller.organizationId, count, context.payment?.credited);
  }
  const container = existing ?? newContainer(context, request);
  const price = deployPrice(world.config, request.spec);
  const { number, id } = nextDeployment(world, container);
  const reason = existing === undefined ? `Deployment of ${request.project_name}` : `Update of ${request.project_name}`;
  const balance = chargeDeployment(context, reason, price, id);
  if (existing === undefined) Object.assign(container, insertContainer(world.db, container));
  else renameContainer(world.db, existing.seq, request.name, request.description ?? null);
  const record =
    existing === undefined
      ? container
      : { ...existing, name: request.name, description: request.description ?? existing.description };
  const deployed = addDeployment(context, record, {
    number,
    id,
    kind: existing === undefined ? 'create' : 'update',
    spec: request.spec,
    settings,
    mode,
    image,
    cost: price.amount,
    priceRule: price.rule,
  });
  return { record: deployed, deducted: price.amount, balance, timing: settings.timing };
}

/** The price of deploying a changed spec of a container: nothing once a deployment of it is paid and not refunded. */
export function redeployPrice(
  { world, now }: Pick<DeployCall, 'world' | 'now'>,
  record: ContainerRecord,
  changes: Partial<Spec>,
): Price | undefined {
  if (findPaidDeployment(world.db, record.seq) !== undefined) return undefined;
  return deployPrice(world.config, { ...containerAt(record.deployments, now).run.deployment.spec, ...changes });
}

/**
 * Deploys a changed spec of a container.
 *
 * @throws ApiError NOT_FOUND (image), CONFLICT (deletion), INSUFFICIENT_CREDITS
 */
export function redeploy(context: DeployCall, record: ContainerRecord, changes: Partial<Spec>): Deployed {
  refuseDeleting(record);
  const { world, caller } = context;
  const spec: Spec = { ...containerAt(record.deployments, context.now).run.deployment.spec, ...changes };
  const settings = settingsOfNext(world, record.project_name, spec.ecr_image_uri);
  const { image, mode } = selectOutcome(context, spec, settings, changes.ecr_image_uri !== undefined);
  const price = redeployPrice(context, record, changes);
  const { number, id } = nextDeployment(world, record);
  const cost = price?.amount ?? 0;
  const balance =
    price === undefined
      ? (findOrganization(world.db, caller.organizationId)?.balance ?? 0)
      : chargeDeployment(context, `Update of ${record.project_name}`, price, id);
  const next = { number, id, kind: 'patch', spec, settings, mode, image, cost, priceRule: price?.rule ?? null };
  return { record: addDeployment(context, record, next), deducted: cost, balance, timing: settings.timing };
}

function chargeDeployment(context: DeployCall, reason: string, price: Price, id: string): Micros {
  const { world, caller } = context;
  if (isTodaysServer(world.config)) return findOrganization(world.db, caller.organizationId)?.balance ?? 0;
  return chargeCaller(context, price, reason, id);
}

function refuseDeleting(record: ContainerRecord): void {
  if (!isDeleting(record)) return;
  throw new ApiError('CONFLICT', {
    message: `${record.project_name} is being deleted: wait until its container is gone, or choose another project_name`,
  });
}

// A failure that the request names overrides one that the image itself causes.
function selectOutcome(
  context: DeployCall,
  spec: Spec,
  settings: DeploymentSettings,
  isNewImage = true,
): InspectedImage {
  const reference = parseImage(spec.ecr_image_uri);
  const triggers = {
    header: context.header('x-emulator-failure'),
    environment: spec.environment_vars,
    tag: reference?.tag,
    setting: settings.failure,
  };
  const mode = selectMode(triggers, context.warn);
  if (mode !== null) return { image: null, mode };
  // An image that was deployed before may be deployed again although its tag is gone.
  const rule = isNewImage ? context.world.config.registry.require : 'never';
  try {
    return inspectImage(context.world, spec, reference, rule, context.warn);
  } catch (error) {
    if (!isTodaysServer(context.world.config) || !(error instanceof ApiError)) throw error;
    context.warn(`${error.message}: push the image first`);
    return { image: null, mode: 'image-not-found' };
  }
}

/** The record of a container that has no deployment yet, before it is stored. */
export function newContainer(
  { world, caller, now }: Pick<DeployCall, 'world' | 'caller' | 'now'>,
  request: Omit<DeployRequest, 'spec'>,
): ContainerRecord {
  const seq = world.nextNumber('containers');
  return {
    seq,
    id: world.random.nthUuid('container', seq),
    organization_id: caller.organizationId,
    user_id: caller.userId,
    api_key_id: caller.keyId,
    name: request.name,
    project_name: request.project_name,
    slug: containerSlug(caller.organizationId, request.project_name),
    description: request.description ?? null,
    listener_port: null,
    created_at: now,
    graces: null,
    deployments: [],
  };
}

function nextDeployment({ random }: World, record: ContainerRecord): { number: number; id: string } {
  const number = (record.deployments.at(-1)?.number ?? 0) + 1;
  return { number, id: random.uuid('deployment', record.id, number) };
}

interface NewDeployment extends PlanInput {
  number: number;
  kind: string;
  cost: Micros;
  priceRule: string | null;
}

function addDeployment(context: DeployCall, record: ContainerRecord, next: NewDeployment): ContainerRecord {
  const { world, now, requestId } = context;
  const { number, id, kind, spec, cost, priceRule } = next;
  const isToRun = world.config.containers.run === 'image' && next.image !== null && next.mode === null;
  const isRun = isToRun && processesOf(world) !== undefined;
  if (isToRun && !isRun)
    context.warn('containers.run is image, but there is no container engine: this container is simulated');
  const begun = {
    id,
    containerSeq: record.seq,
    number,
    kind,
    spec,
    plan: drawPlan(world, next, stackNameOf(world, record), isRun),
    cost,
    startedAt: now,
    requestId,
    interventions: [],
    reads: 0,
    refundedAt: null,
    graces: record.deployments.at(-1)?.graces ?? [],
    turn: nextOccurrence(world.db),
  };
  const deployment: Deployment = { ...begun, timeline: timelineOf(begun) };
  insertDeployment(world.db, deployment, priceRule);
  if (outcomeOf(deployment.timeline)?.result === 'failed') scheduleRefund(world, deployment);
  const deployed = { ...record, deployments: [...record.deployments, deployment] };
  world.bus.emit(`container:${record.id}`);
  return deployed;
}
