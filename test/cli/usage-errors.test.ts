// Mistakes on the command line, and help: nothing is run, and the next try can be right.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseLine } from '../../src/cli/command-line.js';
import { sections, things } from '../../src/cli/groups.js';
import { commandMeant, gone } from '../../src/cli/synonyms.js';
import { flags } from '../../src/config/flags.js';
import { configSchema } from '../../src/config/schema.js';
import type { Tree } from '../../src/core/tree.js';
import { sampleOf } from '../support/campaign.js';
import { runHere } from '../support/command-here.js';
import { commands } from '../support/commands.js';
import { expectTranscript } from '../support/transcript.js';
import { usageErrorIn } from '../support/usage-errors.js';

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

it('usage errors name the mistake and what may be meant', () =>
  expectTranscript(join(import.meta.dirname, 'usage-errors.txt'), (argv) => usageErrorIn(argv) ?? 'no mistake'));

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

describe('help', () => {
  it.each(sampleOf(['', '-h', '--help', 'help'], 4))('"cloudemu %s" lists the commands', async (line) => {
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

  it.each(sampleOf(commands))(
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
  expect([...known].filter((name = '') => commandMeant(name) !== undefined)).toEqual([]);
});
