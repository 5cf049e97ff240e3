// How a command finds its emulator, and the world in it that is meant.

import { resolve } from 'node:path';
import { ConfigError } from '../config/error.js';
import { findConfigFile, readConfigFile } from '../config/file.js';
import { baseUrlOf, notBaseUrl } from '../control/base-url.js';
import { inRoot } from '../core/root.js';
import type { WorldInfo } from '../tools/worlds/request.js';
import { namedWorld, ownWorld } from './owned-worlds.js';
import { Unreachable } from './refusal.js';
import { type RunFile, readRunFile } from './run-file.js';
import { demandShared, type Found, sharedDir, sharedRun } from './shared.js';

export interface TargetOptions {
  url?: string | undefined;
  'data-dir'?: string | undefined;
  token?: string | undefined;
  /** The world that is meant; without it the one that the URL names, that of this directory, or the default one. */
  world?: string | undefined;
  /** The shared emulator is meant, although this directory may have its own. */
  shared?: boolean | undefined;
}

export interface Target extends Found {
  /** The base URL that clients use. */
  url: string;
  /** How it was found, for messages. */
  from: string;
  /** The world that was found in it: that of this directory, or the one that was named. */
  found?: WorldInfo | undefined;
}

/**
 * What of an emulator a command speaks to: one of its worlds; all of it; or a world if this directory has one. It matters
 * for the shared emulator alone.
 */
export type Scope = 'world' | 'emulator' | 'either';

const defaultUrl = 'http://127.0.0.1:4747';
/** How a target was found that nobody has named. */
export const byDefault = 'the default; no emulator runs in this directory';

/**
 * The emulator that is meant: --url, --data-dir, CLOUDEMU_URL, the data directory's run file, the shared emulator, or port
 * 4747. In the shared one a command speaks to the world of this directory.
 *
 * @throws Unreachable when what was named does not run, or this directory has no world in it; Refused when the world is
 *   another directory's; ConfigError when the URL is none
 */
export async function findTarget(options: TargetOptions, scope: Scope = 'world'): Promise<Target> {
  const target = await findEmulator(options);
  const { world } = options;
  if (target.token !== undefined && !/^[\x21-\x7e]+$/.test(target.token))
    throw new ConfigError(['--token must be one word of ASCII characters']);
  if (target.isShared === true) {
    await demandShared(target);
    if (scope === 'emulator') return target;
    const found = world === undefined ? await ownWorld(target, scope === 'world') : await namedWorld(target, world);
    return found === undefined && world === undefined
      ? target
      : { ...inWorld(target, found?.id ?? String(world)), found };
  }
  return world === undefined ? target : inWorld(target, world);
}

/** The same emulator, with the URLs of a world. */
export function inWorld(target: Target, world: string): Target {
  const urlOf = (url: string): string => `${rootOf(url)}/w/${encodeURIComponent(world)}`;
  return { ...target, url: urlOf(target.url), local: urlOf(target.local) };
}

/** A URL of an emulator without the world that it names. */
export function rootOf(url: string): string {
  return url.replace(/\/w\/[^/]*$/, '');
}

async function findEmulator(options: TargetOptions): Promise<Target> {
  const settings = await readSettings();
  const token = options.token ?? settings.token;
  if (options.url !== undefined) return byUrl(options.url, '--url', settings.dataDir, token);
  const dir = options['data-dir'];
  if (dir !== undefined) {
    const run = readRunFile(dir);
    if (run === undefined)
      throw new Unreachable(`No emulator runs on ${resolve(dir)}. \`cloudemu start --data-dir ${dir}\` runs one.`, {
        code: 'NOT_RUNNING',
        next: [['start', '--detach', `--data-dir=${dir}`]],
      });
    return byRunFile(run, dir, token, true);
  }
  if (options.shared === true) return byShared(sharedRun() ?? failWithoutShared(), token);
  const fromEnvironment = process.env.CLOUDEMU_URL ?? '';
  if (fromEnvironment !== '') return byUrl(fromEnvironment, 'CLOUDEMU_URL', settings.dataDir, token);
  const run = readRunFile(settings.dataDir);
  if (run !== undefined) return byRunFile(run, settings.dataDir, token, false);
  const shared = sharedRun();
  if (shared !== undefined) return byShared(shared, token);
  return { url: defaultUrl, local: defaultUrl, from: byDefault, run: undefined, token, isNamed: false };
}

function byRunFile(run: RunFile, dataDir: string, token: string | undefined, isNamed: boolean): Target {
  return { url: run.url, local: run.local, from: `the run file in ${dataDir}`, run, token, isNamed };
}

function byShared(run: RunFile, token: string | undefined): Target {
  return { ...byRunFile(run, sharedDir(), token, false), isShared: true };
}

function failWithoutShared(): never {
  throw new Unreachable('No shared emulator runs. `cloudemu start --shared` runs one.', {
    code: 'NOT_RUNNING',
    next: [['start', '--shared', '--detach']],
  });
}

function byUrl(given: string, from: string, dataDir: string, token: string | undefined): Target {
  const url = baseUrlOf(given);
  if (url === undefined) throw new ConfigError([notBaseUrl(from, given)]);
  const isIt = (run: RunFile | undefined): boolean =>
    run !== undefined && [run.url, run.local].map(plainOrigin).includes(plainOrigin(url));
  const run = [readRunFile(dataDir), sharedRun()].find(isIt);
  return { url, local: url, from, run, token, isNamed: true };
}

// localhost, 127.0.0.1 and [::1] are one.
function plainOrigin(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${/^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) ? 'loopback' : hostname}:${port}`;
}

// A broken settings file must not keep `stop` from working. Where neither it nor a variable says anything of the two, the
// settings are not read: their schema is half of what a short command costs.
async function readSettings(): Promise<{ dataDir: string; token: string | undefined }> {
  const { env } = process;
  try {
    const file = findConfigFile({ env });
    const { data: own, server: its } = file === null ? {} : readConfigFile(file);
    if (own === undefined && its === undefined && !Object.keys(env).some((name) => telling.test(name)))
      return { dataDir: inRoot('') === process.cwd() ? usualDir : inRoot(usualDir), token: undefined };
    const { loadConfig } = await import('../config/load.js');
    const { data, server } = loadConfig({ env }).config;
    return { dataDir: data.dir, token: server.controlToken ?? undefined };
  } catch {
    return { dataDir: usualDir, token: undefined };
  }
}

const usualDir = '.cloudemu';
const telling = /^CLOUDEMU_(DATA|(SERVER_)?CONTROL_TOKEN)/;
