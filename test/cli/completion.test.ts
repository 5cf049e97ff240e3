// Completion: what is offered where, and that each shell takes it.

import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { operationIds } from '../../src/app/emulator.js';
import { completionsOf } from '../../src/cli/help.js';
import { itFull, sampleOf } from '../support/campaign.js';
import { cli, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { commands } from '../support/commands.js';
import { itNeeds } from '../support/tools.js';

const sh = promisify(execFile);

/** The words that a shell offers of those that yargs prints: it keeps what begins as the last word does. */
async function offered(line: string): Promise<string[]> {
  const words = line.split(' ');
  const text = await completionsOf(['--get-yargs-completions', 'cloudemu', ...words], commands);
  return text.split('\n').filter((word) => word !== '' && word.startsWith(words.at(-1) ?? ''));
}

describe('offers', () => {
  it('the first words of all commands', async () => {
    expect((await offered('')).toSorted()).toEqual(
      [...new Set(commands.map(({ words }) => words.split(' ')[0]))].toSorted(),
    );
  });

  it.each([
    ['sta', ['start', 'status']],
    ['scenario a', ['apply']],
    ['wallet sign ', ['headers', 'siwe', 'payment']],
    ['start --p', ['--port', '--public-url', '--profile']],
    ['start --profile ', ['spec', 'elizacloud', 'elizacloud-v1']],
    ['env --format p', ['powershell']],
    ['run --fail-on n', ['not-exercised']],
    ['run rough', ['rough-day']],
    ['scenario show quota', ['quota-reached']],
    ['faults list --wo', ['--world']],
    ['faults add --phase ', ['before', 'after', 'partial']],
    ['faults add --operation containers.cre', ['containers.credentials', 'containers.create']],
    ['container fail app --mode oom', ['oom-later', 'oom-start']],
    ['completion ', ['bash', 'zsh', 'fish']],
    // Only the person knows these, or the file system.
    ['start --seed ', []],
    ['start --config ', []],
  ])('for "%s" %o', async (line, words) => {
    expect((await offered(line)).toSorted()).toEqual(words.toSorted());
  });

  it('your own scenarios too', async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, 'scenarios'));
    writeFileSync(join(cwd, 'scenarios/black-friday.json'), '{}');
    expect(await runHere(['--get-yargs-completions', 'cloudemu', 'run', 'bl'], { cwd })).toEqual({
      code: 0,
      stdout: 'black-friday\n',
      stderr: '',
    });
  });

  it('nothing, quietly, where the settings are broken', async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'emulator.config.json'), '{');
    expect(await runHere(['--get-yargs-completions', 'cloudemu', 'run', 'bl'], { cwd })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('all failure modes and operations', async () => {
    const files = readdirSync('fixtures/failures').filter((file) => file.endsWith('.json'));
    const modes = files.map((file) => basename(file, '.json'));
    expect(await offered('container fail app --mode ')).toEqual(modes.toSorted());
    expect((await offered('await operation ')).toSorted()).toEqual(operationIds.toSorted());
  });
});

/** A directory that is in PATH for the shells, with the command in it. */
function binDir(): string {
  const dir = tempDir();
  symlinkSync(cli, join(dir, 'cloudemu'));
  return dir;
}

async function inShell(shell: string, script: string): Promise<string> {
  const PATH = `${binDir()}:${process.env.PATH}`;
  const cwd = tempDir();
  const { stdout } = await sh(shell, ['-c', script], { cwd, env: { PATH, HOME: cwd, LANG: 'C.UTF-8' } });
  return stdout;
}

describe('takes the script', () => {
  itNeeds('bash')('in bash', async () => {
    const cases: [words: string, at: number, expected: string[]][] = [
      ['(cloudemu sta)', 1, ['start', 'status']],
      ['(cloudemu env --format fi)', 3, ['fish']],
      ['(cloudemu start --de)', 2, ['--detach']],
    ];
    // A process for each.
    const tried = sampleOf(cases);
    const looks = tried.map(
      ([words, at]) => `COMP_WORDS=${words} COMP_CWORD=${at}; _cloudemu_yargs_completions; echo " \${COMPREPLY[@]} "`,
    );
    const script = ['eval "$(cloudemu completion bash)"', 'complete -p cloudemu', ...looks].join('; ');
    const [registered, ...found] = (await inShell('bash', script)).split('\n');
    expect(registered).toContain('-F _cloudemu_yargs_completions');
    const failures = tried.filter(([, , expected], i) =>
      expected.length === 0 ? found[i]?.trim() !== '' : expected.some((word) => !found[i]?.includes(` ${word} `)),
    );
    expect(failures).toEqual([]);
  });

  itFull('in fish', async () => {
    const lines = ['cloudemu sta', 'cloudemu env --format f', 'cloudemu faults add /etc/hostn'];
    const looks = lines.map((line) => `complete -C '${line}'`).join('; echo; ');
    const [commands, formats, files] = (await inShell('fish', `cloudemu completion fish | source; ${looks}`)).split(
      '\n\n',
    );
    expect(commands).toMatch(/^start.*\nstatus.*$/);
    expect(formats).toBe('fish');
    expect(files).toBeDefined();
  });

  itFull('in zsh', async () => {
    const script = `compdef() { :; }; eval "$(cloudemu completion zsh)"; whence -w _cloudemu_yargs_completions`;
    expect(await inShell('zsh', script)).toContain('_cloudemu_yargs_completions: function');
  });
});

it('the command completion prints the script of the shell in use', async () => {
  const named = await runHere(['completion', 'fish']);
  expect((await runHere(['completion'], { env: { SHELL: '/usr/bin/fish' } })).stdout).toBe(named.stdout);
});
