// Endpoints of containers of the public server as it is today: a container is started by the request that creates it.

import { todays } from '../../../../config/profiles.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../../../http/endpoint.js';
import { type Answer, json, type KeptError, keeping, type LaterAnswer, ok } from '../../../../http/response.js';
import { base, own as ownAs, read, write } from '../../access.js';
import { slugOf } from '../../address/address.js';
import { warnOfPaths, whenOpen } from '../../address/open-addresses.js';
import { removeContainer } from '../../lifecycle/deletion.js';
import { deployProject, redeploy } from '../../lifecycle/deploy.js';
import { countRead, intervene } from '../../lifecycle/interventions.js';
import { containerAt } from '../../lifecycle/lifecycle.js';
import { holdsStage } from '../../lifecycle/phases.js';
import type { ContainerRecord } from '../../store.js';
import { answerList } from '../listing.js';
import { containerParams } from '../schema.js';
import {
  checkImage,
  findAlive,
  notStarted,
  quotaOf,
  refuseReserved,
  refuseStopped,
  requireQuota,
} from './conditions.js';
import { presentChanged, presentCreated, presentTodays } from './present.js';
import * as schema from './schema.js';

const longestSlug = 60;

const declared: Pick<Endpoint, 'profiles' | 'assumptions'> = { profiles: todays, assumptions: ['containers.today'] };

const own = (call: Parameters<typeof ownAs>[0]): ContainerRecord => ownAs(call, { flatCode: 'container_not_found' });

export const todaysContainerEndpoints: Endpoint[] = [
  endpoint({
    ...declared,
    id: 'containers.create',
    method: 'POST',
    path: base,
    begins: 'container',
    summary: 'Start a container of an image; if its project has one that is alive, that is the answer',
    permission: write,
    body: schema.createBody,
    example: { name: 'My app', image: 'ghcr.io/elizaos/my-app:v1', projectName: 'my-app' },
    secrets: ['environmentVars'],
    responses: {
      200: { description: 'The project has this container already: nothing is changed', schema: schema.oneAnswer },
      201: { description: 'The container is started; poll it until it is running', schema: schema.createdAnswer },
    },
    errors: ['FORBIDDEN', 'CONTAINER_QUOTA_EXCEEDED', 'CONTAINER_NOT_STARTED'],
    handle: create,
  }),
  endpoint({
    ...declared,
    id: 'containers.list',
    method: 'GET',
    harmless: true,
    path: base,
    polls: { for: 'container', underWay: holdsStage('status') },
    summary: 'List all containers of the organization, newest first',
    permission: read,
    responses: { 200: { description: 'The containers', schema: schema.listAnswer } },
    handle(call) {
      warnOfPaths(call.world, call.warn);
      return answerList(call, call.caller.organizationId, presentTodays);
    },
  }),
  endpoint({
    ...declared,
    id: 'containers.quota',
    method: 'GET',
    harmless: true,
    path: `${base}/quota`,
    summary: 'Get the number of containers that the organization has and may have',
    permission: read,
    responses: { 200: { description: 'The quota', schema: schema.quotaAnswer } },
    handle: ({ world, caller }) => ok({ success: true, quota: quotaOf(world, caller.organizationId) }),
  }),
  endpoint({
    ...declared,
    id: 'containers.get',
    method: 'GET',
    harmless: true,
    path: `${base}/{id}`,
    polls: { for: 'container', underWay: holdsStage('status') },
    summary: 'Get a container',
    permission: read,
    params: containerParams,
    responses: { 200: { description: 'The container', schema: schema.oneAnswer } },
    errors: ['NOT_FOUND'],
    handle(call) {
      warnOfPaths(call.world, call.warn);
      const record = countRead(call.world, own(call), call.now);
      return whenOpen(call, record, (one) => ok({ success: true, data: presentTodays(one, call) }));
    },
  }),
  endpoint({
    ...declared,
    id: 'containers.update',
    method: 'PATCH',
    path: `${base}/{id}`,
    begins: 'container',
    summary: 'Restart a container, or start it anew with other variables; to scale it to one instance changes nothing',
    permission: write,
    params: containerParams,
    body: schema.changeBody,
    example: { action: 'restart' },
    secrets: ['environmentVars'],
    responses: { 200: { description: 'The container after the change', schema: schema.changeAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT', 'CONTAINER_NOT_STARTED', 'SERVICE_UNAVAILABLE'],
    handle(call) {
      const { action, environmentVars = {} } = call.body;
      refuseReserved(environmentVars);
      const before = own(call);
      const answer = (record: ContainerRecord) =>
        whenOpen(call, record, (one) => ok({ success: true, container: presentChanged(one, call) }));
      // It has one instance in any case: nothing changes.
      if (action === 'scale') return answer(before);
      refuseStopped(before, call.now);
      const changes = action === 'setEnv' ? { environment_vars: environmentVars } : {};
      const { record } = redeploy(call, before, changes);
      // What the request has begun is kept, as failed.
      const refused = notStarted(record, 'SERVICE_UNAVAILABLE');
      return refused === undefined ? answer(record) : keeping(refused);
    },
  }),
  endpoint({
    ...declared,
    id: 'containers.delete',
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Delete a container, or stop it',
    permission: write,
    params: containerParams,
    query: schema.deleteQuery,
    responses: { 200: { description: 'The container is deleted or stopped', schema: schema.deleteAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle(call) {
      const { world, query } = call;
      const record = own(call);
      if (query.mode === 'delete') {
        removeContainer(world, record, call.now);
        return ok({ success: true, deleted: true });
      }
      const isStopped = containerAt(record.deployments, call.now).status === 'stopped';
      const stopped = isStopped ? record : intervene(world, record.id, { kind: 'stop' });
      // The intervention takes effect at the present instant, which may be later than that of the request.
      const at = { ...call, now: world.clock.now() };
      return whenOpen(at, stopped, (one) => ok({ success: true, container: presentChanged(one, at) }));
    },
  }),
];

type CreateCall = HandlerContext<unknown, unknown, typeof schema.createBody._output>;

function create(call: CreateCall): Answer | LaterAnswer | KeptError {
  const { world, caller, body, now } = call;
  const { name, image, projectName = slugOf(name, longestSlug), environmentVars } = body;
  refuseReserved(environmentVars);
  const existing = findAlive(world, caller.organizationId, projectName, now);
  if (existing !== undefined) {
    call.warn(`${projectName} has a container already, which is the answer: nothing is changed`);
    return whenOpen(call, existing, (one) => ok({ success: true, data: presentTodays(one, call) }));
  }
  checkImage(world, image, call.warn);
  requireQuota(world, caller.organizationId);
  const spec = {
    ecr_image_uri: image,
    port: body.port,
    cpu: body.cpu,
    memory: body.memoryMb,
    desired_count: 1,
    architecture: 'x86_64' as const,
    health_check_path: body.healthCheckPath,
    environment_vars: environmentVars,
  };
  const { record } = deployProject(call, { name, project_name: projectName, spec });
  const refused = notStarted(record, 'CONTAINER_NOT_STARTED');
  // What the request has begun is kept, as failed.
  if (refused !== undefined) return keeping(refused);
  return whenOpen(call, record, (one) => json(201, { success: true, data: presentCreated(one, call) }));
}
