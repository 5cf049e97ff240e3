// All commands with their words, flags and examples. Help, parsing and usage errors are derived from this table.

import { flags } from '../config/flags.js';
import { type Command, emulator, type Flag, json, target, targetOptions, text, type Values } from './command.js';
import { configCheck } from './commands/config-check.js';
import { configSchema } from './commands/config-schema.js';
import { coverage } from './commands/coverage.js';
import { detach } from './commands/detach.js';
import { explore } from './commands/explore.js';
import { init } from './commands/init.js';
import { open } from './commands/open.js';
import { openapi } from './commands/openapi.js';
import { run } from './commands/run.js';
import { scenarioApply, scenarioSchemaText } from './commands/scenario.js';
import { start } from './commands/start.js';
import { status } from './commands/status.js';
import { stop } from './commands/stop.js';
import { verdicts } from './commands/verdicts.js';
import { wait } from './commands/wait.js';
import { containerLogsCommand } from './container-logs-command.js';
import { expectationsCommand } from './expectations-command.js';
import { exploreFlags } from './explore/flags.js';
import { failOnChoices } from './fail-on.js';
import { operationCommands } from './operation-command.js';
import { runFlags } from './run-flags.js';
import { shellCommands } from './shell-commands.js';
import { signingCommands } from './signing-commands.js';
import { startOptions } from './start-options.js';
import { worldMoveCommand } from './world-move-command.js';

const config: Record<string, Flag> = {
  config: { type: 'string', describe: 'Settings file, if it exists', byDefault: 'emulator.config.json' },
};
const since: Record<string, Flag> = {
  since: {
    type: 'string',
    describe: 'Only from this request id, ISO 8601 time or duration of virtual time (such as "10m") on',
  },
};

export const commands: readonly Command[] = [
  {
    words: 'start',
    describe: 'Run the emulator until Ctrl-C, or in the background',
    flags: {
      detach: {
        type: 'boolean',
        describe: 'Run it in the background and return when it is ready; `cloudemu stop` ends it',
        byDefault: 'off',
      },
      ...flags,
      ...config,
      json: { type: 'boolean', describe: 'Print one line of JSON instead of the banner', byDefault: 'off' },
    },
    examples: [
      ['start --port 0 --ephemeral --json', 'a throw-away emulator, for a script'],
      ['start --seed 42 --timing realistic', 'deployments take minutes, and are the same each time'],
      ['start --detach', 'in the background; its log is emulator.log in the data directory'],
    ],
    run: (values) => (values.detach === true ? detach : start)(startOptions(values)),
  },
  {
    words: 'run',
    describe: 'Run a command against a new emulator with a scenario',
    args: [{ name: 'scenario', describe: 'Name or file of the scenario', required: true }],
    rest: 'command',
    flags: {
      ...runFlags,
      ...config,
      ...json,
    },
    examples: [
      ['run rough-day -- npm test', 'exit code: that of the command, or 1 if an expectation is not met'],
      ['run ./mine.json --junit report.xml -- npm test', 'for CI'],
    ],
    run: (values) => run(runOptions(values)),
  },
  {
    words: 'explore',
    describe: 'Run your tests with every fault that a client can meet, and report what it does wrong',
    rest: 'command',
    flags: { ...exploreFlags, ...config, ...json },
    examples: [
      ['explore -- npm test', 'the worst comes first; exit code 1 if the client does worse than report an error'],
      ['explore --budget 1m --fail-on A -- npm test', 'for CI'],
    ],
    run: (values) => explore(exploreOptions(values)),
  },
  {
    words: 'init',
    describe: 'Write an initial settings file',
    flags: json,
    examples: [['init', 'writes emulator.config.json, unless it already exists']],
    run: (values) => init({ json: values.json === true }),
  },
  ...shellCommands,
  {
    words: 'status',
    operation: 'control.health',
    describe: 'Show whether an emulator is running, and where',
    flags: target,
    examples: [['status --json', 'for a script; exit code 1 if none is running']],
    run: (values) => status(targetOptions(values)),
  },
  {
    words: 'open',
    describe: 'Open the dashboard in the browser',
    flags: { print: { type: 'boolean', describe: 'Only print its address', byDefault: 'off' }, ...target },
    examples: [
      ['open', 'the timeline of requests, containers, credits and time'],
      ['open --print', 'its address, where there is no browser'],
    ],
    run: (values) => open({ ...targetOptions(values), print: values.print === true }),
  },
  {
    words: 'stop',
    describe: 'Stop the running emulator',
    flags: emulator,
    examples: [['stop', 'stops the emulator of this directory; exit code 1 if none is running']],
    run: (values) => stop(targetOptions(values)),
  },
  {
    words: 'wait',
    valueIs: 'timeout',
    describe: 'Wait until the emulator is ready',
    flags: {
      timeout: { type: 'string', default: '30s', describe: 'Longest time to wait: "30s", "2m" or milliseconds' },
      ...emulator,
    },
    examples: [['wait --timeout 10s', 'exit code 0 when ready, 1 after the timeout']],
    run: (values) => wait({ ...targetOptions(values), timeout: String(values.timeout) }),
  },
  {
    words: 'verdicts',
    valueIs: 'since',
    operation: 'control.verdicts',
    describe: 'Judge the clients of every world by the rules of good behaviour',
    flags: {
      'fail-on': {
        type: 'string',
        choices: failOnChoices,
        describe: 'Verdicts that set exit code 1: fail always does, unclear and not-exercised if named',
      },
      ...since,
      ...target,
      world: { type: 'string', describe: 'World to judge (default: all worlds)' },
    },
    examples: [
      ['verdicts --fail-on fail', 'in CI, after the tests: exit code 1 when a rule was broken'],
      ['verdicts --since 10m', 'only the last ten minutes of virtual time'],
      ['verdicts --world blue', 'judges one world'],
    ],
    run: (values) =>
      verdicts({ ...targetOptions(values), since: text(values, 'since'), failOn: text(values, 'fail-on') }),
  },
  {
    words: 'coverage',
    valueIs: 'since',
    operation: 'control.coverage',
    describe: 'Show which operations and error codes the client has encountered',
    flags: { ...since, ...target },
    examples: [['coverage', 'shows what your tests do not cover yet']],
    run: (values) => coverage({ ...targetOptions(values), since: text(values, 'since') }),
  },
  {
    words: 'openapi',
    describe: 'Print the OpenAPI 3.1 document',
    flags: {
      control: { type: 'boolean', describe: 'Print the document of the control plane instead of the platform’s' },
      'base-url': { type: 'string', default: 'http://127.0.0.1:4747', describe: 'Server URL in the document' },
      json: { type: 'boolean', describe: 'Print it on one line' },
    },
    examples: [['openapi > openapi.json', 'to generate a client; works without a running emulator']],
    run: (values) =>
      openapi({ control: values.control === true, baseUrl: String(values['base-url']), json: values.json === true }),
  },
  containerLogsCommand,
  expectationsCommand,
  ...signingCommands,
  worldMoveCommand,
  {
    words: 'scenario apply',
    operation: 'control.scenarios.apply',
    describe: 'Reset the world to a scenario',
    args: [{ name: 'scenario', describe: 'A name, a file, JSON, or - to read standard input', required: true }],
    flags: {
      merge: { type: 'boolean', describe: 'Add the scenario to the existing data instead of replacing it' },
      ...target,
    },
    examples: [
      ['scenario apply quota-reached', 'sets data, clock, faults and limits to those of the scenario'],
      ['scenario apply ./faults.json --merge', 'adds a scenario of your own to the existing data'],
    ],
    run: (values) =>
      scenarioApply({
        ...targetOptions(values),
        scenario: String(values.scenario),
        merge: values.merge === true,
      }),
  },
  {
    words: 'scenario schema',
    describe: 'Print the JSON Schema of scenario files',
    flags: { json: { type: 'boolean', describe: 'Print it on one line' } },
    examples: [['scenario schema > scenario.schema.json', 'for an editor that checks while you type']],
    run: (values) => scenarioSchemaText({ json: values.json === true }),
  },
  {
    words: 'config check',
    describe: 'Check the settings without starting the emulator',
    flags: { ...flags, ...config, ...json },
    examples: [['config check', 'exit code 0 if all is well; otherwise 2, with one line per problem']],
    run: (values) => configCheck(startOptions(values)),
  },
  {
    words: 'config schema',
    describe: 'Print the JSON Schema of the settings file',
    flags: { json: { type: 'boolean', describe: 'Print it on one line' } },
    examples: [['config schema > config.schema.json', 'for an editor that checks while you type']],
    run: (values) => configSchema({ json: values.json === true }),
  },
  ...operationCommands(),
];

const restOf = (values: Values): string[] => (Array.isArray(values['--']) ? values['--'].map(String) : []);

function exploreOptions(values: Values) {
  return {
    ...startOptions(values),
    command: restOf(values),
    scenario: text(values, 'scenario'),
    budget: String(values.budget),
    depth: String(values.depth),
    full: values.full === true,
    all: values.all === true,
    failOn: String(values['fail-on']),
    jobs: text(values, 'jobs'),
    junit: text(values, 'junit'),
    html: text(values, 'html'),
  };
}

function runOptions(values: Values) {
  return {
    ...startOptions(values),
    scenario: String(values.scenario),
    command: restOf(values),
    junit: text(values, 'junit'),
    world: text(values, 'world'),
    grace: String(values.grace),
    failOn: String(values['fail-on']),
  };
}
