// The local addresses of containers: listeners beside the emulator's own port, opened before responses show them.

import type { JsonAnswer, LaterAnswer } from '../../../http/response.js';
import type { WorldPart } from '../../../world/parts.js';
import type { PartKey, World } from '../../../world/world.js';
import { type ContainerState, containerAt } from '../lifecycle/lifecycle.js';
import { type ContainerRecord, type ContainerRow, findContainer, listListening, setListenerPorts } from '../store.js';

/** Whether a container has an address by now: it has run, or the request itself has started it. */
export function hasAddress({ lastDeployedAt, run }: Pick<ContainerState, 'lastDeployedAt' | 'run'>): boolean {
  return lastDeployedAt !== null || run.deployment.plan.begins === 'deploying';
}

/** The containers that have their address by `now`, but no port yet that could be had. */
export function withoutPort(world: World, records: readonly ContainerRecord[], now: number): ContainerRecord[] {
  if (world.config.containers.urlStyle !== 'port') return [];
  const ports = portsOf(world);
  if (ports.exhausted) return [];
  return records.filter((record) => !ports.isOpen(record.id) && hasAddress(containerAt(record.deployments, now)));
}

/** Opens a port for every container that has its address by `now`; the number is kept for good. */
export async function openAddresses(world: World, records: readonly ContainerRecord[], now: number): Promise<void> {
  await openPorts(world, withoutPort(world, records, now));
}

/** Answers with a container; one that has come to run gets its port before that. */
export function whenOpen(
  { world, now }: { world: World; now: number },
  record: ContainerRecord,
  answer: (record: ContainerRecord) => JsonAnswer,
): JsonAnswer | LaterAnswer {
  if (withoutPort(world, [record], now).length === 0) return answer(record);
  const ready = async (): Promise<JsonAnswer> => {
    await openAddresses(world, [record], now);
    return answer({ ...record, listener_port: findContainer(world.db, record.id)?.listener_port ?? null });
  };
  return { kind: 'later', ready };
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
    rows.map(async ({ id, seq, listener_port: before }) => {
      // Below the range from which systems pick ports for outgoing connections; the same for the same seed.
      const preferred = 20_000 + Math.floor(world.random.fraction('port', id) * 12_000);
      return { seq, before, port: await portsOf(world).open(id, before || preferred) };
    }),
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
export function warnOfPaths(world: World, warn: (text: string) => void): void {
  if (world.config.containers.urlStyle !== 'port' || !portsOf(world).exhausted) return;
  warn('no more ports can be opened: the url of each further container is a path of this server');
}

/** Ports of the machine on which containers of a world listen. */
export interface LocalPorts extends WorldPart {
  isOpen(containerId: string): boolean;
  /**
   * Whether no more can be opened, from the first that could not on: until the emulator ends, a container without a port
   * is reached by a path of the platform's own, so that its address stays the same.
   */
  readonly exhausted: boolean;
  /** Opens a listener on the wanted port or, when that is taken, on another; 0 when none is available. */
  open(containerId: string, wanted: number): Promise<number>;
  closePort(containerId: string): void;
  /** Closes all but these. */
  keepOnly(containerIds: ReadonlySet<string>): void;
}

/** The host creates the ports, as it knows the address to listen on. */
export const portsKey: PartKey<LocalPorts> = {
  name: 'ports',
  create() {
    throw new Error('the host provides the ports of a world');
  },
};

/** The ports of a world's containers. */
export function portsOf(world: World): LocalPorts {
  return world.part(portsKey);
}
