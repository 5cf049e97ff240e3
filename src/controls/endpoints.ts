// Every door of the control plane, by its path inside a world.

import type { ControlEndpoint } from './door.js';
import { accountDoors } from './doors/accounts.js';
import { awaitDoors } from './doors/await.js';
import { clockDoors } from './doors/clock.js';
import { containerDoors } from './doors/containers.js';
import { faultDoors } from './doors/faults.js';
import { imageDoors } from './doors/images.js';
import { infoDoors } from './doors/info.js';
import { limitDoors } from './doors/limits.js';
import { paymentDoors } from './doors/payments.js';
import { replyDoors } from './doors/replies.js';
import { requestDoors } from './doors/requests.js';
import { scenarioDoors } from './doors/scenarios.js';
import { sessionDoors } from './doors/sessions.js';
import { snapshotDoors } from './doors/snapshots.js';
import { verdictDoors } from './doors/verdicts.js';
import { voiceDoors } from './doors/voices.js';
import { walletDoors } from './doors/wallets.js';
import { worldDoors } from './doors/worlds.js';

export const controlEndpoints: readonly ControlEndpoint[] = [
  ...infoDoors,
  ...clockDoors,
  ...containerDoors,
  ...imageDoors,
  ...voiceDoors,
  ...awaitDoors,
  ...accountDoors,
  ...sessionDoors,
  ...walletDoors,
  ...paymentDoors,
  ...limitDoors,
  ...faultDoors,
  ...replyDoors,
  ...requestDoors,
  ...scenarioDoors,
  ...snapshotDoors,
  ...worldDoors,
  ...verdictDoors,
];
