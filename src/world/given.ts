// Things of the emulator that modules need and a world cannot make: the composition gives them to every world.

import type { SettingsRead } from '../config/load.js';
import { freshInstance } from '../core/random.js';
import { elapsed } from '../core/real-time.js';
import type { Identity } from '../core/root.js';
import type { WorldPart } from './parts.js';
import type { PartKey, World } from './world.js';

interface GivenPart<Value> extends WorldPart {
  value: Value;
}

/** Something that is given to worlds. */
export interface Given<Value> {
  /** The value that this world was given. */
  of(world: World): Value;
  /** The entry of it among the makers of parts. */
  from(make: (world: World) => Value): [PartKey<WorldPart>, (world: World) => WorldPart];
}

/**
 * Names something that the composition gives to worlds.
 *
 * @example
 * export const scenarioLibrary = given<Library>('library');
 * scenarioLibrary.of(world).list();
 */
export function given<Value>(name: string): Given<Value> {
  const key: PartKey<GivenPart<Value>> = {
    name,
    create: () => {
      throw new Error(`Nothing gave this world its ${name}: see src/worlds/host.ts`);
    },
  };
  return {
    of: (world) => world.part(key).value,
    from: (make) => [key as PartKey<WorldPart>, (world): GivenPart<Value> => ({ value: make(world) })],
  };
}

/** The facts about the emulator as a whole. */
export interface EmulatorFacts {
  version: string;
  /** Another one with each start. */
  instance: string;
  /** To whom the emulator belongs. */
  identity: Identity;
  /** The value of the header X-Emulator: who has answered, and for which world. */
  mark: string;
  /** Wall milliseconds since the emulator started. */
  uptimeMs: () => number;
  /** What its settings were read from last. */
  settings: () => SettingsRead;
  /** Refuses connections for some wall milliseconds; undefined: others may use the emulator. */
  refuse?: (ms: number) => void;
  /** The URL at which the emulator answers, without a trailing slash. */
  origin: () => string;
}

/** The facts of an emulator, which are the same for all its worlds. */
export type SharedFacts = Omit<EmulatorFacts, 'origin' | 'mark'>;

/** The facts of an emulator that starts now. */
export function factsOfStart(facts: Pick<EmulatorFacts, 'version' | 'identity' | 'settings' | 'refuse'>): SharedFacts {
  const startedAt = elapsed();
  return { ...facts, instance: freshInstance(), uptimeMs: () => elapsed() - startedAt };
}

export const emulatorFacts = given<EmulatorFacts>('facts');
