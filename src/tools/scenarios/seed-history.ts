// The seed history of a scenario: its data are created from the oldest on, as clients would have done it.

import { startClock } from '../../core/clock.js';
import { milliseconds } from '../../core/duration.js';
import { invalid } from '../../core/errors.js';
import { lastInstant } from '../../core/instant.js';
import { toCredits } from '../../core/money.js';
import { describe } from '../../core/problems.js';
import type { Caller } from '../../http/endpoint.js';
import { checkInput } from '../../http/validate.js';
import { createAgent } from '../../platform/agents/create.js';
import { repositoryAt, repositoryName, slugOf } from '../../platform/containers/address/address.js';
import { changeContainer, showContainer } from '../../platform/containers/control.js';
import { parseImage } from '../../platform/containers/image.js';
import { deployProject } from '../../platform/containers/lifecycle/deploy.js';
import { deployPrice } from '../../platform/containers/lifecycle/pricing.js';
import { mintKey } from '../../platform/keys/mint.js';
import { storedPermissions } from '../../platform/keys/permissions.js';
import { findKeyByValue, updateKey } from '../../platform/keys/store.js';
import { keepDocuments } from '../../platform/knowledge/documents.js';
import { typeOf } from '../../platform/knowledge/files.js';
import { fragmentsOf } from '../../platform/knowledge/fragments.js';
import { queueReply } from '../../platform/models/control.js';
import { addOrganization, changeCredits, creditChange, organizationsIn } from '../../platform/organizations/control.js';
import { hasRepository } from '../../platform/registry/store.js';
import { clonePrice, cloneVoice } from '../../platform/voice/jobs.js';
import { saveVoice } from '../../platform/voice/store.js';
import { seededIdentity, seededKeyName } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { at } from './check.js';
import type { Holdings, ScenarioContainer, ScenarioData, ScenarioVoice } from './data-schema.js';
import { hostedAgentAge, hostedAgentEvents, type MadeAgent, reachHostedStatus } from './seed-hosted.js';
import { type SeedEvent, seedWorld, usualAgeMs } from './seed-world.js';

/** An organization and what it has: the seeded one, or one that the scenario adds. */
interface Account {
  /** Its path in the document. */
  place: string;
  holdings: Holdings;
  organizationId: string;
  userId: string;
  keyId: string;
  /** The balance at the beginning, in credits; undefined: as it comes. */
  balance: number | undefined;
  /** The ids of its containers that have been made. */
  made: Map<ScenarioContainer, string>;
}

/** The ids of what a scenario gives names to. */
export type Names = ReadonlyMap<string, string>;

/**
 * Makes everything that is there when a scenario begins; the clock stands at the beginning afterwards.
 *
 * @param beginning virtual milliseconds
 * @param isEmpty whether the world has to be seeded
 */
export function replayHistory(world: World, data: ScenarioData, beginning: number, isEmpty: boolean): Names {
  goTo(
    world,
    at('data', () => earliest(data, beginning)),
  );
  if (isEmpty) seedWorld(world);
  const accounts = accountsOf(world, data, isEmpty);
  const names = new Map([
    [seededKeyName, world.random.uuid('key', 'seeded')],
    ...accounts.flatMap((account) => mintKeys(world, account, beginning)),
    ...organizationsIn(world).map(({ name, id }): [string, string] => [name, id]),
  ]);
  const hosted: MadeAgent[] = [];
  const events = accounts.flatMap((account) => [
    ...seedEventsOf(world, account, beginning),
    ...hostedAgentEvents(world, account, beginning, hosted),
  ]);
  for (const { at: instant, act } of events.sort((a, b) => a.at - b.at)) {
    goTo(world, instant);
    act();
  }
  goTo(world, beginning);
  for (const account of accounts) {
    reachStatuses(world, account);
    setBalance(world, account);
  }
  for (const one of hosted) {
    reachHostedStatus(world, one, beginning);
  }
  restrictSeededKey(world, data.key, beginning);
  for (const [index, reply] of (data.replies ?? []).entries())
    at(`data.replies[${index}]`, () => queueReply(world, reply));
  return names;
}

// The clock is frozen while the history is replayed; effects apply at their own instants.
function goTo(world: World, instant: number): void {
  world.clock.restore(startClock({ at: instant, frozen: true }));
  world.settle(instant);
}

function accountsOf(world: World, data: ScenarioData, isEmpty: boolean): Account[] {
  const { organizationId, userId } = seededIdentity(world);
  const keyId = world.random.uuid('key', 'seeded');
  const usual = world.config.credits.seeded;
  const seeded = organizationsIn(world).find(({ id }) => id === organizationId);
  const first: Account = {
    place: 'data',
    holdings: data,
    organizationId,
    userId,
    keyId,
    balance: data.credits ?? (isEmpty ? usual : seeded?.credits),
    made: new Map(),
  };
  fund(world, first);
  const others = (data.organizations ?? []).map((holdings, index): Account => {
    const { name, plan, credits: balance = usual } = holdings;
    const made = addOrganization(world, { name, plan, credits: balance });
    const account = {
      place: `data.organizations[${index}]`,
      holdings,
      organizationId: made.id,
      userId: made.userId,
      keyId: findKeyByValue(world.db, made.apiKey)?.id ?? '',
      balance,
      made: new Map(),
    };
    fund(world, account);
    return account;
  });
  return [first, ...others];
}

// Adds the price of its deployments: the balance is what the scenario says after them.
function fund(world: World, { place, organizationId, holdings: { containers = [], voices = [] } }: Account): void {
  const cost =
    containers.reduce((sum, spec) => sum + deployPrice(world.config, spec).amount, 0) +
    voices.reduce((sum, { cloneType }) => sum + clonePrice(world.config, cloneType).amount, 0);
  if (cost === 0) return;
  at(`${place}.containers`, () => {
    // Prices of the settings may be beyond what a balance can be.
    const change = checkInput(creditChange, { add: toCredits(cost) }, { strict: true, warn: () => {} });
    changeCredits(world, organizationId, change);
  });
}

function setBalance(world: World, { place, organizationId, balance }: Account): void {
  const present = organizationsIn(world).find(({ id }) => id === organizationId)?.credits;
  if (balance === undefined || present === balance) return;
  at(`${place}.credits`, () => changeCredits(world, organizationId, { set: balance }));
}

function mintKeys(world: World, { holdings, organizationId, userId }: Account, beginning: number): [string, string][] {
  return (holdings.keys ?? []).map(({ expiresIn, ...wanted }) => {
    const expiresAt = expiresIn === undefined ? null : expiry(beginning, expiresIn);
    const now = world.clock.now();
    const { key } = mintKey(world, { ...wanted, organizationId, userId, expiresAt, tellable: true, at: now });
    return [key.name, key.id];
  });
}

function restrictSeededKey(world: World, wanted: ScenarioData['key'], beginning: number): void {
  const key = wanted === undefined ? undefined : findKeyByValue(world.db, seededIdentity(world).apiKey);
  if (wanted === undefined || key === undefined) return;
  const { permissions, rateLimit, expiresIn } = wanted;
  updateKey(world.db, {
    ...key,
    ...(permissions !== undefined && { permissions: storedPermissions(permissions) }),
    ...(rateLimit !== undefined && { rate_limit: rateLimit }),
    ...(expiresIn !== undefined && { expires_at: expiry(beginning, expiresIn), expires_sent: null }),
    updated_at: beginning,
  });
}

function seedEventsOf(world: World, account: Account, beginning: number): SeedEvent[] {
  const { place, holdings, organizationId, userId, keyId, made } = account;
  const caller: Caller = {
    kind: 'key',
    organizationId,
    userId,
    keyId,
    permissions: null,
    rateLimit: world.config.rateLimits.perKey,
    bucketOwner: `key:${keyId}`,
  };
  const deployments = (holdings.containers ?? []).map((container, index): SeedEvent => {
    const instant = beginning - ageOf(container);
    const act = (): void => void made.set(container, deploy(world, caller, instant, container));
    return { at: instant, act: () => at(`${place}.containers[${index}]`, act) };
  });
  const agents = (holdings.agents ?? []).map(({ age = 0, ...agent }, index): SeedEvent => {
    const now = beginning - milliseconds(age);
    const act = (): void => void createAgent({ world, caller, now }, agent);
    return { at: now, act: () => at(`${place}.agents[${index}]`, act) };
  });
  const voices = (holdings.voices ?? []).map((voice, index): SeedEvent => {
    const now = beginning - aged(voice);
    const act = (): void => seedVoice(world, caller, now, voice);
    return { at: now, act: () => at(`${place}.voices[${index}]`, act) };
  });
  const documents = (holdings.documents ?? []).map((document, index): SeedEvent => {
    const now = beginning - aged(document);
    const { name, content: text, type = typeOf(name), metadata = {} } = document;
    const read = { name, type, bytes: Buffer.byteLength(text), text };
    const act = (): void => {
      const fragments = fragmentsOf(text);
      keepDocuments({ world, caller, now }, [{ ...read, metadata, characterId: null, fragments }]);
    };
    return { at: now, act: () => at(`${place}.documents[${index}]`, act) };
  });
  return [...deployments, ...agents, ...voices, ...documents];
}

function aged({ age }: { age?: string | number | undefined }): number {
  return age === undefined ? usualAgeMs : milliseconds(age);
}

function seedVoice(world: World, caller: Caller, now: number, wanted: ScenarioVoice): void {
  const { name, description = null, cloneType, isActive = true } = wanted;
  const context = { world, caller, now, requestId: 'scenario', operation: 'voice.clone' };
  const samples = [{ name: 'sample.wav', format: 'wav' as const, bytes: 960_044, durationMs: 60_000 }];
  const { voice } = cloneVoice(context, { name, cloneType, description, settings: {}, samples, failure: null });
  if (!isActive) saveVoice(world.db, { ...voice, is_active: false });
}

function deploy(world: World, caller: Caller, now: number, container: ScenarioContainer): string {
  const {
    project_name,
    name = project_name,
    description,
    age: _,
    status: __,
    mode,
    ecr_image_uri,
    ...spec
  } = container;
  const usual = `${slugOf(project_name)}:v1`;
  const image =
    ownImage(world, caller.organizationId, ecr_image_uri ?? usual) ?? ecr_image_uri ?? `registry.example.test/${usual}`;
  const { record } = deployProject(
    {
      world,
      caller,
      now,
      requestId: 'scenario',
      operation: 'containers.create',
      header: () => mode,
      warn: () => {},
    },
    { name, project_name, description, spec: { ...spec, ecr_image_uri: image } },
  );
  return record.id;
}

// A short name is that of an image of the organization, where the registry has one.
function ownImage(world: World, organizationId: string, text: string): string | undefined {
  const { repository } = parseImage(text) ?? {};
  if (repository === undefined || repository.includes('/')) return undefined;
  const name = repositoryName(world, organizationId, repository);
  if (!hasRepository(world.db, name)) return undefined;
  const { publicUrl, port } = world.config.server;
  const { uri } = repositoryAt(world, name, publicUrl ?? `http://127.0.0.1:${port}`);
  return uri + text.slice(repository.length);
}

// By interventions where its own timeline does not lead there.
function reachStatuses(world: World, { place, holdings, made }: Account): void {
  for (const [index, container] of (holdings.containers ?? []).entries()) {
    const wanted = wantedStatus(container);
    const id = made.get(container);
    if (wanted === undefined || id === undefined || showContainer(world, id).status === wanted) continue;
    at(`${place}.containers[${index}]`, () => {
      if (wanted === 'stopped') changeContainer(world, id, { kind: 'stop' });
      else if (wanted === 'failed' && container.mode === undefined) changeContainer(world, id, { kind: 'fail' });
      else changeContainer(world, id, { kind: 'skip', status: wanted });
      const { status } = showContainer(world, id);
      if (status === wanted) return;
      const message = `cannot be had: by the timing and progression of the settings it is ${status} at once`;
      throw invalid({ path: 'status', message, received: describe(wanted) });
    });
  }
}

function wantedStatus({ status, mode, age }: ScenarioContainer): ScenarioContainer['status'] {
  return status ?? (mode === undefined && age === undefined ? 'running' : undefined);
}

// A deployment that is still under way began just now.
function ageOf({ age, status }: ScenarioContainer): number {
  if (age !== undefined) return milliseconds(age);
  return status === 'pending' || status === 'building' || status === 'deploying' ? 0 : usualAgeMs;
}

// The wire has no years before that.
const firstInstant = Date.parse('0000-01-01T00:00:00Z');

function earliest(data: ScenarioData, beginning: number): number {
  const all = [data, ...(data.organizations ?? [])];
  const longest = Math.max(
    0,
    ...all.flatMap(({ containers = [] }) => containers.map(ageOf)),
    ...all.flatMap(({ agents = [] }) => agents.map(({ age = 0 }) => milliseconds(age))),
    ...all.flatMap(({ voices = [], documents = [] }) => [...voices, ...documents].map(aged)),
    ...all.flatMap(({ hostedAgents = [] }) => hostedAgents.map(hostedAgentAge)),
  );
  if (beginning - longest >= firstInstant) return beginning - longest;
  throw invalid({ path: 'age', message: 'must not lead before the year 0' });
}

function expiry(beginning: number, expiresIn: string | number): number {
  return Math.min(beginning + milliseconds(expiresIn), lastInstant);
}
