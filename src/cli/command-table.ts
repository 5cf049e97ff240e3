// All commands, in the order of the help. Help, parsing and usage errors are derived from this table.

import type { Command } from './command.js';
import { agentCommands } from './commands/agent.js';
import { completionCommand } from './commands/completion.js';
import { configCommands } from './commands/config.js';
import { containerLogsCommand } from './commands/container-logs.js';
import { docsCommand } from './commands/docs.js';
import { driftCommands } from './commands/drift.js';
import { envCommand } from './commands/env.js';
import { exploreCommand } from './commands/explore.js';
import { importCommands } from './commands/import.js';
import { initCommand } from './commands/init.js';
import { openCommand } from './commands/open.js';
import { openapiCommand } from './commands/openapi.js';
import { receiptCommand } from './commands/receipt.js';
import { runCommand } from './commands/run.js';
import { scenarioCommands } from './commands/scenario.js';
import { startCommand } from './commands/start.js';
import { statusCommand } from './commands/status.js';
import { stopCommand } from './commands/stop.js';
import { verdictsCommand } from './commands/verdicts.js';
import { signCommands } from './commands/wallet-sign.js';
import { worldGcCommand } from './commands/world-gc.js';
import { operationCommands } from './operation-command.js';

export const commands: readonly Command[] = [
  startCommand,
  runCommand,
  exploreCommand,
  ...importCommands,
  ...driftCommands,
  initCommand,
  envCommand,
  docsCommand,
  ...agentCommands,
  completionCommand,
  statusCommand,
  openCommand,
  stopCommand,
  verdictsCommand,
  openapiCommand,
  containerLogsCommand,
  ...signCommands,
  worldGcCommand,
  receiptCommand,
  ...scenarioCommands,
  ...configCommands,
  ...operationCommands(),
];
