// Endpoints that deploy, change, show and delete containers.

import { documented, isEarlierServer } from '../../../config/profiles.js';
import { toCredits } from '../../../core/money.js';
import { mask } from '../../../core/secrets.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../../http/endpoint.js';
import { json, ok } from '../../../http/response.js';
import { iso } from '../../../http/wire.js';
import { toClientTime, waitMs } from '../../../world/to-client-time.js';
import { issueCredentials } from '../../registry/credentials.js';
import { base, own, read, write } from '../access.js';
import { repositoryAt, repositoryName, slugOf } from '../address/address.js';
import { openAddresses, warnOfPaths, whenOpen } from '../address/open-addresses.js';
import { removeContainer } from '../lifecycle/deletion.js';
import { deployProject, redeploy, redeployPrice } from '../lifecycle/deploy.js';
import { wholeStateOf } from '../lifecycle/history.js';
import { countRead } from '../lifecycle/interventions.js';
import { containerAt } from '../lifecycle/lifecycle.js';
import { holdsStage } from '../lifecycle/phases.js';
import { pollingAdvice } from '../lifecycle/plan.js';
import { deployPrice } from '../lifecycle/pricing.js';
import type { ContainerRecord } from '../store.js';
import * as answers from './answers.js';
import { answerList } from './listing.js';
import { observationEndpoints } from './observation-api.js';
import * as present from './present.js';
import { quotaReport } from './quota.js';
import * as schema from './schema.js';
import { todaysContainerEndpoints } from './today/api.js';

// The names of newer clients of the platform.
const synonyms: Endpoint['synonyms'] = {
  names: new Map([
    ['image', 'ecr_image_uri'],
    ['projectName', 'project_name'],
    ['memoryMb', 'memory'],
    ['environmentVars', 'environment_vars'],
    ['healthCheckPath', 'health_check_path'],
  ]),
  accepted: isEarlierServer,
};

export const containerEndpoints: Endpoint[] = [
  ...observationEndpoints,
  ...(['GET', 'POST'] as const).map((method) =>
    endpoint({
      id: 'containers.credentials',
      profiles: documented,
      method,
      path: `${base}/credentials`,
      summary: 'Get the credentials and the repository to push an image to',
      permission: method === 'GET' ? read : write,
      ...(method === 'GET' ? { query: schema.credentialsBody } : { body: schema.credentialsBody, bodyOptional: true }),
      responses: { 200: { description: 'Credentials that last 12 hours', schema: answers.credentialsAnswer } },
      assumptions: ['containers.credentials', 'time.exposed'],
      handle: credentials,
    }),
  ),
  endpoint({
    id: 'containers.create',
    profiles: documented,
    method: 'POST',
    path: base,
    begins: 'container',
    summary: 'Deploy an image as a container; if the project_name exists, update that container',
    permission: write,
    body: schema.createBody,
    under: (config) => (isEarlierServer(config) ? { body: schema.newerCreateBody } : undefined),
    synonyms,
    example: { name: 'My app', project_name: 'my-app', ecr_image_uri: '127.0.0.1:4747/acme/my-app:v1', port: 3000 },
    secrets: ['environment_vars'],
    responses: { 202: { description: 'The deployment has begun; poll the container', schema: answers.createAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED', 'INSUFFICIENT_CREDITS'],
    priceSettings: ['deploy', 'perAdditionalInstance', 'cpuStep', 'memoryStep'],
    price: ({ world, body }) => deployPrice(world.config, body).amount,
    assumptions: [
      'containers.create',
      'containers.price',
      'containers.timing',
      'quotas.tiers',
      'registry.require',
      'money',
      'x402.payment',
    ],
    handle: create,
  }),
  endpoint({
    id: 'containers.list',
    profiles: documented,
    method: 'GET',
    harmless: true,
    path: base,
    polls: { for: 'container', underWay: holdsStage('status') },
    summary: 'List all containers of the organization, newest first',
    permission: read,
    responses: { 200: { description: 'The containers', schema: answers.listAnswer } },
    assumptions: ['containers.paths', 'containers.billing', 'containers.url', 'containers.urlFrom'],
    handle(call) {
      warnOfPaths(call.world, call.warn);
      return answerList(call, call.caller.organizationId, present.presentContainer);
    },
  }),
  endpoint({
    id: 'containers.quota',
    profiles: documented,
    method: 'GET',
    harmless: true,
    path: `${base}/quota`,
    summary: 'Get quota, credits, billing and prices',
    permission: read,
    responses: { 200: { description: 'The quota, the credits and the prices', schema: answers.quotaAnswer } },
    assumptions: ['containers.quota', 'containers.billing', 'quotas.tiers', 'money'],
    handle: ({ world, caller, now }) => ok(quotaReport(world, caller, now)),
  }),
  endpoint({
    id: 'containers.get',
    profiles: documented,
    method: 'GET',
    harmless: true,
    path: `${base}/{id}`,
    // The first status is the container's; those of its history follow.
    polls: { for: 'container', underWay: (body) => holdsStage('status')(/"status":"\w*"/.exec(body)?.[0] ?? '') },
    summary: 'Get a container and its deployment status',
    permission: read,
    params: schema.containerParams,
    query: schema.getQuery,
    responses: { 200: { description: 'The container', schema: answers.getAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['containers.record', 'containers.billing', 'containers.url', 'containers.urlFrom'],
    handle(call) {
      const answer = (container: ContainerRecord) => {
        warnOfPaths(call.world, call.warn);
        return present.answerDetails(container, { ...call, reveal: call.query.reveal });
      };
      // Only the read itself may make it run, so its port is opened afterwards.
      const record = countRead(call.world, own(call), call.now);
      return whenOpen(call, record, answer);
    },
  }),
  endpoint({
    id: 'containers.update',
    profiles: documented,
    method: 'PATCH',
    path: `${base}/{id}`,
    begins: 'container',
    summary: 'Deploy a changed container: free of charge if an earlier deployment of it was paid for and not refunded',
    permission: write,
    params: schema.containerParams,
    body: schema.updateBody,
    synonyms,
    example: { desired_count: 2 },
    secrets: ['environment_vars'],
    responses: { 200: { description: 'The deployment has begun', schema: answers.updateAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_CREDITS'],
    priceSettings: ['deploy', 'perAdditionalInstance', 'cpuStep', 'memoryStep'],
    price: (call) => redeployPrice(call, own(call), given(call.body))?.amount ?? 0,
    assumptions: ['containers.update', 'containers.price', 'money', 'x402.payment'],
    prepare: (call) => openAddresses(call.world, [own(call)], call.now),
    handle(call) {
      const { record, deducted, balance } = redeploy(call, own(call), given(call.body));
      warnOfMasks(call.body.environment_vars, call.warn);
      return ok({
        success: true,
        message: 'Container updated successfully',
        data: present.presentDetails(record, call),
        creditsDeducted: toCredits(deducted),
        creditsRemaining: toCredits(balance),
      });
    },
  }),
  endpoint({
    id: 'containers.delete',
    profiles: documented,
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Stop and delete a container',
    permission: write,
    params: schema.containerParams,
    responses: { 200: { description: 'The container is deleted or is being deleted', schema: answers.deleteAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['containers.paths', 'containers.delete'],
    handle(call) {
      const refunded = removeContainer(call.world, own(call), call.now);
      return ok({
        success: true,
        message: 'Container deleted successfully',
        ...(refunded > 0 && { refundAmount: toCredits(refunded) }),
      });
    },
  }),
  endpoint({
    id: 'containers.deployments',
    profiles: documented,
    method: 'GET',
    harmless: true,
    path: `${base}/{id}/deployments`,
    polls: { for: 'container', underWay: holdsStage('current_status') },
    summary: 'List the deployments of a container, newest first',
    permission: read,
    params: schema.containerParams,
    responses: { 200: { description: 'The deployments', schema: answers.deploymentsAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['containers.paths', 'containers.deployments'],
    prepare: (call) => openAddresses(call.world, [own(call)], call.now),
    handle(call) {
      const record = own(call);
      return ok(present.presentDeployments(record, wholeStateOf(call.world.db, record, call.now), call));
    },
  }),
  ...todaysContainerEndpoints,
];

/** Warns clients that send back masked values, as they have read them: the mask replaces the value. */
function warnOfMasks(variables: Record<string, string> = {}, warn: (text: string) => void): void {
  const masked = Object.keys(variables).filter((name) => variables[name] === mask);
  if (masked.length === 0) return;
  const names = masked.map((name) => `environment_vars.${name}`).join(', ');
  warn(`${names}: ${mask} hides a value in responses, and is the value itself from now on; ?reveal=true shows values`);
}

type Created = typeof schema.createBody._output | typeof schema.newerCreateBody._output;

function create(call: HandlerContext<unknown, unknown, Created>) {
  const { name, project_name = slugOf(name).slice(0, schema.longestProject), description, ...spec } = call.body;
  const request = { name, project_name, description, spec };
  const { record, deducted, balance, timing } = deployProject(call, request);
  warnOfMasks(spec.environment_vars, call.warn);
  const advice = pollingAdvice(timing);
  const path = `${call.world.prefix}${base}/${record.id}`;
  const answer = (container: ContainerRecord) => {
    // Not cached: no client asks for this response again before the next change.
    const data = present.presentContainer(container, call, containerAt(container.deployments, call.now));
    data.status = 'pending';
    return json(202, {
      success: true,
      data,
      message: `Deployment of ${project_name} has begun; poll ${path} until it is running`,
      creditsDeducted: toCredits(deducted),
      creditsRemaining: toCredits(balance),
      stackName: data.stackName,
      polling: {
        endpoint: path,
        intervalMs: waitMs(call.world, advice.intervalMs),
        expectedDurationMs: waitMs(call.world, advice.expectedDurationMs),
      },
    });
  };
  // A container has no address before it first runs.
  if (record.deployments.length === 1) return answer(record);
  // The previous deployment may never have been read while it ran: this response is the first to show its address.
  return whenOpen(call, record, answer);
}

function credentials(call: HandlerContext<unknown, unknown, unknown>) {
  const asked = schema.credentialsBody.parse(call.body ?? call.query ?? {});
  const { organizationId } = call.caller;
  const name = repositoryName(call.world, organizationId, asked.projectId ?? 'app');
  const repository = repositoryAt(call.world, name, call.baseUrl);
  const issued = issueCredentials(call.world, { organizationId, repository: repository.name }, call.now);
  const tag = `${(asked.version ?? 'v1').replace(/[^\w.-]+/g, '-').slice(0, 60)}-${call.now}`;
  const expiresAt = iso(toClientTime(call.world, issued.expiresAt));
  return ok({
    success: true,
    credentials: {
      username: issued.username,
      password: issued.password,
      proxyEndpoint: repository.registry,
      expiresAt,
    },
    repository: { uri: repository.uri, name: repository.name },
    data: {
      ecrRepositoryUri: repository.uri,
      ecrImageUri: `${repository.uri}:${tag}`,
      ecrImageTag: tag,
      authToken: Buffer.from(`${issued.username}:${issued.password}`).toString('base64'),
      authTokenExpiresAt: expiresAt,
      registryEndpoint: repository.registry,
    },
  });
}

// Fields that are left out change nothing.
function given(body: Record<string, unknown>): Partial<schema.Spec> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
