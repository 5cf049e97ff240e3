// The control plane of a world as one object: tests hold it directly, /_emulator and the command line go through it.

import type { Shelf } from '../store/shelf.js';
import type { World } from '../worlds/world.js';
import { type AwaitControls, createAwaitControl } from './await.js';
import { type ClockControls, createClockControls } from './clock.js';
import { type ContainerControls, createContainerControls } from './containers.js';
import { type CoverageControls, createCoverageControls } from './coverage.js';
import { type CreditControls, createCreditControls } from './credits.js';
import { createEventControls, type EventControls } from './events.js';
import { createFaultControls, type FaultControls } from './faults.js';
import { createImageControls, type ImageControls } from './images.js';
import { createInfoControls, type InfoControls } from './info.js';
import { createKeyControls, type KeyControls } from './keys.js';
import type { Operation } from './limit-views.js';
import { createLimitControls, type LimitControls } from './limits.js';
import { createPaymentControls, type PaymentControls } from './payments.js';
import { createReplyControls, type ReplyControls } from './replies.js';
import { createRequestControls, type RequestControls } from './requests.js';
import { createResetControl, type ResetControls } from './reset.js';
import { createScenarioControls, type ScenarioControls } from './scenarios/controls.js';
import type { Library } from './scenarios/library.js';
import { createSessionControls, type SessionControls } from './sessions.js';
import { createSnapshotControls, type SnapshotControls } from './snapshots.js';
import { createUserControls, type UserControls } from './users.js';
import { createVerdictControls, type VerdictControls } from './verdicts/controls.js';
import { createVoiceControls, type VoiceControls } from './voices.js';
import { createWalletControls, type WalletControls } from './wallets.js';
import { createWorldControls, type Hosting, type WorldControls } from './worlds.js';

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

// Written out: a declaration made from what createControls returns would lose what is said of the methods.
/** Everything that a person or a test can do to a world. */
export interface Controls
  extends InfoControls,
    AwaitControls,
    CreditControls,
    ResetControls,
    RequestControls,
    EventControls,
    VerdictControls,
    VoiceControls,
    CoverageControls {
  /** Time: freeze it, advance it, let it run. */
  clock: ClockControls;
  /** Containers: make them fail, stop, recover or skip ahead. */
  containers: ContainerControls;
  /** Images of the registry: shown, removed, made up. */
  images: ImageControls;
  /** Test keys with their values. */
  keys: KeyControls;
  /** People, and what they may do. */
  users: UserControls;
  /** People who are signed in. */
  sessions: SessionControls;
  /** Test wallets with their keys. */
  wallets: WalletControls;
  /** Payments with virtual USDC. */
  payments: PaymentControls;
  /** Rate limits: set, exhausted, released. */
  limits: LimitControls;
  /** Fault rules: what goes wrong with requests. */
  faults: FaultControls;
  /** What models answer next. */
  replies: ReplyControls;
  /** Kept states. */
  snapshots: SnapshotControls;
  /** How worlds begin, and what is expected of clients. */
  scenarios: ScenarioControls;
  /** Worlds beside each other. */
  worlds: WorldControls;
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
    images: createImageControls(world, context.hosting),
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
