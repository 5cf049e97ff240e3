// Mistakes on the command line, and help: nothing is run, and the next try can be right.

import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/command-table.js';
import { createParser } from '../../src/cli/commands.js';
import { sections } from '../../src/cli/groups.js';
import { helpOf } from '../../src/cli/help.js';
import { commandsMeant } from '../../src/cli/synonyms.js';
import { spelledOut, usageErrorIn } from '../../src/cli/usage-errors.js';
import { flags } from '../../src/config/flags.js';
import { configSchema } from '../../src/config/schema.js';
import type { Tree } from '../../src/core/tree.js';
import { runHere } from '../support/command-here.js';

const it = test.concurrent;

const words = (line: string): string[] => (line === '' ? [] : line.split(' '));

/** The words of a line as a shell takes them, up to a pipe or a redirection. */
const shellWords = (line: string): string[] =>
  (/^[^|>]*/.exec(line)?.[0].match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));

/** The text of `cloudemu <line> --help`, without a process for it. */
const helpText = (line: string): string[] =>
  helpOf(words(line), commands).map((part) =>
    [part]
      .flat()
      .map((one) => (typeof one === 'string' ? one : one.text))
      .join(''),
  );

it.each([
  ['strat', 'There is no command "strat"; did you mean start? (`cloudemu --help` lists them)'],
  ['hlep', 'There is no command "hlep"; did you mean help? (`cloudemu --help` lists them)'],
  ['startt --port 0', 'There is no command "startt"; did you mean start? (`cloudemu --help` lists them)'],
  ['deploy', 'There is no command "deploy" (`cloudemu --help` lists them)'],
  ['strat --port 0 -h', 'There is no command "strat"; did you mean start? (`cloudemu --help` lists them)'],
  ['orgs', 'There is no command "orgs"; did you mean `cloudemu organization list`? (`cloudemu --help` lists them)'],
  [
    'reset --scenario rough-day',
    '--scenario must be null, got "rough-day"; did you mean `cloudemu scenario apply rough-day`?',
  ],
  ['faults add --error 503', '--error must be a code such as RATE_LIMITED, got "503"; did you mean --status 503?'],
  [
    'faults add --status rate_limited',
    '--status must be a number, got "rate_limited"; did you mean --error RATE_LIMITED?',
  ],
  [
    'config',
    'config alone does nothing: `cloudemu config check` or `cloudemu config schema` or `cloudemu config show`',
  ],
  [
    'config --json',
    'config alone does nothing: `cloudemu config check` or `cloudemu config schema` or `cloudemu config show`',
  ],
  [
    'config chek',
    'There is no command "config chek"; did you mean config check? (`cloudemu config --help` lists them)',
  ],
  ['scenario delete mine', 'There is no command "scenario delete" (`cloudemu scenario --help` lists them)'],
  [
    'clock advance -5s',
    'clock advance takes a duration ("90s", "10m" or milliseconds): time goes forward only, got "-5s"',
  ],
  [
    'snapshot take -5',
    'snapshot take has no flag -5; a value that begins with "-" is written behind --: `cloudemu snapshot take -- -5`',
  ],
  [
    'payments balance -1',
    'payments balance has no flag -1; a value that begins with "-" is written behind --: `cloudemu payments balance -- -1`',
  ],
  ['payments balance 0x1 -1', 'payments balance: usdc must be at least 0, got -1'],
  [
    'payments balance 0x1 -1x',
    'payments balance has no flag -1x; a value that begins with "-" is written behind --: `cloudemu payments balance 0x1 -- -1x`',
  ],
  ['faults add --retry-after soon', '--retry-after must be a number of seconds, got "soon"'],
  ['faults add --every soon', '--every must be a number, got "soon"'],
  ['run --scenario= -- true', 'run takes scenario without a name: `cloudemu run [scenario] -- <command>`'],
  ['clock resume --speed 1e3', undefined],
  ['clock resume --speed 1e999', '--speed must be a number of at most 1000000, got "1e999"'],
  ['container logs web -5', 'container logs has no flag -5 (`cloudemu container logs --help` lists them)'],
  ['--port 3', '--port is a flag where a command is expected; did you mean `cloudemu start --port 3`?'],
  ['--json status', '--json is a flag where a command is expected; did you mean `cloudemu status --json`?'],
  ['--json', '--json is a flag where a command is expected; did you mean `cloudemu start --json`?'],
  ['--world x clock', '--world is a flag where a command is expected; did you mean `cloudemu clock --world x`?'],
  ['--url x', '--url is a flag where a command is expected; `cloudemu --help` lists them'],
  ['-x', '-x is a flag where a command is expected; `cloudemu --help` lists them'],
  ['-v', 'There is no command "-v"; did you mean --version?'],
  ['version', 'There is no command "version"; did you mean --version?'],
  ['openapi --bas x', 'openapi has no flag --bas; did you mean --base-url? (`cloudemu openapi --help` lists them)'],
  ['world create blue', 'world create takes no argument, got "blue"; did you mean --id blue?'],
  ['key create mine', 'key create takes no argument, got "mine"; did you mean --name mine?'],
  ['start --prot 0', 'start has no flag --prot; did you mean --port? (`cloudemu start --help` lists them)'],
  ['start --prot=0', 'start has no flag --prot; did you mean --port? (`cloudemu start --help` lists them)'],
  ['start --dataDir x', 'start has no flag --dataDir; did you mean --data-dir? (`cloudemu start --help` lists them)'],
  ['start --no-port', 'start has no flag --no-port; did you mean --port? (`cloudemu start --help` lists them)'],
  ['start --data x', 'start has no flag --data; did you mean --data-dir? (`cloudemu start --help` lists them)'],
  ['start -port 0', 'start has no flag -port; did you mean --port? (`cloudemu start --help` lists them)'],
  ['start -p 0', 'start has no flag -p; did you mean --port? (`cloudemu start --help` lists them)'],
  ['start --__proto__ x', 'start has no flag --__proto__ (`cloudemu start --help` lists them)'],
  ['status --port 0', 'status has no flag --port (`cloudemu status --help` lists them)'],
  [
    'config check --prt 0',
    'config check has no flag --prt; did you mean --port? (`cloudemu config check --help` lists them)',
  ],
  ['start extra-arg', 'start takes no argument, got "extra-arg"'],
  ['start 4748', 'start takes no argument, got "4748"; did you mean --port 4748?'],
  ['container logs web all', 'container logs takes one argument, got "all"'],
  ['start ephemeral', 'start takes no argument, got "ephemeral"; did you mean --ephemeral?'],
  ['start --ephemeral yes', 'start takes no argument, got "yes"'],
  ['start -- --port', 'start takes no argument, got "--port"; did you mean --port?'],
  ['start --ephemeral=yes', '--ephemeral must be true or false, got "yes"'],
  ['start --no-ephemeral=true', '--no-ephemeral takes no value, got "true"'],
  ['start --port', '--port needs a value'],
  ['start --port --json', '--port needs a value'],
  ['start --port=', '--port needs a value, got an empty one'],
  ['start --data-dir -x', '--data-dir needs a value; to pass a value that begins with "-", write --data-dir=-x'],
  ['start --port abc', '--port must be a number, got "abc"'],
  ['start --port 80x', '--port must be a number, got "80x"'],
  ['start --port 0x50', '--port must be a number, got "0x50"'],
])('the usage error of %s: %s', (line, message) => {
  expect(usageErrorIn(words(line), commands)).toBe(message);
});

it.each([
  ['chat --text hi', 'did you mean `cloudemu replies add --text "Hello"`?'],
  ['replies add --message hi', 'did you mean --text?'],
  ['clock advance --by 5m', 'clock advance takes by without a name: `cloudemu clock advance 5m`'],
  ['clock advance --to 5m', '--to must be an instant, got "5m"; did you mean `cloudemu clock advance 5m`?'],
  ['clock skew --by 5m', 'did you mean --to?'],
  ['clock resume 60', 'did you mean --speed 60?'],
  ['clock pause', 'did you mean `cloudemu clock freeze`?'],
  ['container fail web oom-later', 'did you mean --mode oom-later?'],
  ['await container web running', 'did you mean --status running?'],
  ['await web', 'did you mean `cloudemu await container <container> --status running`?'],
  ['scenario rough-day', 'did you mean `cloudemu scenario apply <scenario>`?'],
  ['snapshot save x', 'did you mean `cloudemu snapshot take <name>`?'],
  ['requests list --follow', 'did you mean `cloudemu requests follow`?'],
  ['requests list -f', 'did you mean `cloudemu requests follow`?'],
  ['requests list --last 5', 'did you mean --limit?'],
  ['faults add --code 503', 'did you mean --status?'],
  ['start --background', 'did you mean --detach?'],
  ['env fish', 'did you mean --format fish?'],
  ['wallet sign headers /api/v1/user', 'did you mean --path /api/v1/user?'],
])('what newcomers type is understood: %s', (line, hint) => {
  expect(usageErrorIn(words(line), commands)).toContain(hint);
});

it('what follows -- is an argument, whatever it begins with', async () => {
  let by: unknown;
  await createParser(words('clock advance -- -5s'), (_, values) => {
    by = values.by;
  }).parseAsync();
  expect(by).toBe('-5s');
});

it('an option of one letter is its long name', () => {
  for (const [said, meant] of [
    ['containers', 'container list'],
    ['containers logs web', 'container logs web'],
    ['fault --help', 'faults --help'],
    ['reply add Hi', 'replies add Hi'],
    ['keys', 'key list'],
    ['verdict', 'verdicts'],
    ['wallet', 'wallet list'],
    ['wallets --json', 'wallet list --json'],
    ['state', 'state'],
  ] as const)
    expect(spelledOut(words(said), commands), said).toEqual(words(meant));
  expect(spelledOut(words('container logs web -f'), commands)).toEqual(words('container logs web --follow'));
});

it.each([
  'start',
  'start --port 0 --host ::1 --seed -5 --ephemeral false --frozen=true --no-strict --quiet --json',
  'start --port -1',
  'start --seed=-x --data-dir=--odd',
  'start --',
  'config check --port 1 --config x --json',
  'start --prot -h',
  '--version',
])('the usage check finds nothing wrong with %s', (line) => {
  expect(usageErrorIn(words(line), commands)).toBeUndefined();
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
    for (const { words: name } of commands) expect(stdout).toMatch(new RegExp(`^  ${name.split(' ')[0]}  +\\S`, 'm'));
    expect(stdout).toContain('Exit codes: 0 success, 1 failure, 2 wrong usage or settings');
  });

  it('begins with the two commands that one needs, then lists the others by what they are for, in 80 columns', () => {
    const lines = helpText('');
    expect(lines.slice(2, 5).join('\n')).toMatch(
      /^To start:\n {2}cloudemu start +\S.*\n {2}eval "\$\(cloudemu env\)" /,
    );
    expect(Object.keys(sections).filter((title) => !lines.includes(title))).toEqual([]);
    expect(lines, 'a command stands in no section').not.toContain('Further');
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(80);
  });

  it.each(commands)(
    'of $words shows its flags and an example, in 80 columns',
    ({ words: name, args = [], flags, examples }) => {
      const lines = helpText(name);
      const text = `${lines.join('\n')}\n`;
      for (const arg of args) expect(text).toMatch(new RegExp(`^  ${arg.name}  +\\S`, 'm'));
      for (const flag of Object.keys(flags)) expect(text).toContain(` --${flag} `);
      expect(examples.length).toBeGreaterThan(0);
      for (const [line] of examples) expect(text).toContain(`  cloudemu ${line}\n`);
      for (const line of lines)
        if (!examples.some(([example]) => line === `  cloudemu ${example}`))
          expect([...line].length).toBeLessThanOrEqual(80);
    },
  );

  it('names the choices of an option, and says which one must be given', () => {
    expect(helpText('explore').join(' ').replace(/ +/g, ' ')).toContain('; one of A, B, C, D, never (default: C)');
    expect(helpText('run').join(' ')).not.toContain('fail, unclear, not-exercised');
    expect(helpText('limits set').join('\n')).toMatch(/--limit … .*; required/);
    for (const name of ['await container', 'await job'])
      expect(helpText(name).join(' ').replace(/ +/g, ' ')).toMatch(
        / --status … [^;]*; several separated by commas; required/,
      );
    expect(helpText('world create').join('\n')).not.toContain('required (default');
  });

  it('of start shows what holds without each option', () => {
    const text = helpText('start').join(' ').replace(/ +/g, ' ');
    const start = commands.find(({ words: name }) => name === 'start');
    for (const [name, { byDefault = '' }] of Object.entries(start?.flags ?? {}))
      expect(text).toMatch(new RegExp(` --${name} (… )?[^(]*\\(default: ${byDefault.replaceAll('.', '\\.')}\\)`));
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
      for (const [line] of examples)
        expect(usageErrorIn(spelledOut(shellWords(line), commands), commands), line).toBeUndefined();
      for (const { describe: text } of [...args, ...Object.values(flags)]) expect(text, name).not.toBe('');
    }
  });

  it.each(['clock', 'faults', 'wallet sign'])('of the group %s lists its commands', (group) => {
    const text = helpText(group).join('\n');
    for (const { words: name } of commands) if (name.startsWith(`${group} `)) expect(text).toContain(`  ${name} `);
    expect(text).toContain('Example:\n  cloudemu ');
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

it('no name that stands for a command is a command itself', () => {
  const known = new Set(commands.flatMap(({ words: line }) => [line, line.split(' ')[0]]));
  expect(Object.keys(commandsMeant).filter((name) => known.has(name))).toEqual([]);
});
