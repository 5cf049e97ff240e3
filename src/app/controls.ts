// All control operations, grouped as `emulator.controls` has their methods.

import { type ControlOperation, type ControlsOf, operationsIn } from '../control/operation.js';
import type { Remote } from '../control/remote.js';
import { userOperations } from '../platform/accounts/control.js';
import { checkoutOperations } from '../platform/checkouts/control.js';
import { containerOperations } from '../platform/containers/control.js';
import { ledgerOperations } from '../platform/credits/control.js';
import { hostedAgentOperations } from '../platform/hosted-agents/control.js';
import { imageOperations } from '../platform/images/control.js';
import { jobOperations } from '../platform/jobs/control.js';
import { keyOperations } from '../platform/keys/control.js';
import { limitOperations } from '../platform/limits/control.js';
import { replyOperations } from '../platform/models/control.js';
import { organizationOperations } from '../platform/organizations/control.js';
import { pairingOperations } from '../platform/pairing/control.js';
import { paymentOperations } from '../platform/payments/control.js';
import { relayOperations } from '../platform/relay/control.js';
import { sessionOperations } from '../platform/sessions/control.js';
import { voiceOperations } from '../platform/voice/control.js';
import { walletOperations } from '../platform/wallets/control.js';
import { awaitOperations } from '../tools/awaits/control.js';
import { coverageOperations } from '../tools/coverage/control.js';
import { changeOperations } from '../tools/events/changes.js';
import { eventOperations } from '../tools/events/control.js';
import { exploreOperations } from '../tools/explore/control.js';
import { faultOperations } from '../tools/faults/control.js';
import { historyOperations } from '../tools/history/control.js';
import { incidentOperations } from '../tools/incidents/control.js';
import { reportOperations } from '../tools/report/control.js';
import { scenarioOperations } from '../tools/scenarios/control.js';
import { snapshotOperations } from '../tools/snapshots/control.js';
import { streamOperations } from '../tools/streams/control.js';
import { timelineOperations } from '../tools/timeline/control.js';
import { verdictOperations } from '../tools/verdicts/control.js';
import { whyOperations } from '../tools/why/control.js';
import { clockOperations } from '../tools/worlds/clock.js';
import { worldOperations } from '../tools/worlds/control.js';
import { infoOperations } from '../tools/worlds/info.js';
import { journalOperations } from '../tools/worlds/rerun.js';
import { resetOperations } from '../tools/worlds/reset.js';

/** All control operations. Their methods, routes, commands and documents follow from this object, and their order too. */
export const controlTree = {
  ...infoOperations,
  /** Time: freeze it, advance it, let it run. */
  clock: clockOperations,
  /** Containers: make them fail, stop, recover or skip ahead. */
  containers: containerOperations,
  /** Images of the registry: shown, removed, generated. */
  images: imageOperations,
  /** Cloned voices. */
  voices: voiceOperations,
  /** Hosted agents: shown, made, set to a status. */
  hostedAgents: hostedAgentOperations,
  /** Jobs of agents and voices: shown, begun, completed, failed. */
  jobs: jobOperations,
  ...awaitOperations,
  /** Pairings: tokens with which a page of an agent gets a key. */
  pairings: pairingOperations,
  /** Local agents behind the gateway relay: listed, asked. */
  relay: relayOperations,
  /** Organizations and their credits. */
  organizations: organizationOperations,
  ...ledgerOperations,
  /** Test keys with their values. */
  keys: keyOperations,
  /** Users and their roles. */
  users: userOperations,
  /** Sessions of users who are signed in. */
  sessions: sessionOperations,
  /** Test wallets with their keys. */
  wallets: walletOperations,
  /** Payments with virtual USDC. */
  payments: paymentOperations,
  /** Purchases of credits by card: paid as a person would. */
  checkouts: checkoutOperations,
  /** Rate limits: set, used up, released. */
  limits: limitOperations,
  /** Fault rules: what goes wrong with requests. */
  faults: faultOperations,
  /** The next replies of models. */
  replies: replyOperations,
  /** The journal: requests and their responses. */
  requests: journalOperations,
  /** The history: what has changed the world, point by point. */
  history: historyOperations,
  ...whyOperations,
  /** Streams that clients opened: what was sent through them. */
  streams: streamOperations,
  ...eventOperations,
  ...timelineOperations,
  ...changeOperations,
  /** Scenarios: initial states of worlds, and what they expect of clients. */
  scenarios: scenarioOperations,
  ...resetOperations,
  /** Snapshots of the world. */
  snapshots: snapshotOperations,
  /** The worlds of the emulator. */
  worlds: worldOperations,
  ...verdictOperations,
  ...coverageOperations,
  ...reportOperations,
  ...incidentOperations,
  ...exploreOperations,
};

/** Everything that a person or a test can do to a world. */
export type Controls = ControlsOf<typeof controlTree>;

/** The methods of a running emulator in another process: those of `Controls`, whose answers are all promises. */
export type RemoteControls = Remote<Controls>;

/** All operations, one for each route. */
export const controlOperations: readonly ControlOperation[] = operationsIn(controlTree);
