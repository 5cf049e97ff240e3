// The interface by which modules make, list and end worlds: the emulator gives it to every world.

import type { Tree } from '../../core/tree.js';
import { given } from '../../world/given.js';
import type { AskedWorld } from '../../world/made-world.js';
import type { World } from '../../world/world.js';
import type { Worlds } from '../../world/worlds.js';
import type { NamedScenario } from '../scenarios/fill.js';
import type { WorldInfo } from './request.js';

/** Makes and ends worlds. */
export interface Hosting {
  worlds(): Worlds;
  /** Whether there is a world of this id, or one is being made. */
  isTaken(id: string): boolean;
  /** How many worlds a control token has made that are still there, with those that are being made. */
  countOf(owner: string): number;
  /** The scenario that worlds begin with by default. */
  scenario(): NamedScenario | undefined;
  /**
   * The facts about a world that a client needs; a world that is not open stays closed.
   *
   * @throws ApiError NOT_FOUND
   */
  describe(id: string): Omit<WorldInfo, 'baseUrl'>;
  /** Waits until the world of this id is there with its port, if it is being made. */
  beingMade(id: string): Promise<unknown> | undefined;
  /** The request that made the world of this id; undefined if there is none. */
  madeBy(id: string): AskedWorld | undefined;
  /** Makes and lists a world, which its first request opens; its port is there when it resolves. */
  make(request: NewWorldRequest | ForkedWorldRequest): Promise<Omit<WorldInfo, 'baseUrl'>>;
  drop(id: string): void;
  /** Keeps a world whose test has failed, in the way of this emulator. */
  keep(world: World): Kept;
  /** Ends a world that was kept, where another one is to have its id; false: there was none. */
  giveWay(id: string): boolean;
}

/** What has become of a world whose test has failed: it stays (for an hour, or for good), it was saved, both, or neither. */
export type Kept =
  | { as: 'world'; isForGood?: true; dataDir: string | null }
  | { as: 'file'; dataDir: string }
  | { as: null; why: string };

interface WorldToMake {
  id: string;
  /** The name of the control token that made it; '' for none. */
  owner: string;
  /** The fields of the request, which later requests are compared with. */
  asked: AskedWorld;
  port: number | undefined;
  ttl: number;
}

/** A world that begins with the data of another one, as it was once. */
export interface ForkedWorldRequest extends WorldToMake {
  image: Buffer;
}

export interface NewWorldRequest extends WorldToMake {
  label?: string | undefined;
  seed: string;
  at: number | undefined;
  frozen: boolean | undefined;
  scenario: NamedScenario | undefined;
  /** Settings of its own. */
  settings?: Tree | undefined;
  /** Fills it as its beginning says. */
  fill: (world: World) => void;
  /** Puts other data in their place when it is there; where that throws, it is dropped again. */
  begin?: ((world: World) => Promise<void>) | undefined;
}

export const hosting = given<Hosting>('hosting');
