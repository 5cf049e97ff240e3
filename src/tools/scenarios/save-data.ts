// Organizations with what they have, and images, as a scenario describes them.

import { exactDuration } from '../../core/duration.js';
import { toCredits } from '../../core/money.js';
import { mask } from '../../core/secrets.js';
import { findOwner, listOrganizations, type Organization } from '../../platform/accounts/store.js';
import { type Agent, pageAgents, readAgents } from '../../platform/agents/store.js';
import { repositoryName } from '../../platform/containers/address/address.js';
import { ownRepository, parseImage, withTag } from '../../platform/containers/image.js';
import { containerAt } from '../../platform/containers/lifecycle/lifecycle.js';
import { type ContainerRecord, findContainer, oldestContainers } from '../../platform/containers/store.js';
import { createBody } from '../../platform/containers/wire/schema.js';
import { stateAt } from '../../platform/hosted-agents/lifecycle.js';
import { type AgentJob, type HostedAgent, listHostedAgents } from '../../platform/hosted-agents/store.js';
import { imagesIn, sizeOf } from '../../platform/images/views.js';
import { type Permission, shownPermissions } from '../../platform/keys/permissions.js';
import { type ApiKey, findKeyByValue, listKeys } from '../../platform/keys/store.js';
import { listDocuments, readContent } from '../../platform/knowledge/store.js';
import { listQueued } from '../../platform/models/store.js';
import { mostCredits } from '../../platform/organizations/control.js';
import { platformText } from '../../platform/registry/manifest.js';
import { findManifest, hasRepository, listRepositories, listTags } from '../../platform/registry/store.js';
import { listAllVoices } from '../../platform/voice/store.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { mostCharacters } from './data-schema.js';
import { type ScenarioInput, scenarioImage } from './schema.js';

// The form of what is saved in a scenario.

export const yearMs = 366 * 86_400_000;

/** A record without what is undefined or has nothing in it. */
export function withoutEmpty<Fields extends object>(fields: Fields): Fields {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as Fields;
}

/** Variables without their values: these may be secrets, and the document is one to be shared; what makes a deployment fail is none. */
function withoutValues(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, name === 'EMULATOR_FAIL' ? value : mask]),
  );
}

/** How long ago an instant was, as a scenario says it: a year at most. */
export function ageOf(instant: number, now: number): string {
  return exactDuration(withinMs(now - instant, yearMs));
}

/** A number of milliseconds between none and the most. */
function withinMs(ms: number, longest: number): number {
  return Math.min(longest, Math.max(0, ms));
}

type Data = NonNullable<ScenarioInput['data']>;
type Holdings = Omit<Data, 'key' | 'replies' | 'organizations'>;
/** Every field, so that none is forgotten. */
type Every<Fields> = { [Name in keyof Required<Fields>]: Fields[Name] | undefined };
type One<List> = NonNullable<List> extends (infer Item)[] ? Item : never;

const most = 500;
const mostKeys = 100;

/** Everything that a world's organizations have at an instant. */
export function dataOf(world: World, now: number): Data {
  const { organizationId, apiKey } = seededIdentity(world);
  const all = listOrganizations(world.db);
  const seeded = all.find(({ id }) => id === organizationId);
  const key = findKeyByValue(world.db, apiKey);
  const restrictions = key === undefined ? undefined : restrictionsOf(world, key, now);
  const others = all.filter(({ id }) => id !== organizationId).slice(0, 100);
  const organizations = others.map((organization) => ({
    name: organization.name,
    ...(organization.plan !== 'free' && { plan: organization.plan as 'pro' | 'enterprise' }),
    ...holdingsOf(world, organization, now),
  }));
  const replies = listQueued(world.db).map(({ model, times, reply }) => ({
    ...(model !== null && { model }),
    ...reply,
    ...(times > 1 && { times }),
  }));
  return withoutEmpty({ key: restrictions, ...(seeded && holdingsOf(world, seeded, now)), replies, organizations });
}

function holdingsOf(world: World, { id, balance }: Organization, now: number): Holdings {
  const owner = findOwner(world.db, id);
  const page = { sortBy: 'newest', order: 'asc', limit: most, offset: 0 } as const;
  const agents =
    owner === undefined ? [] : readAgents(world.db, pageAgents(world.db, { userId: owner.id, ...page }).seqs);
  const seededKey = world.random.uuid('key', 'seeded');
  const keys = listKeys(world.db, id).reverse();
  // The first key comes with its organization.
  const added = keys.some((key) => key.id === seededKey) ? keys.filter((key) => key.id !== seededKey) : keys.slice(1);
  return withoutEmpty({
    // Payments can lead beyond what a scenario may give.
    credits: Math.min(toCredits(balance), mostCredits),
    keys: added
      .filter(({ is_active }) => is_active === 1)
      .slice(0, mostKeys)
      .map((key) => ({ name: key.name, ...liveMark(key), ...restrictionsOf(world, key, now) })),
    containers: oldestContainers(world.db, id, most).flatMap((containerId) => {
      const record = findContainer(world.db, containerId);
      return record === undefined ? [] : containerOf(world, record, now);
    }),
    agents: agents.map((agent) => agentOf(agent, now)),
    hostedAgents: hostedAgentsOf(world, id, now),
    voices: voicesOf(world, id, now),
    documents: documentsOf(world, id, now),
  });
}

function voicesOf({ db }: World, organizationId: string, now: number): Data['voices'] {
  const own = listAllVoices(db).filter((voice) => voice.organization_id === organizationId);
  // One whose cloning will fail goes with its job, which a scenario does not have.
  const whole = own.reverse().filter(({ ready_at: readyAt }) => readyAt !== null);
  return whole.slice(0, 100).map((voice) => ({
    name: voice.name,
    ...(voice.description !== null && { description: voice.description }),
    cloneType: voice.clone_type,
    ...(!voice.is_active && { isActive: false }),
    age: ageOf(voice.created_at, now),
  }));
}

// As many of the oldest as a scenario takes.
function documentsOf({ db }: World, organizationId: string, now: number): Data['documents'] {
  let room = mostCharacters;
  const all = listDocuments(db, { organizationId, characterId: undefined }, { limit: 100, offset: 0 }).reverse();
  return all.flatMap(({ seq, name, type, metadata, created_at: createdAt }) => {
    const content = readContent(db, seq);
    if (content.length > room) return [];
    room -= content.length;
    return [withoutEmpty({ name, content, type, metadata, age: ageOf(createdAt, now) })];
  });
}

function liveMark({ environment }: ApiKey): { environment?: 'live' } {
  return environment === 'live' ? { environment } : {};
}

function restrictionsOf(world: World, key: ApiKey, now: number): NonNullable<Data['key']> {
  const { permissions, rate_limit: rateLimit, expires_at: expiresAt } = key;
  return withoutEmpty({
    permissions: shownPermissions(permissions) as Permission[],
    rateLimit: rateLimit === world.config.rateLimits.perKey ? undefined : rateLimit,
    expiresIn: expiresAt === null ? undefined : exactDuration(withinMs(expiresAt - now, 100 * yearMs)),
  });
}

function containerOf(world: World, record: ContainerRecord, now: number): One<Data['containers']>[] {
  const state = containerAt(record.deployments, now);
  const { status } = state;
  const { startedAt, plan, spec } = state.run.deployment;
  if (status === 'deleting') return [];
  const { project_name, name, description } = record;
  const usual: Record<string, unknown> = createBody.parse({ name: 'x', project_name: 'x', ecr_image_uri: 'x/y:z' });
  const changed = Object.entries(spec).filter(([field, value]) => value !== usual[field]);
  return [
    withoutEmpty({
      project_name,
      name: name === project_name ? undefined : name,
      description: description ?? undefined,
      ...(Object.fromEntries(changed) as { ecr_image_uri: string }),
      ecr_image_uri: shortImage(world, record.organization_id, spec.ecr_image_uri),
      environment_vars: withoutValues(spec.environment_vars),
      age: ageOf(startedAt, now),
      status,
      mode: plan.mode ?? undefined,
    }),
  ];
}

// Another world's organization has another id, which its own images are named by.
function shortImage(world: World, organizationId: string, uri: string): string {
  const { repository = '' } = parseImage(uri) ?? {};
  const own = ownRepository(world, repository);
  const project = repository.slice(repository.lastIndexOf('/') + 1);
  const isShort = own === repositoryName(world, organizationId, project) && hasRepository(world.db, own);
  return isShort ? project + uri.slice(repository.length) : (withTag(uri) ?? uri);
}

function agentOf(agent: Agent, now: number): One<Data['agents']> {
  const { name, bio, category, avatar_url: avatarUrl, is_public: isPublic, token, created_at: createdAt } = agent;
  const fields: Every<One<Data['agents']>> = {
    name,
    bio: bio[0],
    category: category ?? undefined,
    avatarUrl: avatarUrl ?? undefined,
    isPublic: isPublic || undefined,
    tokenAddress: token.address ?? undefined,
    tokenChain: token.chain ?? undefined,
    tokenName: token.name ?? undefined,
    tokenTicker: token.ticker ?? undefined,
    age: ageOf(createdAt, now),
  };
  return withoutEmpty(fields) as One<Data['agents']>;
}

type Image = NonNullable<ScenarioInput['images']>[number];

const mostImages = 200;
const largestMb = 200;

/** The images that have a tag and can run. */
export function imagesOf(world: World): Image[] {
  const images = listRepositories(world.db).flatMap((repository) =>
    listTags(world.db, repository).flatMap(({ tag, digest }) => imageOf(world, repository, tag, digest)),
  );
  return images.slice(0, mostImages);
}

function imageOf(world: World, repository: string, tag: string, digest: string): Image[] {
  const row = findManifest(world.db, repository, digest);
  const images = row === undefined ? [] : imagesIn(world, row);
  const configs = images.flatMap(({ config }) => config ?? []);
  const [first] = configs;
  if (first === undefined) return [];
  const megabytes = Math.round(sizeOf(images) / 100_000) / 10;
  const { user, entrypoint, command, labels, exposedPorts } = first;
  const reference = { repository: shortName(world, repository), tag, digest };
  const whole = withoutEmpty<Image>({
    ...reference,
    platforms: [...new Set(configs.map(platformText))],
    exposedPorts: exposedPorts.filter((port) => !port.endsWith('/udp')).map((port) => Number.parseInt(port, 10)),
    entrypoint,
    command,
    user: user ?? undefined,
    labels,
    size: megabytes === 0 ? undefined : Math.min(largestMb, megabytes),
  });
  // An image of which nothing can be made up is left out: its digest says all.
  return [scenarioImage.safeParse(whole).success ? whole : reference];
}

function shortName(world: World, repository: string): string {
  const project = repository.slice(repository.lastIndexOf('/') + 1);
  const { organizationId } = seededIdentity(world);
  return repository === repositoryName(world, organizationId, project) ? project : repository;
}

// The hosted agents of an organization, as a scenario describes them.

type Saved = NonNullable<NonNullable<ScenarioInput['data']>['hostedAgents']>[number];

/** The oldest agents of an organization at an instant. Jobs that have ended are left out, and so the backups that they made. */
function hostedAgentsOf({ db }: World, organizationId: string, now: number): Saved[] {
  const own = listHostedAgents(db).filter((agent) => agent.organization_id === organizationId);
  const there = own.reverse().filter((agent) => !stateAt(agent, now).gone);
  return there.slice(0, most).map((agent) => hostedAgentOf(agent, now));
}

function hostedAgentOf(agent: HostedAgent, now: number): Saved {
  const { name, tier, docker_image: dockerImage, failure, created_at: createdAt } = agent;
  const state = stateAt(agent, now);
  const { activeJob } = state;
  // The status before its job leads to the others, as time goes on.
  const { status, error } = activeJob === null ? state : agent.base;
  const { EMULATOR_FAIL: _, ...variables } = agent.environment_vars;
  const isUsual = tier === (dockerImage === null ? 'dedicated-always' : 'custom');
  return withoutEmpty<Saved>({
    name,
    tier: isUsual ? undefined : tier,
    agentConfig: agent.config,
    environmentVars: withoutValues(variables),
    dockerImage: dockerImage ?? undefined,
    age: ageOf(createdAt, now),
    // No job leaves an agent in the statuses that jobs alone have.
    status: tier === 'shared' ? undefined : (status as Saved['status']),
    error: tier === 'shared' ? undefined : (error ?? undefined),
    mode: failure ?? undefined,
    unpaid: agent.billing === 'suspended' || undefined,
    job: activeJob === null ? undefined : jobOf(activeJob, agent, now),
  });
}

function jobOf({ type, plan, created_at: createdAt }: AgentJob, { failure }: HostedAgent, now: number): Saved['job'] {
  const mode = plan.mode === null || plan.mode === failure ? undefined : plan.mode;
  return withoutEmpty<NonNullable<Saved['job']>>({ type, age: ageOf(createdAt, now), mode });
}
