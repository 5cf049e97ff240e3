// Creating and updating containers. Everything here runs in the handler's transaction.

import { isTodaysServer } from '../../../config/profiles.js';
import { ApiError } from '../../../core/errors.js';
import type { Micros } from '../../../core/money.js';
import { nextOccurrence } from '../../../db/occurrences.js';
import type { HandlerContext } from '../../../http/endpoint.js';
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
export function deployProject(call: DeployCall, request: DeployRequest): Deployed {
  const { world, caller } = call;
  const { name, project_name: projectName, description = null, spec } = request;
  const settings = settingsOfNext(world, projectName, spec.ecr_image_uri);
  const planned = { spec, settings, ...imageAndMode(call, spec, settings) };
  const { existing, nameTaken } = isTodaysServer(world.config)
    ? { existing: undefined, nameTaken: false }
    : findNamesakes(world.db, caller.organizationId, { name, projectName });
  if (nameTaken) {
    throw new ApiError('CONFLICT', {
      message: `Another container of your organization is named ${JSON.stringify(name)}; choose another name, or its project_name to update it`,
    });
  }
  const price = deployPrice(world.config, spec);
  if (existing !== undefined) {
    refuseDeleting(existing);
    const next = { ...planned, kind: 'update', price, reason: `Update of ${projectName}` } as const;
    return addDeployment(call, existing, next, () => {
      renameContainer(world.db, existing.seq, name, description);
      return { ...existing, name, description: description ?? existing.description };
    });
  }
  const count = (): number => countContainers(world.db, caller.organizationId);
  checkQuota(world, 'containers', caller.organizationId, count, call.payment?.credited);
  const container = newContainer(call, request);
  const next = { ...planned, kind: 'create', price, reason: `Deployment of ${projectName}` } as const;
  return addDeployment(call, container, next, () => ({ ...container, ...insertContainer(world.db, container) }));
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
export function redeploy(call: DeployCall, record: ContainerRecord, changes: Partial<Spec>): Deployed {
  refuseDeleting(record);
  const spec: Spec = { ...containerAt(record.deployments, call.now).run.deployment.spec, ...changes };
  const settings = settingsOfNext(call.world, record.project_name, spec.ecr_image_uri);
  const outcome = imageAndMode(call, spec, settings, changes.ecr_image_uri !== undefined);
  const price = redeployPrice(call, record, changes);
  const reason = `Update of ${record.project_name}`;
  return addDeployment(call, record, { spec, settings, ...outcome, kind: 'patch', price, reason });
}

function refuseDeleting(record: ContainerRecord): void {
  if (!isDeleting(record)) return;
  throw new ApiError('CONFLICT', {
    message: `${record.project_name} is being deleted: wait until its container is gone, or choose another project_name`,
  });
}

// A failure that the request names overrides one that the image itself causes.
function imageAndMode(call: DeployCall, spec: Spec, settings: DeploymentSettings, isNewImage = true): InspectedImage {
  const reference = parseImage(spec.ecr_image_uri);
  const triggers = {
    header: call.header('x-emulator-failure'),
    environment: spec.environment_vars,
    tag: reference?.tag,
    setting: settings.failure,
  };
  const mode = selectMode(triggers, call.warn);
  if (mode !== null) return { image: null, mode };
  // An image that was deployed before may be deployed again although its tag is gone.
  const rule = isNewImage ? call.world.config.registry.require : 'never';
  try {
    return inspectImage(call.world, spec, reference, rule, call.warn);
  } catch (error) {
    if (!isTodaysServer(call.world.config) || !(error instanceof ApiError)) throw error;
    call.warn(`${error.message}: push the image first`);
    return { image: null, mode: 'image-not-found' };
  }
}

/** The record of a container that has no deployment yet, before it is stored. */
function newContainer(
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

interface NewDeployment extends Omit<PlanInput, 'id'> {
  kind: 'create' | 'update' | 'patch';
  /** undefined: it was paid before. */
  price: Price | undefined;
  /** Of the charge. */
  reason: string;
  settings: DeploymentSettings;
}

/**
 * Charges for a deployment, plans and stores it.
 *
 * @param store stores the container itself, once it is paid
 */
function addDeployment(
  call: DeployCall,
  container: ContainerRecord,
  next: NewDeployment,
  store: () => ContainerRecord = () => container,
): Deployed {
  const { world, caller, now, requestId } = call;
  const { kind, spec, price, reason, settings } = next;
  const number = (container.deployments.at(-1)?.number ?? 0) + 1;
  const id = world.random.uuid('deployment', container.id, number);
  const balance =
    price === undefined || isTodaysServer(world.config)
      ? (findOrganization(world.db, caller.organizationId)?.balance ?? 0)
      : chargeCaller(call, price, reason, id);
  const record = store();
  const isToRun = world.config.containers.run === 'image' && next.image !== null && next.mode === null;
  const isRun = isToRun && processesOf(world) !== undefined;
  if (isToRun && !isRun)
    call.warn('containers.run is image, but there is no container engine: this container is simulated');
  const begun = {
    id,
    containerSeq: record.seq,
    number,
    kind,
    spec,
    plan: drawPlan(world, { ...next, id }, stackNameOf(world, record), isRun),
    cost: price?.amount ?? 0,
    startedAt: now,
    requestId,
    interventions: [],
    reads: 0,
    refundedAt: null,
    graces: record.deployments.at(-1)?.graces ?? [],
    turn: nextOccurrence(world.db),
  };
  const deployment: Deployment = { ...begun, timeline: timelineOf(begun) };
  insertDeployment(world.db, deployment, price?.rule ?? null);
  if (outcomeOf(deployment.timeline)?.result === 'failed') scheduleRefund(world, deployment);
  world.bus.emit(`container:${record.id}`);
  const deployed = { ...record, deployments: [...record.deployments, deployment] };
  return { record: deployed, deducted: deployment.cost, balance, timing: settings.timing };
}
