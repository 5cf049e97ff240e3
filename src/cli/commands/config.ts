// `cloudemu config check` and `cloudemu config schema`: whether the settings can be used, and what there are, for editors.

import { operationIds } from '../../app/emulator.js';
import { asSet, ConfigError } from '../../config/error.js';
import { flags } from '../../config/flags.js';
import { configJsonSchema } from '../../config/json-schema.js';
import { type LoadedConfig, loadConfig } from '../../config/load.js';
import { type Command, command, json, settingsFile } from '../command.js';
import { settingsFacts } from '../error-document.js';
import { note, printJson, printLine, tellError } from '../print.js';
import { type StartOptions, startOptions } from '../start-options.js';
import { scenarioDocument } from '../tested-command.js';

export const configCommands: readonly Command[] = [
  command({
    words: 'config check',
    describe: 'Check the settings without starting the emulator',
    flags: { ...flags, ...settingsFile, ...json },
    examples: [['config check', 'exit code 0 if all is well; otherwise 2, with one line per problem']],
    run: (values) => configCheck(startOptions(values)),
  }),
  command({
    words: 'config schema',
    describe: 'Print the JSON Schema of the settings file',
    flags: { json: { type: 'boolean', describe: 'Print it on one line' } },
    examples: [['config schema > config.schema.json', 'for an editor that checks while you type']],
    run: ({ json: isLine }) => printJson(configJsonSchema(), isLine ? 0 : 2),
  }),
];

function configCheck({ config: named, flags, json }: StartOptions): void {
  try {
    const loaded = loadConfig({ file: named, env: process.env, flags, operations: operationIds });
    const { config, file, warnings } = loaded;
    demandScenario(loaded);
    for (const warning of warnings) note(`warning: ${warning}`);
    if (json) printJson({ ok: true, file, profile: config.profile, problems: [], warnings });
    else
      printLine(
        `${file ?? 'No settings file; the defaults'} ${file === null ? 'are' : 'is'} fine (profile ${config.profile}).`,
      );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const found = { ok: false, file: error.file, profile: null, problems: error.problems, warnings: [] };
    tellError(2, error.problems, { ...settingsFacts(error), beside: found });
    process.exitCode = 2;
  }
}

// Only a world can check the content of the scenario: this checks that it exists and can be read.
function demandScenario(loaded: LoadedConfig): void {
  const { config } = loaded;
  try {
    scenarioDocument(config, config.scenario);
  } catch (error) {
    throw error instanceof ConfigError ? asSet(error, 'scenario', loaded) : error;
  }
}
