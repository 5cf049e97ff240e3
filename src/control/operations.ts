// Every control operation, by its path inside a world.

import { accountOperations } from './accounts-operations.js';
import { awaitOperations } from './await-operations.js';
import { clockOperations } from './clock-operations.js';
import { containerOperations } from './containers-operations.js';
import { dashboardOperations } from './dashboard-operations.js';
import { faultOperations } from './faults-operations.js';
import { imageOperations } from './images-operations.js';
import { infoOperations } from './info-operations.js';
import { limitOperations } from './limits-operations.js';
import type { ControlOperation } from './operation.js';
import { paymentOperations } from './payments-operations.js';
import { replyOperations } from './replies-operations.js';
import { requestOperations } from './requests-operations.js';
import { scenarioOperations } from './scenarios-operations.js';
import { sessionOperations } from './sessions-operations.js';
import { snapshotOperations } from './snapshots-operations.js';
import { verdictOperations } from './verdicts-operations.js';
import { voiceOperations } from './voices-operations.js';
import { walletOperations } from './wallets-operations.js';
import { worldOperations } from './worlds-operations.js';

export const controlOperations: readonly ControlOperation[] = [
  ...infoOperations,
  ...clockOperations,
  ...containerOperations,
  ...imageOperations,
  ...voiceOperations,
  ...awaitOperations,
  ...accountOperations,
  ...sessionOperations,
  ...walletOperations,
  ...paymentOperations,
  ...limitOperations,
  ...faultOperations,
  ...replyOperations,
  ...requestOperations,
  ...dashboardOperations,
  ...scenarioOperations,
  ...snapshotOperations,
  ...worldOperations,
  ...verdictOperations,
];
