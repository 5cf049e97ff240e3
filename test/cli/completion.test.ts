// Completion: what is offered where, and that each shell takes it.

import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { operationIds } from '../../src/app/emulator.js';
import { commands } from '../../src/cli/command-table.js';
import { valuesOf } from '../../src/cli/commands/completion.js';
import { completionsOf } from '../../src/cli/complete.js';
import { itFull } from '../support/campaign.js';
import { cli, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { itNeeds } from '../support/tools.js';

const sh = promisify(execFile);

/** The words that are offered for a command line, whose last word is the one at the cursor. */
const offered = (line: string): string[] => completionsOf(line.split(' '), commands, valuesOf).map(({ word }) => word);

describe('offers', () => {
  it('the first words of all commands', () => {
    expect(offered('').toSorted()).toEqual([...new Set(commands.map(({ words }) => words.split(' ')[0]))].toSorted());
  });

  it.each([
    ['sta', ['start', 'status']],
    ['scenario a', ['apply']],
    ['wallet sign ', ['headers', 'siwe', 'payment']],
    ['help sta', ['start', 'status']],
    ['start --p', ['--port', '--public-url', '--profile']],
    ['start --port 0 --p', ['--public-url', '--profile']],
    ['start --port=0 --po', []],
    ['start --profile ', ['spec', 'elizacloud', 'elizacloud-v1']],
    ['start --timing=r', ['--timing=realistic']],
    // Bash cuts the words so.
    ['start --timing = r', ['realistic']],
    ['start --timing =', ['instant', 'fast', 'realistic']],
    ['env --format p', ['powershell']],
    ['run --fail-on n', ['not-exercised']],
    ['run rough', ['rough-day']],
    ['run rough-day -- npm', []],
    ['scenario apply --merge quota', ['quota-reached']],
    ['scenario show quota', ['quota-reached']],
    ['faults --wo', ['--world']],
    ['faults add --phase ', ['before', 'after', 'partial']],
    ['faults add --operation containers.cre', ['containers.credentials', 'containers.create']],
    ['container fail app --mode oom', ['oom-later', 'oom-start']],
    ['completion ', ['bash', 'zsh', 'fish']],
    // Only the person knows these, or the file system.
    ['start --seed ', []],
    ['start --config ', []],
    ['faults add ', []],
    ['nothing of that kind ', []],
    ['constructor --toString ', []],
  ])('for "%s" %o', async (line, words) => {
    expect(offered(line).toSorted()).toEqual(words.toSorted());
  });

  it('the flags of a command that takes nothing else', async () => {
    expect(offered('stop ')).toEqual(['--shared', '--url', '--data-dir', '--token', '--json', '--help']);
  });

  it('your own scenarios too', async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, 'scenarios'));
    writeFileSync(join(cwd, 'scenarios/black-friday.json'), '{}');
    expect(await runHere(['--complete', 'run', 'bl'], { cwd })).toEqual({
      code: 0,
      stdout: 'black-friday\n',
      stderr: '',
    });
  });

  it('nothing, quietly, where the settings are broken', async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'emulator.config.json'), '{');
    expect(await runHere(['--complete', 'run', 'bl'], { cwd })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('all failure modes and operations', async () => {
    const files = readdirSync('fixtures/failures').filter((file) => file.endsWith('.json'));
    const modes = files.map((file) => basename(file, '.json'));
    expect(offered('container fail app --mode ')).toEqual(modes.toSorted());
    expect(offered('await operation ').toSorted()).toEqual(operationIds.toSorted());
  });

  it('with each word what it means', () => {
    const found = completionsOf(['ver'], commands, () => []);
    expect(found).toEqual([
      { word: 'verdicts', meaning: commands.find(({ words }) => words === 'verdicts')?.describe },
    ]);
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
      ['(cloudemu env --format = fi)', 4, ['fish']],
      ['(cloudemu start "")', 2, ['--detach']],
      ['(cloudemu faults add "")', 3, []],
    ];
    const looks = cases.map(
      ([words, at]) => `COMP_WORDS=${words} COMP_CWORD=${at}; _cloudemu; echo " \${COMPREPLY[@]} "`,
    );
    const script = ['eval "$(cloudemu completion bash)"', 'complete -p cloudemu', ...looks].join('; ');
    const [registered, ...found] = (await inShell('bash', script)).split('\n');
    expect(registered).toContain('-F _cloudemu');
    const failures = cases.filter(([, , expected], i) =>
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
    expect(commands).toMatch(/^start\tRun .*\nstatus\tShow .*$/);
    expect(formats).toBe('fish');
    expect(files).toContain('/etc/hostname');
  });

  // `_describe` and the words at the cursor are there while zsh completes; here they are set as it does.
  itFull('in zsh', async () => {
    const stand = `compdef() { :; }; _describe() { print -l -- "\${(@P)2}"; }; _default() { print files; }`;
    const looks = ["'sta'", "'env' '--format' 'f'", "'faults' 'add' ''"].map(
      (typed) => `words=(cloudemu ${typed}); CURRENT=$#words; _cloudemu`,
    );
    const script = `${stand}; eval "$(cloudemu completion zsh)"; ${looks.join('; echo; ')}`;
    const [commands, formats, files] = (await inShell('zsh', script)).split('\n\n');
    expect(commands).toMatch(/^start:Run .*\nstatus:Show .*$/);
    expect(formats).toBe('fish');
    expect(files).toBe('files\n');
  });
});

it('the command completion prints the script of the shell in use', async () => {
  const named = await runHere(['completion', 'fish']);
  expect((await runHere(['completion'], { env: { SHELL: '/usr/bin/fish' } })).stdout).toBe(named.stdout);
});

it.each([
  [
    ['completion'],
    'Name your shell: `cloudemu completion bash`, `cloudemu completion zsh`, `cloudemu completion fish`',
  ],
  [['completion', 'fsh'], 'shell must be bash, zsh or fish, got "fsh"; did you mean zsh?'],
])('the command completion refuses %o', async (args, message) => {
  expect(await runHere(args)).toEqual({ code: 2, stdout: '', stderr: `${message}\n` });
});
