// Opens the local addresses of running containers before responses show them.

import type { World } from '../../world/world.js';
import type { ContainerState } from './lifecycle.js';
import { portsOf } from './local-ports.js';
import { stateOf } from './state.js';
import { type ContainerRecord, type ContainerRow, listListening, setListenerPorts } from './store.js';

/** Whether a container has an address by now. */
export function hasAddress({ config }: World, { lastDeployedAt }: Pick<ContainerState, 'lastDeployedAt'>): boolean {
  return lastDeployedAt !== null || config.containers.urlFrom === 'creation';
}

/** The containers that have their address by `now`, but no port yet that could be had. */
export function withoutPort(world: World, records: readonly ContainerRecord[], now: number): ContainerRecord[] {
  if (world.config.containers.urlStyle !== 'port') return [];
  const ports = portsOf(world);
  if (ports.exhausted) return [];
  return records.filter((record) => !ports.isOpen(record.id) && hasAddress(world, stateOf(world, record, now)));
}

/** Opens a port for every container that has its address by `now`; the number is kept for good. */
export async function openAddresses(world: World, records: readonly ContainerRecord[], now: number): Promise<void> {
  await openPorts(world, withoutPort(world, records, now));
}

/** Reopens every address that was ever shown, and closes all others: after a restart, or when data were replaced. */
export async function reopenAddresses(world: World): Promise<void> {
  if (world.config.containers.urlStyle !== 'port') return;
  const rows = listListening(world.db);
  portsOf(world).keepOnly(new Set(rows.map(({ id }) => id)));
  await openPorts(
    world,
    rows.filter(({ id }) => !portsOf(world).isOpen(id)),
  );
}

async function openPorts(world: World, rows: readonly ContainerRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { epoch } = world;
  const opened = await Promise.all(
    rows.map(async ({ id, seq, listener_port: before }) => ({
      seq,
      before,
      port: await portsOf(world).open(id, before || preferredPort(world, id)),
    })),
  );
  const changed = opened.filter(({ port, before }) => port !== 0 && port !== before);
  if (changed.length > 0 && epoch === world.epoch) setListenerPorts(world.db, changed);
}

/** Whether a container is reached by a path of the platform's own, for lack of a port. */
export function isByPath(world: World, { id }: Pick<ContainerRow, 'id'>): boolean {
  if (world.config.containers.urlStyle !== 'port') return false;
  const ports = portsOf(world);
  return ports.exhausted && !ports.isOpen(id);
}

/** Tells a client why addresses are paths, where they are. */
export function tellOfPaths(world: World, warn: (text: string) => void): void {
  if (world.config.containers.urlStyle !== 'port' || !portsOf(world).exhausted) return;
  warn('no more ports can be opened: the url of each further container is a path of this server');
}

// Ports below the range from which systems pick ports for outgoing connections; the same for the same seed.
function preferredPort(world: World, id: string): number {
  return 20_000 + Math.floor(world.random.fraction('port', id) * 12_000);
}
