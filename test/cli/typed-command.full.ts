// The commands that are printed begin as the program can be called where they are printed: each is run as it stands.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type Outcome, tempDir } from '../support/command.js';
import { createPackedProject, packPackage } from '../support/project.js';

let tarball: string;
beforeAll(() => {
  tarball = packPackage();
});

const bare = '/usr/local/bin:/usr/bin:/bin';
/** Folders of the tools that these tests call, of which none has the program. */
const tools = tempDir();
for (const [name, file] of [
  ['node', process.execPath],
  ['npm', which('npm')],
  ['npx', which('npx')],
] as const)
  symlinkSync(file, join(tools, name));

function which(name: string): string {
  return realpathSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim());
}

/** Runs a line in a shell of a user's own, whose PATH may have more folders. */
function shell(line: string, cwd: string, folders: readonly string[] = []): Outcome {
  const PATH = [...folders, tools, bare].join(':');
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd, env: { PATH, HOME: cwd }, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

/** A project in which the package is installed as npm does it. */
function installed(): string {
  const project = createPackedProject(tarball);
  mkdirSync(join(project, 'node_modules/.bin'));
  symlinkSync('../cloudemu/dist/cli.cjs', join(project, 'node_modules/.bin/cloudemu'));
  chmodSync(join(project, 'node_modules/cloudemu/dist/cli.cjs'), 0o755);
  const scripts = { emu: 'cloudemu' };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'shop', private: true, scripts }));
  return project;
}

/** The first command that a text names: between backticks. */
const commandIn = (text: string): string => /`([^`]+)`/.exec(text)?.[1] ?? '';

/** `init` is called in one of the ways; the command that it prints must begin so, and must run. */
function expectPrinted(how: string, begins: string, cwd: string, folders: readonly string[] = []): void {
  rmSync(join(cwd, 'emulator.config.json'), { force: true });
  const printed = shell(`${how} init`, cwd, folders);
  expect(printed).toMatchObject({ code: 0, stderr: expect.not.stringContaining('rror') });
  const command = commandIn(printed.stdout.slice(printed.stdout.indexOf('emulator.config.json. ')));
  expect(command).toBe(`${begins} config check`);
  const ran = shell(command, cwd, folders);
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('is fine')]);
  // Errors, too, and those of lower layers.
  const wrong = shell(`${how} config check --config none.json`, cwd, folders);
  expect(commandIn(wrong.stderr)).toBe(`${begins} init`);
  const help = shell(`${how} help`, cwd, folders);
  expect(help.stdout).toContain(`  eval "$(${begins} env)"`);
  if (begins !== 'cloudemu') expect(help.stdout).not.toMatch(/^ *cloudemu [a-z]|`cloudemu |\$\(cloudemu /m);
}

it.each([
  ['npx --no cloudemu', 'npx cloudemu'],
  ['npm run --silent emu --', 'node_modules/.bin/cloudemu'],
  ['node_modules/.bin/cloudemu', 'node_modules/.bin/cloudemu'],
  ['node node_modules/cloudemu/dist/cli.cjs', 'node_modules/.bin/cloudemu'],
])('in a project that has it installed, by %s', (how, begins) => {
  expectPrinted(how, begins, installed());
});

it('by npx, which has put it into the cache of npm', () => {
  const cache = join(tempDir(), '_npx/1f');
  mkdirSync(cache, { recursive: true });
  cpSync(join(installed(), 'node_modules'), join(cache, 'node_modules'), { recursive: true });
  const printed = (packages: string[]): string => {
    writeFileSync(join(cache, 'package.json'), JSON.stringify({ _npx: { packages } }));
    return commandIn(shell(`node ${join(cache, 'node_modules/cloudemu/dist/cli.cjs')} config`, tempDir()).stderr);
  };
  expect(printed(['cloudemu@0.1.0'])).toBe('npx cloudemu@0.1.0 config --help');
  // Another name of it is not that of the command.
  expect(printed(['./cloudemu.tgz'])).toMatch(/^node .*cli\.cjs config --help$/);
});

it('in a folder of such a project', () => {
  const project = installed();
  const folder = join(project, 'packages/shop');
  mkdirSync(folder, { recursive: true });
  expectPrinted('../../node_modules/.bin/cloudemu', '../../node_modules/.bin/cloudemu', folder);
  expectPrinted('npx --no cloudemu', 'npx cloudemu', folder);
});

it('where it is installed for the machine', () => {
  const machine = join(tempDir(), 'bin');
  mkdirSync(machine);
  symlinkSync(join(installed(), 'node_modules/cloudemu/dist/cli.cjs'), join(machine, 'cloudemu'));
  expectPrinted('cloudemu', 'cloudemu', tempDir(), [machine]);
  // Another one comes first there.
  const other = tempDir();
  writeFileSync(join(other, 'cloudemu'), '#!/bin/sh\necho another\n', { mode: 0o755 });
  expectPrinted(join(machine, 'cloudemu'), join(machine, 'cloudemu'), tempDir(), [other, machine]);
});

it('as a file, by a link of any name, or by an alias, in folders with any name', () => {
  const cwd = join(tempDir(), `it's "mine" $HOME`);
  mkdirSync(cwd);
  cpSync(join(installed(), 'node_modules'), join(cwd, 'tool/lib'), { recursive: true });
  expectPrinted('node tool/lib/cloudemu/dist/cli.cjs', 'node tool/lib/cloudemu/dist/cli.cjs', cwd);
  symlinkSync('tool/lib/cloudemu/dist/cli.cjs', join(cwd, 'ce'));
  expectPrinted('./ce', './ce', cwd);
  expectPrinted(`alias ce='node tool/lib/cloudemu/dist/cli.cjs'\nce`, 'node tool/lib/cloudemu/dist/cli.cjs', cwd);
  const away = tempDir();
  const file = `'${join(cwd, 'tool/lib/cloudemu/dist/cli.cjs').replaceAll("'", "'\\''")}'`;
  expectPrinted(`node ${file}`, `node ${file}`, away);
});

it('in the banner, in what a detached emulator says, in its dashboard, and in what is refused', async () => {
  const project = installed();
  const own = 'npx cloudemu';
  const { stdout } = shell('npx --no cloudemu start --detach --port 0', project);
  expect(stdout).toContain(`For your client: eval "$(${own} env)"`);
  expect(shell('npx --no cloudemu start --port 0', project).stderr).toContain(`stop it with \`${own} stop\``);
  const { stdout: log } = shell('cat .cloudemu/*.log', project);
  expect(log).not.toContain('`cloudemu ');
  const [url = ''] = /http:\S+/.exec(stdout) ?? [];
  expect(await (await fetch(`${url}/_emulator/`)).text()).toContain(`<html data-command="${own}" `);
  expect(shell(`eval "$(${own} env)" && echo "$CLOUD_BASE_URL"`, project).stdout).toBe(`${url}\n`);
  expect(shell(commandIn(stdout), project)).toMatchObject({ code: 0, stdout: expect.stringContaining('Stopped') });
});

it('with the data directory that the emulator was started with, in its dashboard', async () => {
  const project = installed();
  const { stdout } = shell("npx --no cloudemu start --detach --port 0 --data-dir 'my data'", project);
  const [url = ''] = /http:\S+/.exec(stdout) ?? [];
  const page = await (await fetch(`${url}/_emulator/`)).text();
  expect(page).toContain(`<html data-command="npx cloudemu" data-target="&#39;--data-dir=my data&#39;" `);
  expect(shell("npx --no cloudemu stop '--data-dir=my data'", project)).toMatchObject({ code: 0 });
});

it('in a test with an emulator in the process', () => {
  const project = installed();
  const test = `
    const { connect } = require('cloudemu/client');
    connect({ url: 'http://127.0.0.1:1' }).createWorld().catch(({ message }) => console.log(message));
  `;
  writeFileSync(join(project, 'use.cjs'), test);
  const { stdout } = shell('node use.cjs', project);
  expect(commandIn(stdout)).toBe('node_modules/.bin/cloudemu start');
});
