// Every verb, as yargs knows it.

import yargs from 'yargs';
import { type FlagName, flags } from '../config/flags.js';
import { nearest } from '../kernel/nearest.js';
import { configCheck } from './commands/config.js';
import { env } from './commands/env.js';
import { init } from './commands/init.js';
import { openapi } from './commands/openapi.js';
import { start } from './commands/start.js';
import { status } from './commands/status.js';
import { stop } from './commands/stop.js';
import { wait } from './commands/wait.js';
import { fail } from './print.js';

const verbs = ['start', 'init', 'env', 'status', 'stop', 'wait', 'openapi', 'config'];

const target = {
  url: { type: 'string', describe: 'Where the emulator answers (default: CLOUDEMU_URL, the run file, or port 4747)' },
  'data-dir': { type: 'string', describe: 'Data directory whose run file names the emulator' },
  token: { type: 'string', describe: 'Control token, beyond loopback' },
  json: { type: 'boolean', default: false, describe: 'Answer as one line of JSON' },
} as const;

const json = { json: target.json } as const;

/** Parses and runs a command line. */
export async function runCommands(argv: readonly string[]): Promise<void> {
  const parser = yargs([...argv])
    .scriptName('cloudemu')
    .usage('$0 <verb>\n\nA local emulator of a cloud platform for AI agents.')
    .parserConfiguration({ 'boolean-negation': true, 'strip-aliased': true })
    .command(
      'start',
      'Run the emulator until Ctrl-C',
      (command) =>
        command
          .options({ ...flagOptions(), json: { ...target.json, describe: 'Print one line of JSON instead of the banner' } })
          .option('config', { type: 'string', describe: 'Settings file (default: emulator.config.json, if it is there)' })
          .example('$0 start --port 0 --ephemeral --json', 'a throw-away emulator for a script')
          .example('$0 start --timing realistic --seed 42', 'deployments of 8 to 12 minutes, the same each time'),
      ({ json: asJson, config, ...rest }) => start({ json: asJson, config, flags: pickFlags(rest) }),
    )
    .command(
      'init',
      'Write a settings file to begin with',
      (command) => command.options(json).example('$0 init', 'writes emulator.config.json; never overwrites one'),
      (options) => init(options),
    )
    .command(
      'env',
      'Print exports for your client: base URL and test key',
      (command) => command.options(target).example('eval "$($0 env)"', 'sets them in this shell'),
      (options) => env(options),
    )
    .command(
      'status',
      'Show the running emulator',
      (command) => command.options(target).example('$0 status --json', 'for a script; exit code 1 when none runs'),
      (options) => status(options),
    )
    .command(
      'stop',
      'End the running emulator',
      (command) => command.options(target).example('$0 stop', 'ends the emulator of this directory'),
      (options) => stop(options),
    )
    .command(
      'wait',
      'Wait until the emulator is ready',
      (command) =>
        command
          .options(target)
          .option('timeout', { type: 'string', default: '30s', describe: 'How long: "30s", "2m" or milliseconds' })
          .example('$0 wait --timeout 10s', 'exit code 0 when ready, 1 when not'),
      (options) => wait(options),
    )
    .command(
      'openapi',
      'Print the OpenAPI 3.1 document',
      (command) =>
        command
          .options({
            control: { type: 'boolean', default: false, describe: 'The control plane’s document instead of the platform’s' },
            'base-url': { type: 'string', default: 'http://127.0.0.1:4747', describe: 'The server named in it' },
            json: { type: 'boolean', default: false, describe: 'On one line' },
          })
          .example('$0 openapi > openapi.json', 'to generate a client from'),
      (options) => openapi(options),
    )
    .command('config', 'Look after the settings file', (command) =>
      command
        .command(
          'check',
          'Check the settings without starting',
          (check) =>
            check
              .options({ ...flagOptions(), ...json })
              .option('config', { type: 'string', describe: 'Settings file' })
              .example('$0 config check', 'exit code 0 when all is well, 2 with one line a problem'),
          ({ json: asJson, config, ...rest }) => configCheck({ json: asJson, config, flags: pickFlags(rest) }),
        )
        .demandCommand(1, 'Say what to do with the settings: `cloudemu config check`'),
    )
    .demandCommand(1, 'Say what to do: `cloudemu start` runs the emulator.')
    .strict()
    .fail((message, error) => {
      if (error !== undefined && error !== null) throw error;
      fail(2, explain(message, argv));
    })
    .help()
    .alias('help', 'h')
    .version((await import('../kernel/version.js')).packageVersion())
    .wrap(Math.min(110, process.stdout.columns ?? 80));
  if (argv.length === 0) return void parser.showHelp('log');
  await parser.parseAsync();
}

function flagOptions() {
  return Object.fromEntries(Object.entries(flags).map(([name, { type, describe }]) => [name, { type, describe }])) as Record<
    FlagName,
    { type: 'string' | 'number' | 'boolean'; describe: string }
  >;
}

function pickFlags(options: Record<string, unknown>): Partial<Record<FlagName, unknown>> {
  const picked: Partial<Record<FlagName, unknown>> = {};
  for (const name of Object.keys(flags) as FlagName[]) if (options[name] !== undefined) picked[name] = options[name];
  return picked;
}

// yargs says what is wrong; we add the nearest right word.
function explain(message: string, argv: readonly string[]): string {
  const unknown = /Unknown arguments?: ([^,]+)/.exec(message)?.[1]?.trim();
  if (unknown === undefined) return message;
  const isVerb = argv[0] === unknown;
  const suggestion = nearest(unknown, isVerb ? verbs : [...Object.keys(flags), ...Object.keys(target), 'config', 'timeout', 'control']);
  const what = isVerb ? `There is no verb "${unknown}"` : `There is no flag --${unknown}`;
  const hint = suggestion === undefined ? '' : `; did you mean ${isVerb ? suggestion : `--${suggestion}`}?`;
  return `${what}${hint} (\`cloudemu ${isVerb ? '' : `${argv[0] ?? ''} `}--help\` lists them)`;
}
