// Opens the local addresses of running containers before responses show them.

import type { World } from '../../world/world.js';
import type { ContainerState } from './lifecycle.js';
import { portsOf } from './local-ports.js';
import { stateOf } from './state.js';
import { type ContainerRecord, type ContainerRow, listListening, setListenerPort } from './store.js';

/** Whether a container has an address by now. */
export function hasAddress({ config }: World, { lastDeployedAt }: Pick<ContainerState, 'lastDeployedAt'>): boolean {
  return lastDeployedAt !== null || config.containers.urlFrom === 'creation';
}

/** Opens a port for every container that has its address by `now`; the number is kept for good. */
export async function openAddresses(world: World, records: readonly ContainerRecord[], now: number): Promise<void> {
  if (world.config.containers.urlStyle !== 'port') return;
  for (const record of records) {
    if (portsOf(world).isOpen(record.id)) continue;
    if (!hasAddress(world, stateOf(world, record, now))) continue;
    await openAddress(world, record);
  }
}

/** Reopens every address that was ever shown, and closes all others: after a restart, or when data were replaced. */
export async function reopenAddresses(world: World): Promise<void> {
  if (world.config.containers.urlStyle !== 'port') return;
  const rows = listListening(world.db);
  portsOf(world).keepOnly(new Set(rows.map(({ id }) => id)));
  for (const row of rows) {
    if (!portsOf(world).isOpen(row.id)) await openAddress(world, row);
  }
}

async function openAddress(world: World, row: ContainerRow): Promise<void> {
  const port = await portsOf(world).open(row.id, row.listener_port || preferredPort(world, row.id));
  // Without a port, it is tried again when the address is next requested.
  if (port !== 0 && port !== row.listener_port) setListenerPort(world.db, row.seq, port);
}

// Ports below the range from which systems pick ports for outgoing connections; the same for the same seed.
function preferredPort(world: World, id: string): number {
  return 20_000 + Math.floor(world.random.fraction('port', id) * 12_000);
}
