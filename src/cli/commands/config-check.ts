// `cloudemu config check`: whether the settings can be used.

import { ConfigError } from '../../config/error.js';
import { loadConfig } from '../../config/load.js';
import { operationIds } from '../../emulator.js';
import { note, printJson, printLine } from '../print.js';
import type { StartOptions } from '../start-options.js';

/** Exit code 0 when all is well; 2 with one line a problem. */
export function configCheck(options: StartOptions): void {
  try {
    const { config, file, warnings } = loadConfig({
      file: options.config,
      env: process.env,
      flags: options.flags,
      operations: operationIds,
    });
    for (const warning of warnings) note(`warning: ${warning}`);
    if (options.json) printJson({ ok: true, file, profile: config.profile, problems: [], warnings });
    else
      printLine(
        `${file ?? 'No settings file; the defaults'} ${file === null ? 'are' : 'is'} fine (profile ${config.profile}).`,
      );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (options.json) printJson({ ok: false, file: error.file, profile: null, problems: error.problems, warnings: [] });
    else for (const problem of error.problems) note(problem);
    process.exitCode = 2;
  }
}
