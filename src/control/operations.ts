// Every door of the control plane, by its path inside a world.

import { accountDoors } from './accounts-operations.js';
import { awaitDoors } from './await-operations.js';
import { clockDoors } from './clock-operations.js';
import { containerDoors } from './containers-operations.js';
import { faultDoors } from './faults-operations.js';
import { imageDoors } from './images-operations.js';
import { infoDoors } from './info-operations.js';
import { limitDoors } from './limits-operations.js';
import type { ControlEndpoint } from './operation.js';
import { paymentDoors } from './payments-operations.js';
import { replyDoors } from './replies-operations.js';
import { requestDoors } from './requests-operations.js';
import { scenarioDoors } from './scenarios-operations.js';
import { sessionDoors } from './sessions-operations.js';
import { snapshotDoors } from './snapshots-operations.js';
import { verdictDoors } from './verdicts-operations.js';
import { voiceDoors } from './voices-operations.js';
import { walletDoors } from './wallets-operations.js';
import { worldDoors } from './worlds-operations.js';

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
