// What a scenario expects of the command that is run with it: how long it may take, and with what it may fail.

import type { Config } from '../config/schema.js';
import { parseDuration } from '../core/duration.js';
import { isTree } from '../core/tree.js';
import { failureIn, signsOf } from '../modules/explore/output.js';
import { createLibrary, readScenarioFile } from '../modules/scenarios/library.js';
import { isFile, noScenario } from '../modules/scenarios/named.js';
import type { ScenarioInput } from '../modules/scenarios/schema.js';

export interface ExpectedCommand {
  /** Time after which it is killed. */
  limitMs: number | undefined;
  /** Whether what it printed shows the error of a fault, and nothing worse; undefined: it must not fail. */
  mayFail: ((output: string) => boolean) | undefined;
}

/** The document of a scenario, by its name or its file: what checks it are the worlds that begin with it. */
export function scenarioDocument({ data }: Config, scenario: string | null | undefined): ScenarioInput {
  if (scenario === null || scenario === undefined || scenario === noScenario) return {};
  const { document } = isFile(scenario) ? readScenarioFile(scenario) : createLibrary(data).find(scenario);
  return isTree(document) ? document : {};
}

/** What the scenario of the settings, which was checked, expects of the command. */
export function expectedCommand(config: Config): ExpectedCommand {
  const { command = {}, faults = [], worlds = {} } = scenarioDocument(config, config.scenario);
  const all = [['default', { faults }] as const, ...Object.entries(worlds)];
  const signs = all.flatMap(([label, { faults: rules = [], ...addition }]) => [
    ...rules.map(({ effect }) => ({ label, signs: signsOf(effect as Parameters<typeof signsOf>[0]) })),
    ...('containers' in addition ? (addition.containers ?? []) : []).map(({ mode }) => ({
      label,
      signs: signsOf(undefined, mode ?? ''),
    })),
  ]);
  return {
    limitMs: command.within === undefined ? undefined : parseDuration(command.within),
    mayFail:
      command.mayFailWithFault === true
        ? (output) => signs.some((one) => failureIn(output, one.label, one.signs) === 'platform')
        : undefined,
  };
}
