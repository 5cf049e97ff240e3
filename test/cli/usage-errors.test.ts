// Mistakes on the command line, and help: nothing is run, and the next try can be right.

import { describe, expect, test } from 'vitest';
import { parseLine } from '../../src/cli/command-line.js';
import { commands } from '../../src/cli/command-table.js';
import { sections, things } from '../../src/cli/groups.js';
import { commandsMeant, gone } from '../../src/cli/synonyms.js';
import { flags } from '../../src/config/flags.js';
import { configSchema } from '../../src/config/schema.js';
import type { Tree } from '../../src/core/tree.js';
import { runHere } from '../support/command-here.js';
import { usageErrorIn } from '../support/usage-errors.js';

const it = test;

const words = (line: string): string[] => (line === '' ? [] : line.split(' '));

/** The words of a line as a shell takes them, up to a pipe or a redirection. */
const shellWords = (line: string): string[] =>
  (/^[^|>]*/.exec(line)?.[0].match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));

const valuesOf = (line: string): Record<string, unknown> => {
  const outcome = parseLine(words(line), commands);
  return 'mistake' in outcome ? outcome : { words: outcome.command.words, ...outcome.values };
};

/** The lines of `cloudemu <line> --help`. */
const helpText = async (line: string): Promise<string[]> =>
  (await runHere([...words(line), '--help'])).stdout.trimEnd().split('\n');

it.each([
  ['strat', 'There is no command "strat"; did you mean `cloudemu start`? (`cloudemu --help` lists what there is)'],
  ['hlep', 'There is no command "hlep"; did you mean `cloudemu help`? (`cloudemu --help` lists what there is)'],
  [
    'startt --port 0',
    'There is no command "startt"; did you mean `cloudemu start`? (`cloudemu --help` lists what there is)',
  ],
  ['deploy', 'There is no command "deploy" (`cloudemu --help` lists what there is)'],
  [
    'orgs',
    'There is no command "orgs"; did you mean `cloudemu organization list`? (`cloudemu --help` lists what there is)',
  ],
  [
    'reset --scenario rough-day',
    '--scenario must be null, got "rough-day"; did you mean `cloudemu scenario apply rough-day`?',
  ],
  ['faults add --error 503', '--error must be a code such as RATE_LIMITED, got "503"; did you mean --status 503?'],
  [
    'faults add --status rate_limited',
    '--status must be a number, got "rate_limited"; did you mean --error RATE_LIMITED?',
  ],
  ['clock advance --by', 'clock advance needs <by>; write `cloudemu clock advance [by]`'],
  ['config', 'config needs a command (`cloudemu config --help` lists what there is)'],
  ['config --json', 'config needs a command (`cloudemu config --help` lists what there is)'],
  [
    'config chek',
    'There is no command "config chek"; did you mean `cloudemu config check`? (`cloudemu config --help` lists what there is)',
  ],
  [
    'clock advance -5s',
    'clock advance has no flag -5; a value that begins with "-" is written behind -- (`cloudemu clock advance --help` lists what there is)',
  ],
  ['snapshot take -5', undefined],
  ['payments balance -1', 'payments balance needs <usdc>; write `cloudemu payments balance <address> <usdc>`'],
  ['payments balance 0x1 -1', '<usdc> must be at least 0, got "-1"'],
  [
    'payments balance 0x1 -1x',
    'payments balance has no flag -1; a value that begins with "-" is written behind -- (`cloudemu payments balance --help` lists what there is)',
  ],
  ['faults add --retry-after soon', '--retry-after must be a number of seconds, got "soon"'],
  ['faults add --every soon', '--every must be a number, got "soon"'],
  ['run --scenario= -- true', 'run needs <scenario>; it is empty'],
  ['clock resume --speed 1e3', undefined],
  ['clock resume --speed 1e999', '--speed must be a number of at most 1000000, got "1e999"'],
  ['container logs web -5', 'container logs takes one argument, got "-5"; did you mean --tail -5?'],
  ['--port 3', 'cloudemu needs a command (`cloudemu --help` lists what there is)'],
  [
    '--json status',
    'cloudemu needs a command; did you mean `cloudemu status --json`? (`cloudemu --help` lists what there is)',
  ],
  ['--json', 'cloudemu needs a command (`cloudemu --help` lists what there is)'],
  [
    '--world x clock',
    'cloudemu needs a command; did you mean `cloudemu clock --world x`? (`cloudemu --help` lists what there is)',
  ],
  ['--url x', 'cloudemu needs a command (`cloudemu --help` lists what there is)'],
  ['-x', 'cloudemu needs a command (`cloudemu --help` lists what there is)'],
  [
    'openapi --bas x',
    'openapi has no flag --bas; did you mean --base-url? (`cloudemu openapi --help` lists what there is)',
  ],
  ['world create blue', 'world create takes no argument, got "blue"; did you mean --id blue?'],
  ['key create mine', 'key create takes no argument, got "mine"; did you mean --name mine?'],
  ['start --prot 0', 'start has no flag --prot; did you mean --port? (`cloudemu start --help` lists what there is)'],
  ['start --prot=0', 'start has no flag --prot; did you mean --port? (`cloudemu start --help` lists what there is)'],
  [
    'start --dataDir x',
    'start has no flag --dataDir; did you mean --data-dir? (`cloudemu start --help` lists what there is)',
  ],
  ['start --no-port', '--port needs a value; one that begins with "-" is written with "=": --port=-x'],
  [
    'start --data x',
    'start has no flag --data; did you mean --data-dir? (`cloudemu start --help` lists what there is)',
  ],
  ['start -port 0', 'start has no flag -p; did you mean --port? (`cloudemu start --help` lists what there is)'],
  ['start -p 0', 'start has no flag -p; did you mean --port? (`cloudemu start --help` lists what there is)'],
  ['start --__proto__ x', 'start has no flag --___proto___ (`cloudemu start --help` lists what there is)'],
  ['status --port 0', 'status has no flag --port (`cloudemu status --help` lists what there is)'],
  [
    'config check --prt 0',
    'config check has no flag --prt; did you mean --port? (`cloudemu config check --help` lists what there is)',
  ],
  ['start extra-arg', 'start takes no argument, got "extra-arg"'],
  ['start 4748', 'start takes no argument, got "4748"; did you mean --port 4748?'],
  ['container logs web all', 'container logs takes one argument, got "all"'],
  ['start ephemeral', 'start takes no argument, got "ephemeral"; did you mean --ephemeral?'],
  ['start --ephemeral yes', 'start takes no argument, got "yes"'],
  ['start -- --port', 'start takes no argument, got "--port"; did you mean --port?'],
  ['start --ephemeral=yes', '--ephemeral must be true or false, got "yes"'],
  [
    'start --no-ephemeral=true',
    'start has no flag --no-ephemeral; did you mean --ephemeral? (`cloudemu start --help` lists what there is)',
  ],
  ['start --port', '--port needs a value; one that begins with "-" is written with "=": --port=-x'],
  ['start --port --json', '--port needs a value; one that begins with "-" is written with "=": --port=-x'],
  ['start --port=', '--port needs a value; one that begins with "-" is written with "=": --port=-x'],
  ['start --port abc', '--port must be a number, got "abc"'],
  ['start --port 80x', '--port must be a number, got "80x"'],
  ['start --port 0x50', '--port must be a number, got "0x50"'],
  [
    'chat --text hi',
    'There is no command "chat"; did you mean `cloudemu replies add --text "Hello"`? (`cloudemu --help` lists what there is)',
  ],
  [
    'replies add --message hi',
    'replies add has no flag --message; did you mean --text? (`cloudemu replies add --help` lists what there is)',
  ],
  ['clock advance --by 5m', undefined],
  ['clock advance --to 5m', '--to must be an instant, got "5m"; did you mean `cloudemu clock advance 5m`?'],
  [
    'clock skew --by 5m',
    'clock skew has no flag --by; did you mean --to? (`cloudemu clock skew --help` lists what there is)',
  ],
  ['clock resume 60', 'clock resume takes no argument, got "60"; did you mean --speed 60?'],
  [
    'clock pause',
    'There is no command "clock pause"; did you mean `cloudemu clock freeze`? (`cloudemu clock --help` lists what there is)',
  ],
  [
    'container fail web oom-later',
    'container fail takes one argument, got "oom-later"; did you mean --mode oom-later?',
  ],
  ['await container web running', 'await container takes one argument, got "running"; did you mean --status running?'],
  [
    'await web',
    'There is no command "await web"; did you mean `cloudemu await container <container> --status running`? (`cloudemu await --help` lists what there is)',
  ],
  [
    'scenario rough-day',
    'There is no command "scenario rough-day"; did you mean `cloudemu scenario apply <scenario>`? (`cloudemu scenario --help` lists what there is)',
  ],
  [
    'snapshot save x',
    'There is no command "snapshot save"; did you mean `cloudemu snapshot take <name>`? (`cloudemu snapshot --help` lists what there is)',
  ],
  [
    'requests list --follow',
    'requests list has no flag --follow; did you mean `cloudemu requests follow`? (`cloudemu requests list --help` lists what there is)',
  ],
  [
    'requests list -f',
    'requests list has no flag -f; did you mean `cloudemu requests follow`? (`cloudemu requests list --help` lists what there is)',
  ],
  [
    'requests list --last 5',
    'requests list has no flag --last; did you mean --limit? (`cloudemu requests list --help` lists what there is)',
  ],
  [
    'faults add --code 503',
    'faults add has no flag --code; did you mean --status? (`cloudemu faults add --help` lists what there is)',
  ],
  [
    'start --background',
    'start has no flag --background; did you mean --detach? (`cloudemu start --help` lists what there is)',
  ],
  ['env fish', 'env takes no argument, got "fish"; did you mean --format fish?'],
  [
    'wallet sign headers /api/v1/user',
    'wallet sign headers takes no argument, got "/api/v1/user"; did you mean --path /api/v1/user?',
  ],
  ['ps', 'There is no command "ps"; did you mean `cloudemu container list`? (`cloudemu --help` lists what there is)'],
  ['docs --jsno x', 'docs has no flag --jsno; did you mean --json? (`cloudemu docs --help` lists what there is)'],
  ['explore --budget 5 -- x', '--budget must be a duration with its unit: 5s or 5ms, got "5"'],
  ['explore npm test', 'explore takes no argument, got "npm"; the command belongs after --'],
  ['run happy-path extra -- true', 'run takes one argument, got "extra"; the command belongs after --'],
  ['env --format', '--format needs a value; one that begins with "-" is written with "=": --format=-x'],
  ['env --fish', 'env has no flag --fish (`cloudemu env --help` lists what there is)'],
  ['world create --id', '--id needs a value; one that begins with "-" is written with "=": --id=-x'],
  ['world create --ttl soon', undefined],
  ['world drop', 'world drop needs <id>; write `cloudemu world drop <id>`'],
  ['key create --name', '--name needs a value; one that begins with "-" is written with "=": --name=-x'],
  ['limits set', undefined],
  ['requests show', 'requests show needs <id>; write `cloudemu requests show <id>`'],
  [
    'requests lst',
    'There is no command "requests lst"; did you mean `cloudemu requests list`? (`cloudemu requests --help` lists what there is)',
  ],
  ['request show', 'requests show needs <id>; write `cloudemu requests show <id>`'],
  ['why', undefined],
  [
    'why req_1 --expectaton x',
    'why has no flag --expectaton; did you mean --expectation? (`cloudemu why --help` lists what there is)',
  ],
  ['timeline --limit ten', '--limit must be a number, got "ten"'],
  [
    'timeline --limt 3',
    'timeline has no flag --limt; did you mean --limit? (`cloudemu timeline --help` lists what there is)',
  ],
  ['history show', 'history show needs <point>; write `cloudemu history show <point>`'],
  ['history show x y', 'history show takes one argument, got "y"'],
  ['snapshot restore', 'snapshot restore needs <name>; write `cloudemu snapshot restore <name>`'],
  ['snapshot compare a b c', 'snapshot compare takes one argument, got "b"'],
  ['replies add Hello there', 'replies add takes one argument, got "there"'],
  ['faults add --operation', '--operation needs a value; one that begins with "-" is written with "=": --operation=-x'],
  ['faults add --times two', '--times must be a number, got "two"'],
  ['faults add -h5', 'faults add has no flag -h (`cloudemu faults add --help` lists what there is)'],
  ['await', 'await needs a command (`cloudemu await --help` lists what there is)'],
  ['await container', 'await container needs <container>; write `cloudemu await container <container>`'],
  [
    'await container x --stat running',
    'await container has no flag --stat; did you mean --status? (`cloudemu await container --help` lists what there is)',
  ],
  [
    'await operaton x',
    'There is no command "await operaton"; did you mean `cloudemu await operation`? (`cloudemu await --help` lists what there is)',
  ],
  ['clock', undefined],
  ['clock advance 5 minutes', 'clock advance takes one argument, got "minutes"'],
  [
    'clock resume --sped 2',
    'clock resume has no flag --sped; did you mean --speed? (`cloudemu clock resume --help` lists what there is)',
  ],
  ['clock skew 5m', 'clock skew takes no argument, got "5m"; did you mean --to 5m?'],
  ['init --force', 'init has no flag --force (`cloudemu init --help` lists what there is)'],
  ['stop --all', 'stop has no flag --all (`cloudemu stop --help` lists what there is)'],
  ['status --port 3', 'status has no flag --port (`cloudemu status --help` lists what there is)'],
  ['status --wait 10s', 'status takes no argument, got "10s"; did you mean --timeout 10s?'],
  ['status --timeout 5', '--timeout must be a duration with its unit: 5s or 5ms, got "5"'],
  ['open --browser firefox', 'open has no flag --browser (`cloudemu open --help` lists what there is)'],
  ['wallet sign', 'wallet sign needs a command (`cloudemu wallet sign --help` lists what there is)'],
  [
    'wallet sign siwe --wrng x',
    'wallet sign siwe has no flag --wrng; did you mean --wrong? (`cloudemu wallet sign siwe --help` lists what there is)',
  ],
  ['container fail', 'container fail needs <id>; write `cloudemu container fail <id>`'],
  [
    'container fail web --mde oom',
    'container fail has no flag --mde; did you mean --mode? (`cloudemu container fail --help` lists what there is)',
  ],
  ['image push x', 'There is no command "image push" (`cloudemu image --help` lists what there is)'],
  [
    'hosted-agent lst',
    'There is no command "hosted-agent lst"; did you mean `cloudemu hosted-agent list`? (`cloudemu hosted-agent --help` lists what there is)',
  ],
  ['job finish', 'job finish needs <id>; write `cloudemu job finish <id>`'],
  ['pairing', 'pairing needs a command (`cloudemu pairing --help` lists what there is)'],
  ['relay ask', 'relay ask needs <id>; write `cloudemu relay ask <id>`'],
  ['organization credits', 'organization credits needs <id>; write `cloudemu organization credits <id>`'],
  ['organization credits x --set', '--set needs a value; one that begins with "-" is written with "=": --set=-x'],
  [
    'session create --user',
    'session create has no flag --user; did you mean --user-id? (`cloudemu session create --help` lists what there is)',
  ],
  ['voice rm x', 'There is no command "voice rm" (`cloudemu voice --help` lists what there is)'],
  ['verdicts --rule', 'verdicts has no flag --rule (`cloudemu verdicts --help` lists what there is)'],
  ['verdicts --fail-on nothing', '--fail-on must be fail, unclear or not-exercised, got "nothing"'],
  ['coverage --jsn', '`coverage` is now: `cloudemu verdicts`'],
  ['expectations --world blue', '`expectations` is now: `cloudemu verdicts`'],
  ['receipt check run.json', '`receipt check` is now: `cloudemu receipt`'],
  ['receipt --jsn', 'receipt has no flag --jsn; did you mean --json? (`cloudemu receipt --help` lists what there is)'],
  ['report --world', '--world needs a value; one that begins with "-" is written with "=": --world=-x'],
  [
    'openapi --base-ur x',
    'openapi has no flag --base-ur; did you mean --base-url? (`cloudemu openapi --help` lists what there is)',
  ],
  ['assumptions --x', 'assumptions has no flag -x (`cloudemu assumptions --help` lists what there is)'],
  [
    'ledger --organisation x',
    'ledger has no flag --organisation; did you mean --organization-id? (`cloudemu ledger --help` lists what there is)',
  ],
  ['reset --al', 'reset has no flag --al (`cloudemu reset --help` lists what there is)'],
  ['agent', 'agent needs a command (`cloudemu agent --help` lists what there is)'],
  ['agent setup --rm', 'agent setup has no flag --rm (`cloudemu agent setup --help` lists what there is)'],
  ['completion tcsh', '<shell> must be bash, zsh or fish, got "tcsh"'],
  ['start --shard', 'start has no flag --shard; did you mean --shared? (`cloudemu start --help` lists what there is)'],
  ['start --seed', '--seed needs a value; one that begins with "-" is written with "=": --seed=-x'],
  ['start --frozen=1', '--frozen must be true or false, got "1"'],
  ['start --no-json=1', '--json must be true or false, got "1"'],
  ['start --port 1 2', 'start takes no argument, got "2"; did you mean --port 2?'],
  ['START', 'There is no command "START"; did you mean `cloudemu start`? (`cloudemu --help` lists what there is)'],
  ['Start', 'There is no command "Start"; did you mean `cloudemu start`? (`cloudemu --help` lists what there is)'],
  ['-x start', 'cloudemu needs a command; did you mean `cloudemu start -x`? (`cloudemu --help` lists what there is)'],
  ['startdetach', 'There is no command "startdetach" (`cloudemu --help` lists what there is)'],
  [
    'start  --detatch',
    'start has no flag --detatch; did you mean --detach? (`cloudemu start --help` lists what there is)',
  ],
  ['keep', '`keep` is now: `cloudemu snapshot take <name>`'],
  ['drain', '`drain` is now: `cloudemu snapshot export <name>`'],
  ['exploration show', '`exploration` is now: `cloudemu open`'],
  ['streams', '`streams` is now: `cloudemu requests streams`'],
  ['events --json', '`events` is now: `cloudemu requests follow`'],
  ['scenario delete mine', 'There is no command "scenario delete" (`cloudemu scenario --help` lists what there is)'],
  ['start --data-dir -x', '--data-dir needs a value; one that begins with "-" is written with "=": --data-dir=-x'],
  [
    'version',
    'There is no command "version"; did you mean `cloudemu --version`? (`cloudemu --help` lists what there is)',
  ],
])('the usage error of %s: %s', (line, message) => {
  expect(usageErrorIn(words(line))).toBe(message);
});

it('what follows -- is an argument, whatever it begins with', () => {
  expect(valuesOf('snapshot take -- -5s')).toMatchObject({ name: '-5s' });
});

it('a lone dash and a negative number are arguments', () => {
  expect(valuesOf('scenario apply -')).toMatchObject({ scenario: '-' });
  expect(valuesOf('snapshot take -5')).toMatchObject({ name: '-5' });
});

it('singular and plural are one noun, and the name of a group alone is a command', () => {
  for (const [said, meant] of [
    ['containers', 'container list'],
    ['containers logs web', 'container logs'],
    ['reply add Hi', 'replies add'],
    ['keys', 'key list'],
    ['verdict', 'verdicts'],
    ['wallets --json', 'wallet list'],
  ] as const)
    expect(valuesOf(said), said).toMatchObject({ words: meant });
  expect(valuesOf('container logs web -f')).toMatchObject({ follow: true });
});

it.each([
  ['start --port 0 --host ::1 --seed -5 --no-strict --quiet', { port: 0, seed: '-5', strict: false, quiet: true }],
  ['start --ephemeral false --frozen=true', { ephemeral: false, frozen: true }],
  ['start --seed=-x --data-dir=--odd', { seed: '-x', 'data-dir': '--odd' }],
  ['start --seed 007 --port 5 --port 1 --seed a=b', { seed: 'a=b', port: 1 }],
  ['start --seed 12345678901234567890 --clock true', { seed: '12345678901234567890', clock: 'true' }],
  ['start --', {}],
  ['run happy-path --seed 1 -- npm test --json', { scenario: 'happy-path', '--': ['npm', 'test', '--json'] }],
])('%s is read as it was written', (line, values) => {
  expect(valuesOf(line)).toMatchObject(values);
});

it.each([['strat'], ['start --prot 0'], ['start --ephemeral=yes'], ['stop now'], ['config']])(
  '%s prints one line on stderr and ends with code 2',
  async (line) => {
    const { code, stdout, stderr } = await runHere(words(line));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^[^\n]+\n$/);
  },
);

describe('help', () => {
  it.each(['', '-h', '--help', 'help'])('"cloudemu %s" lists the commands', async (line) => {
    const { code, stdout, stderr } = await runHere(words(line));
    expect([code, stderr]).toEqual([0, '']);
    for (const word of Object.values(sections).flat()) expect(stdout).toMatch(new RegExp(`^  ${word}  +\\S`, 'm'));
    expect(stdout).toContain('Exit codes: 0 success, 1 failure, 2 wrong usage or settings');
  });

  it('has at most 38 commands in sections, in 80 columns, and each command stands there or with the things', async () => {
    const lines = await helpText('');
    expect(lines.slice(2, 5).join('\n')).toMatch(
      /^To start:\n {2}cloudemu start +\S.*\n {2}eval "\$\(cloudemu env\)" /,
    );
    expect(Object.keys(sections).filter((title) => !lines.includes(title))).toEqual([]);
    expect(Object.values(sections).flat().length).toBeLessThanOrEqual(38);
    const listed = new Set([...Object.values(sections).flat(), ...things]);
    const first = new Set(commands.map(({ words: name }) => name.split(' ')[0] ?? ''));
    expect([...first].filter((word) => !listed.has(word))).toEqual([]);
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(80);
  });

  it('names the things of the platform', async () => {
    const { stdout } = await runHere(['help', 'things']);
    for (const word of things) expect(stdout).toMatch(new RegExp(`^  ${word}  +\\S`, 'm'));
  });

  it.each(commands)(
    'of $words shows its flags and an example, in 80 columns',
    async ({ words: name, args = [], flags, examples }) => {
      const lines = await helpText(name);
      const text = `${lines.join('\n')}\n`;
      for (const arg of args) expect(text).toMatch(new RegExp(`^ +<${arg.name}>  +\\S`, 'm'));
      for (const flag of Object.keys(flags)) expect(text).toMatch(new RegExp(` --${flag} `));
      expect(examples.length).toBeGreaterThan(0);
      expect(text).toContain('Example');
      for (const line of lines) expect([...line].length).toBeLessThanOrEqual(80);
    },
  );

  it('says which option must be given', async () => {
    expect((await helpText('limits set')).join('\n')).toMatch(/--limit [^-]*required/);
    expect((await helpText('world create')).join('\n')).not.toContain('required (default');
  });

  it('of start shows what holds without each option', async () => {
    const text = (await helpText('start')).join(' ').replace(/ +/g, ' ');
    const start = commands.find(({ words: name }) => name === 'start');
    for (const { byDefault = '' } of Object.values(start?.flags ?? {}))
      expect(text).toContain(`[default: ${byDefault}]`);
  });

  it('of start tells the defaults that the settings have', () => {
    const settings = configSchema.parse({});
    for (const { path, byDefault } of Object.values(flags)) {
      const value = path.split('.').reduce<unknown>((part, key) => (part as Tree)[key], settings);
      if (typeof value === 'string' || typeof value === 'number') expect(byDefault).toBe(String(value));
      if (value === false) expect(byDefault).toBe('off');
    }
  });

  it('has --json for every command but the one that prints a script', () => {
    for (const { words: name, flags } of commands.filter(({ words }) => words !== 'completion'))
      expect(Object.keys(flags), name).toContain('json');
  });

  it('shows examples that are no mistakes, and nothing without a description', () => {
    for (const { words: name, args = [], flags, examples } of commands) {
      for (const [line] of examples) expect(usageErrorIn(shellWords(line)), line).toBeUndefined();
      for (const { describe: text } of [...args, ...Object.values(flags)]) expect(text, name).not.toBe('');
    }
  });

  it.each(['clock', 'faults', 'wallet sign'])('of the group %s lists its commands', async (group) => {
    const text = (await helpText(group)).join('\n');
    for (const { words: name } of commands)
      if (name.startsWith(`${group} `)) expect(text).toContain(`  cloudemu ${name} `);
  });

  it('"cloudemu help start" is that of start', async () => {
    expect((await runHere(['help', 'start'])).stdout).toBe((await runHere(['start', '-h'])).stdout);
  });
});

it('--version prints the version and nothing else', async () => {
  const { code, stdout, stderr } = await runHere(['--version']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it('a value without a name is meant for a flag that the command has', () => {
  const wrong = commands.filter(({ valueIs, flags }) => valueIs !== undefined && !Object.hasOwn(flags, valueIs));
  expect(wrong.map(({ words }) => words)).toEqual([]);
});

it('what has gone is called nothing else', () => {
  const known = new Set(commands.map(({ words: name }) => name.split(' ')[0] ?? ''));
  expect(Object.keys(gone).filter((name) => known.has(name))).toEqual([]);
  for (const line of Object.values(gone)) expect(usageErrorIn(words(line)), line).toBeUndefined();
});

it('no name that stands for a command is a command itself', () => {
  const known = new Set(commands.flatMap(({ words: line }) => [line, line.split(' ')[0]]));
  expect(Object.keys(commandsMeant).filter((name) => known.has(name))).toEqual([]);
});
