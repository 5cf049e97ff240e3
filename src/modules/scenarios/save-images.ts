// The images of the registry, as a scenario describes them: by digest, and what to make up where that is unknown.

import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { repositoryName } from '../containers/address.js';
import { imagesIn, sizeOf } from '../images/views.js';
import { type ImageConfig, platformText } from '../registry/manifest.js';
import { findManifest, listRepositories, listTags } from '../registry/store.js';
import { withoutEmpty } from './save-data.js';
import { type ScenarioInput, scenarioImage } from './schema.js';

type Image = NonNullable<ScenarioInput['images']>[number];

const most = 200;
const largestMb = 200;

/** What has a tag and can run. */
export function imagesOf(world: World): Image[] {
  const images = listRepositories(world.db).flatMap((repository) =>
    listTags(world.db, repository).flatMap(({ tag, digest }) => imageOf(world, repository, tag, digest)),
  );
  return images.slice(0, most);
}

function imageOf(world: World, repository: string, tag: string, digest: string): Image[] {
  const row = findManifest(world.db, repository, digest);
  const images = row === undefined ? [] : imagesIn(world, row);
  const configs = images.flatMap(({ config }) => (config === null ? [] : [JSON.parse(config) as ImageConfig]));
  const [first] = configs;
  if (first === undefined) return [];
  const megabytes = Math.round(sizeOf(images) / 100_000) / 10;
  const { user, entrypoint, command, labels, exposedPorts } = first;
  const known = { repository: shortName(world, repository), tag, digest };
  const whole = withoutEmpty<Image>({
    ...known,
    platforms: [...new Set(configs.map(platformText))],
    exposedPorts: exposedPorts.filter((port) => !port.endsWith('/udp')).map((port) => Number.parseInt(port, 10)),
    entrypoint,
    command,
    user: user ?? undefined,
    labels,
    size: megabytes === 0 ? undefined : Math.min(largestMb, megabytes),
  });
  // What no image can be made up from is left out: its digest says all.
  return [scenarioImage.safeParse(whole).success ? whole : known];
}

function shortName(world: World, repository: string): string {
  const project = repository.slice(repository.lastIndexOf('/') + 1);
  const { organizationId } = seededIdentity(world);
  return repository === repositoryName(world, organizationId, project) ? project : repository;
}
