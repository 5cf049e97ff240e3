// Addresses of running containers and of image repositories.

import type { Config } from '../../../config/schema.js';
import { memoizeLast } from '../../../core/memoize-last.js';
import type { World } from '../../../world/world.js';
import { isComponent } from '../../registry/names.js';
import type { ContainerRow } from '../store.js';

/** A project name as a part of an address: lower case, dashes in place of all other characters. */
export function slugOf(projectName: string, longest = 40): string {
  const slug = projectName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, longest);
  return slug === '' ? 'app' : slug;
}

/** The wanted slug of a container, as long as the platform's names of stacks. */
export function containerSlug(organizationId: string, projectName: string): string {
  return `${organizationId.slice(0, 8)}-${slugOf(projectName).slice(0, 30).replace(/-+$/, '')}`;
}

/** The name of a container's stack, unique within the organization. */
export function stackNameOf({ config }: World, { slug }: Pick<ContainerRow, 'slug'>): string {
  return `${config.service.slug}-${slug}`;
}

/**
 * The address of a container, or null while it has no listener.
 *
 * @param baseUrl the origin and world prefix of returned URLs
 * @param style how containers are reached; a single one may be reached by path for lack of a port
 */
export function addressOf(
  world: World,
  container: Pick<ContainerRow, 'slug' | 'listener_port'>,
  baseUrl: string,
  style: Config['containers']['urlStyle'],
): string | null {
  switch (style) {
    case 'path':
      return `${baseUrl}/_containers/${container.slug}`;
    case 'subdomain': {
      const { protocol, port } = new URL(baseUrl);
      const host = world.prefix === '' ? container.slug : `${container.slug}.${world.id}`;
      return `${protocol}//${host}.localhost${port === '' ? '' : `:${port}`}`;
    }
    case 'port': {
      // Older versions stored 0 where no port was available.
      if (container.listener_port === null || container.listener_port === 0) return null;
      const hostname = hostnameOf(baseUrl);
      return `http://${hostname}:${container.listener_port}`;
    }
  }
}

// Parsing it took an eighth of a container's share in a list.
const hostnameOf = memoizeLast((baseUrl: string): string => new URL(baseUrl).hostname);

/** The name of the repository for a project's images in the registry. */
export function repositoryName({ config }: World, organizationId: string, project: string): string {
  const { namespace } = config.registry;
  const wanted = project.toLowerCase();
  return [
    ...(namespace === '' ? [] : [namespace]),
    organizationId,
    isComponent(wanted) ? wanted : slugOf(project),
  ].join('/');
}

/**
 * The prefix of references to a repository's images, and the address of the registry.
 *
 * @param baseUrl the origin and world prefix of returned URLs
 */
export function repositoryAt(
  { config, prefix }: World,
  name: string,
  baseUrl: string,
): { name: string; uri: string; registry: string } {
  const { protocol, host } = new URL(baseUrl);
  const reached = config.registry.host ?? host;
  return { name, uri: `${reached}${prefix}/${name}`, registry: `${protocol}//${reached}` };
}
