// `cloudemu start --detach`: starts the emulator in the background and returns when it is ready.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { loadConfig } from '../../config/load.js';
import { embedded } from '../../core/embedded.js';
import { whyUnwritten } from '../../core/files.js';
import { parsedJson } from '../../core/json.js';
import { makeDataDir } from '../../core/own-directory.js';
import { openAfresh } from '../../core/private-files.js';
import type { Tree } from '../../core/tree.js';
import type { ErrorFacts } from '../error-document.js';
import { endInterrupted, takeInterrupts } from '../interrupt.js';
import { namedValues, shortPath } from '../layout.js';
import { fail, type Line, notes, printJson, tell } from '../print.js';
import { answersAs, type RunInfo, readRunFile } from '../run-file.js';
import { enterShared } from '../shared.js';
import { runsHere, startFacts } from '../start-failure.js';
import type { StartOptions } from '../start-options.js';

/** Starts, prints where it answers and where it logs, and leaves it running. */
export async function detach(asked: StartOptions): Promise<void> {
  const options = asked.shared === true ? await enterShared(asked) : asked;
  const {
    data,
    profile,
    log: shown,
  } = loadConfig({ file: options.config, env: process.env, flags: options.flags }).config;
  const dir = resolve(data.dir);
  const running = readRunFile(dir);
  // `stop` ends the one that the run file names, so a directory has one in the background.
  // Its process id may have been given to another program since, and its port to another emulator.
  if (running !== undefined && (await answersAs(running))) {
    const reason = runsHere(running, '--data-dir <dir> --port 0');
    fail(2, reason, startFacts(reason, '', dir, process.argv.slice(2)));
  }
  let child: ChildProcess | undefined;
  takeInterrupts(() => void child?.kill());
  const { own, file, discard } = openLog(dir);
  // The executable has its own arguments for Node inside.
  const self = embedded === undefined ? [...process.execArgv, process.argv[1] ?? ''] : [];
  const args = [...self, 'start', ...words(options), '--json'];
  const env = { ...process.env, ...secretsOf(options) };
  child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', file], windowsHide: true, env });
  closeSync(file);
  const outcome = await readyOrEnded(child);
  const said = readFileSync(own, 'utf8').trimEnd();
  if (said !== '') notes(said.split('\n'));
  if (outcome.exitCode !== undefined) {
    discard();
    if (child.killed) endInterrupted('the emulator was not started.');
    failAs(outcome, dir);
  }
  const log = join(dir, 'emulator.log');
  // It may say why the last one ended.
  if (existsSync(log)) renameSync(log, `${log}.old`);
  renameSync(own, log);
  const info = JSON.parse(outcome.line) as RunInfo;
  if (options.json) printJson({ ...info, log });
  else if (shown.banner) tell(...linesOf(info, { log, profile, isShared: options.shared }));
  process.exit(0);
}

// The emulator's own error, which is the last that it has printed.
function failAs({ exitCode = 1, line }: Outcome, dir: string): never {
  const error = (parsedJson(line) as { error?: Tree } | null)?.error;
  if (error === undefined) fail(1, `The emulator ended with ${exitCode} before it was ready.`);
  const { code, message, ...facts } = error as unknown as { code: string; message: string } & ErrorFacts;
  // What it would run next begins it in the foreground.
  const { next } = startFacts(message, code, dir, process.argv.slice(2));
  fail(exitCode === 2 ? 2 : 1, message.split('\n'), { ...facts, code, ...(next?.length !== 0 && { next }) });
}

function linesOf(
  { version, pid, url, apiKey }: RunInfo,
  { log, profile, isShared = false }: { log: string; profile: string; isShared: boolean | undefined },
): Line[] {
  const rows: [string, string][] = [['URL', url]];
  // Each directory has the key of its world.
  if (!isShared) rows.push(['Test key', apiKey]);
  rows.push(['Profile', profile], ['Log', isShared ? log : shortPath(log)]);
  return [
    `cloudemu ${version} runs in the background (pid ${pid})${isShared ? ', shared by all directories' : ''}.`,
    '',
    ...namedValues(rows),
    '',
    `For your client${isShared ? ', in any directory' : ''}: eval "$(cloudemu env)"`,
    `\`cloudemu stop${isShared ? ' --shared' : ''}\` ends it.`,
  ];
}

// Its own until it is ready: another one that starts here at the same time has one, too, and only one of them stays.
function openLog(dir: string) {
  const own = join(dir, `emulator.log.${process.pid}`);
  try {
    const removeIfEmpty = makeDataDir(dir);
    const file = openAfresh(own, constants.O_APPEND);
    /** Removes it, and the directory that was made for it. */
    const discard = (): void => {
      rmSync(own, { force: true });
      removeIfEmpty?.();
    };
    return { own, file, discard };
  } catch (error) {
    const reason = `The data directory ${dir} ${whyUnwritten(error)}. Choose another --data-dir.`;
    return fail(2, reason, { code: 'DATA_UNUSABLE' });
  }
}

interface Outcome {
  /** The line that it has printed: where it answers, or why it has ended. */
  line: string;
  /** undefined: it is ready. */
  exitCode?: number;
}

function readyOrEnded(child: ChildProcess): Promise<Outcome> {
  return new Promise((settle, reject) => {
    let last = '';
    // The emulator may become ready at the moment of the signal; it ends all the same.
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on('line', (line) => {
        last = line;
        if (!child.killed && !line.startsWith('{"error":')) settle({ line });
      });
    child.on('error', reject);
    // All that it has printed is read by then. Exit code 0 means that a signal ended it.
    child.on('close', (code) => settle({ line: last, exitCode: code || 1 }));
  });
}

// The options as the command line has them: each flag with its value in one word, whatever it begins with.
function words({ config, flags, shared }: StartOptions): string[] {
  const { 'control-token': _, ...shown } = flags;
  const all = Object.entries({ ...shown, ...(config !== undefined && { config }), ...(shared && { shared }) });
  return all.map(([name, value]) => {
    if (typeof value === 'boolean') return value ? `--${name}` : `--no-${name}`;
    return `--${name}=${value}`;
  });
}

// Everybody on the machine can read the command line of a process that stays.
function secretsOf({ flags }: StartOptions): Record<string, string> {
  const token = flags['control-token'];
  return token === undefined ? {} : { CLOUDEMU_CONTROL_TOKEN: String(token) };
}
