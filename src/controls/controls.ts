// The control plane of a world as one object: tests hold it directly, /_emulator and the command line go through it.

import type { Shelf } from '../store/shelf.js';
import type { World } from '../worlds/world.js';
import { createAwaitControl } from './await.js';
import { createClockControls } from './clock.js';
import { createContainerControls } from './containers.js';
import { createCoverageControls } from './coverage.js';
import { createCreditControls } from './credits.js';
import { createEventControls } from './events.js';
import { createFaultControls } from './faults.js';
import { createInfoControls } from './info.js';
import { createKeyControls } from './keys.js';
import type { Operation } from './limit-views.js';
import { createLimitControls } from './limits.js';
import { createPaymentControls } from './payments.js';
import { createReplyControls } from './replies.js';
import { createRequestControls } from './requests.js';
import { createResetControl } from './reset.js';
import { createScenarioControls } from './scenarios/controls.js';
import type { Library } from './scenarios/library.js';
import { createSessionControls } from './sessions.js';
import { createSnapshotControls } from './snapshots.js';
import { createUserControls } from './users.js';
import { createVerdictControls } from './verdicts/controls.js';
import { createVoiceControls } from './voices.js';
import { createWalletControls } from './wallets.js';
import { createWorldControls, type Hosting } from './worlds.js';

export interface ControlsContext {
  world: World;
  version: string;
  /** Wall milliseconds since the emulator started. */
  uptimeMs: () => number;
  /** What makes and ends worlds. */
  hosting: Hosting;
  /** Every operation of the platform. */
  operations: readonly Operation[];
  /** Where the world's snapshots lie. */
  shelf: Shelf;
  /** The scenarios that there are. */
  library: Library;
}

type Of<Create extends (...args: never[]) => object> = ReturnType<Create>;

// Written out: a declaration made from what createControls returns would lose what is said of the methods.
/** Everything that a person or a test can do to a world. */
export interface Controls
  extends Of<typeof createInfoControls>,
    Of<typeof createAwaitControl>,
    Of<typeof createCreditControls>,
    Of<typeof createResetControl>,
    Of<typeof createRequestControls>,
    Of<typeof createEventControls>,
    Of<typeof createVerdictControls>,
    Of<typeof createVoiceControls>,
    Of<typeof createCoverageControls> {
  clock: Of<typeof createClockControls>;
  containers: Of<typeof createContainerControls>;
  keys: Of<typeof createKeyControls>;
  users: Of<typeof createUserControls>;
  sessions: Of<typeof createSessionControls>;
  wallets: Of<typeof createWalletControls>;
  payments: Of<typeof createPaymentControls>;
  limits: Of<typeof createLimitControls>;
  faults: Of<typeof createFaultControls>;
  replies: Of<typeof createReplyControls>;
  snapshots: Of<typeof createSnapshotControls>;
  scenarios: Of<typeof createScenarioControls>;
  worlds: Of<typeof createWorldControls>;
}

export function createControls(context: ControlsContext): Controls {
  const { world } = context;
  const containers = createContainerControls(world);
  const voices = createVoiceControls(world);
  const operationIds = context.operations.map(({ id }) => id);
  return {
    ...createInfoControls(context),
    ...createAwaitControl(world, { containers, jobs: voices.jobs }, operationIds),
    clock: createClockControls(world),
    containers,
    keys: createKeyControls(world),
    users: createUserControls(world),
    sessions: createSessionControls(world),
    wallets: createWalletControls(world),
    payments: createPaymentControls(world),
    limits: createLimitControls(world, context.operations),
    faults: createFaultControls(world),
    replies: createReplyControls(world),
    ...createCreditControls(world),
    ...createResetControl(world),
    snapshots: createSnapshotControls(world, context.shelf),
    scenarios: createScenarioControls(context),
    worlds: createWorldControls(world, context.hosting, context.library),
    ...voices,
    ...createRequestControls(world, operationIds),
    ...createEventControls(world),
    ...createVerdictControls(context),
    ...createCoverageControls(world),
  };
}
