// The control plane of a world as one object: tests hold it directly, /_emulator and the command line go through it.

import { createUserControls, type UserControls } from '../modules/accounts/controls.js';
import { type AwaitControls, createAwaitControl } from '../modules/awaits/controls.js';
import { type ContainerControls, createContainerControls } from '../modules/containers/controls.js';
import { type CoverageControls, createCoverageControls } from '../modules/coverage/controls.js';
import { createTimelineControls, type TimelineControls } from '../modules/dashboard/controls.js';
import { createEventControls, type EventControls } from '../modules/events/controls.js';
import { createFaultControls, type FaultControls } from '../modules/faults/controls.js';
import { createImageControls, type ImageControls } from '../modules/images/controls.js';
import { createRequestControls, type RequestControls } from '../modules/journal/controls.js';
import { createKeyControls, type KeyControls } from '../modules/keys/controls.js';
import { createLimitControls, type LimitControls } from '../modules/limits/controls.js';
import type { Operation } from '../modules/limits/views.js';
import { createReplyControls, type ReplyControls } from '../modules/models/controls.js';
import { type CreditControls, createCreditControls } from '../modules/organizations/controls.js';
import { createPaymentControls, type PaymentControls } from '../modules/payments/controls.js';
import { createScenarioControls, type ScenarioControls } from '../modules/scenarios/controls.js';
import type { Library } from '../modules/scenarios/library.js';
import { createSessionControls, type SessionControls } from '../modules/sessions/controls.js';
import { createSnapshotControls, type SnapshotControls } from '../modules/snapshots/controls.js';
import type { SnapshotStore } from '../modules/snapshots/snapshot-store.js';
import { createVerdictControls, type VerdictControls } from '../modules/verdicts/controls.js';
import { createVoiceControls, type VoiceControls } from '../modules/voice/controls.js';
import { createWalletControls, type WalletControls } from '../modules/wallets/controls.js';
import { type ClockControls, createClockControls } from '../modules/worlds/clock.js';
import { createWorldControls, type Hosting, type WorldControls } from '../modules/worlds/controls.js';
import { createInfoControls, type InfoControls } from '../modules/worlds/info.js';
import { createResetControl, type ResetControls } from '../modules/worlds/reset.js';
import type { World } from '../world/world.js';

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
  shelf: SnapshotStore;
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
    TimelineControls,
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
    ...createTimelineControls(world, context.operations),
    ...createVerdictControls(context),
    ...createCoverageControls(world),
  };
}
