// Puts the settings together: defaults < profile < file < environment < flags.

import { closeSync, existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type * as z from 'zod';
import { openFound } from '../core/checkout-files.js';
import { filesIn, fixturePath, folderVersion, readText, whyUnread } from '../core/files.js';
import { memoizeBy } from '../core/memoize-last.js';
import { nearest } from '../core/nearest.js';
import { describe, problemsOf } from '../core/problems.js';
import { rootOf } from '../core/root.js';
import { isTree, leafPaths, mergeTrees, readPath, type Tree, writePath } from '../core/tree.js';
import { settingsFromEnvironment } from './environment.js';
import { ConfigError } from './error.js';
import { type FileSources, findConfigFile, readConfigFile } from './file.js';
import { type FlagName, flags, settingsOf } from './flags.js';
import { noScenario } from './names.js';
import { applyOptionsOnly, optionsOnly } from './of-process.js';
import { placesOutside, settingsFrom } from './places.js';
import { formerProfiles, settingsOfProfiles } from './profiles.js';
import { type Config, configSchema } from './schema.js';

export interface ConfigSources extends FileSources {
  flags?: Partial<Record<FlagName, unknown>> | undefined;
  /** Settings given in process; they override the file and the environment, and flags override them. */
  settings?: Tree | undefined;
  /** The operations that `rateLimits.operations` may name; without them any. */
  operations?: readonly string[] | undefined;
}

/** What the settings of an emulator were read from; `GET /_emulator/health` shows it. */
export interface SettingsRead {
  /** The settings file; null: none. */
  file: string | null;
  /** The names of the environment variables that set something. */
  environment: string[];
  profile: string;
}

export interface LoadedConfig {
  config: Config;
  file: string | null;
  read: SettingsRead;
  warnings: string[];
  /** Whether the file, a variable or a flag sets it: the defaults and the profile do not count. */
  isSet: (path: string) => boolean;
  /** The name of a setting in messages: the flag, variable or file that it comes from. */
  nameOf: (path: string) => string;
}

interface Layer {
  values: Tree;
  /** The name of a setting of this layer in messages. */
  name: (path: string) => string;
}

/**
 * Reads and checks all settings.
 *
 * @throws ConfigError naming, for each bad value, its source, its path, what came and the nearest right one
 */
export function loadConfig(sources: ConfigSources = {}): LoadedConfig {
  const file = findConfigFile(sources);
  try {
    return load(sources, file);
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(error.problems, file, error.facts) : error;
  }
}

function load(sources: ConfigSources, file: string | null): LoadedConfig {
  const { cwd = process.cwd(), inProcess = false } = sources;
  const environment = settingsFromEnvironment(sources.env ?? {});
  const inFile = file === null ? {} : settingsIn(file, sources, cwd);
  const upper: Layer[] = [
    { values: inFile, name: (path) => `${file}: ${path}` },
    { values: environment.values, name: (path) => nameIn(environment.sources, path) },
    { values: sources.settings ?? {}, name: (path) => `createEmulator: ${path}` },
    flagLayer(sources.flags ?? {}, inProcess),
  ];
  const isSet = (path: string): boolean => upper.some(({ values }) => has(values, path));
  const profile = readProfile(upper);
  const layers = [profile, ...upper];
  const merged = layers.reduce<Tree>((tree, layer) => mergeTrees(tree, layer.values), {});
  // Run once, a schema is quicker as it is than compiled.
  const { data: config, error } = configSchema.safeParse(merged, { jitless: true });
  if (config === undefined) throw problemsIn(error.issues, merged, layers);
  const { failure } = config.containers;
  if (failure !== null) demandFixture('failures', failure, nameOf(layers, 'containers.failure'), 'containers.failure');
  demandOperations(config, layers, sources.operations);
  demandAudio(config, layers, cwd);
  if (inProcess) applyOptionsOnly(config, (path) => upper.slice(2).some(({ values }) => has(values, path)));
  else if (!isSet('data.dir') && rootOf(cwd) !== resolve(cwd)) config.data.dir = join(rootOf(cwd), config.data.dir);
  // So that a flag can undo what the settings file says.
  if (config.scenario === noScenario) config.scenario = null;
  return {
    config,
    file,
    read: { file, environment: variablesIn(environment.sources, inProcess), profile: config.profile },
    warnings: [...environment.warnings, ...missingFolder(config, layers)],
    isSet,
    nameOf: (path) => nameOf(layers, path),
  };
}

function settingsIn(file: string, sources: ConfigSources, cwd: string): Tree {
  const settings = readConfigFile(file);
  const isNamed = (sources.file ?? sources.env?.CLOUDEMU_CONFIG ?? '') !== '';
  const problems = placesOutside(file, settings, isNamed).map((line) => `${file}: ${line}`);
  if (problems.length > 0) throw new ConfigError(problems);
  return settingsFrom(dirname(file), settings, cwd);
}

const has = (values: Tree, path: string): boolean => readPath(values, path) !== undefined;

function variablesIn(sources: ReadonlyMap<string, string>, inProcess: boolean): string[] {
  const used = [...sources].filter(([path]) => !inProcess || !Object.hasOwn(optionsOnly, path));
  return [...new Set(used.map(([, variable]) => variable))].sort();
}

// The folder may be made later, because its files are looked for with each request: this is only a warning.
function missingFolder({ replies: { folder } }: Config, layers: readonly Layer[]): string[] {
  if (folder === null || existsSync(resolve(folder))) return [];
  return [`${nameOf(layers, 'replies.folder')}: there is no directory ${resolve(folder)}`];
}

function problemsIn(issues: readonly z.core.$ZodIssue[], merged: Tree, layers: readonly Layer[]): ConfigError {
  const isSecret = (path: readonly PropertyKey[]): boolean => /^server\.controlTokens?(\.|$)/.test(path.join('.'));
  const found = problemsOf(issues, merged, configSchema, isSecret);
  const lines = found.map(({ path, message, received, suggestion }) => {
    if (path in settingsOfProfiles) return `${nameOf(layers, path)} ${settingsOfProfiles[path]}`;
    const right = suggestion ?? (message === 'is unknown' ? settingNamed(path) : undefined);
    return [
      `${nameOf(layers, path)} ${message}`,
      received === undefined || message === 'is required' ? '' : `, got ${received}`,
      right === undefined ? '' : `; did you mean "${right}"?`,
    ].join('');
  });
  const [{ path = '', received, suggestion } = {}] = found;
  return new ConfigError([...new Set(lines)], null, {
    field: fieldOf(nameOf(layers, path), path),
    received,
    suggestion,
  });
}

// A flag has a name of its own.
const fieldOf = (name: string, path: string): string => (name.startsWith('--') ? name : path);

// A setting at the wrong level: `port` instead of `server.port`.
function settingNamed(path: string): string | undefined {
  const last = path.slice(path.lastIndexOf('.') + 1);
  const places = leafPaths(configSchema.parse({}) as Tree).filter((known) => known.endsWith(`.${last}`));
  return places.length === 1 ? places[0] : undefined;
}

function flagLayer(values: Partial<Record<FlagName, unknown>>, inProcess: boolean): Layer {
  const tree: Tree = {};
  const names = new Map<string, string>();
  for (const name of Object.keys(flags) as FlagName[]) {
    if (values[name] === undefined) continue;
    for (const [path, setting] of settingsOf(name, values[name])) {
      writePath(tree, path, setting);
      names.set(
        path,
        inProcess
          ? `createEmulator: ${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}`
          : `--${name}`,
      );
    }
  }
  return { values: tree, name: (path) => nameIn(names, path) };
}

function readProfile(upper: readonly Layer[]): Layer {
  const chosen = upper.findLast(({ values }) => values.profile !== undefined);
  const profile = demandFixture(
    'profiles',
    chosen?.values.profile ?? 'spec',
    chosen?.name('profile') ?? 'profile',
    'profile',
  );
  const values = JSON.parse(readText(fixturePath('profiles', `${profile}.json`))) as Tree;
  return { values, name: (path) => `profile ${profile}: ${path}` };
}

// Listed anew when a file was added or taken away.
const fixturesIn = memoizeBy(
  10,
  (folder: string) => `${folder} ${folderVersion(fixturePath(folder))}`,
  (folder): readonly string[] =>
    filesIn(fixturePath(folder))
      .map((entry) => basename(entry, '.json'))
      .sort(),
);

function demandFixture(folder: string, value: unknown, name: string, path: string): string {
  const known = fixturesIn(folder);
  if (typeof value === 'string' && known.includes(value)) return value;
  const now = folder === 'profiles' ? formerProfiles[String(value)] : undefined;
  const suggestion = nearest(String(value), known);
  const hint =
    now !== undefined
      ? `, which is named "${now}" now`
      : suggestion === undefined
        ? ''
        : `; did you mean "${suggestion}"?`;
  throw new ConfigError([`${name} must be one of ${known.join(', ')}, got ${describe(value)}${hint}`], null, {
    field: fieldOf(name, path),
    received: describe(value),
    suggestion: now ?? suggestion,
  });
}

// The ids of operations are not in the schema, because endpoints are in a layer above the settings.
function demandOperations(config: Config, layers: readonly Layer[], known: readonly string[] | undefined): void {
  const place = 'rateLimits.operations';
  const unknown = Object.keys(config.rateLimits.operations).filter((id) => known?.includes(id) === false);
  const problems = unknown.map((id) => {
    const layer = layers.findLast(({ values }) => {
      const named = readPath(values, place);
      return isTree(named) && Object.hasOwn(named, id);
    });
    const suggestion = nearest(id, known ?? []);
    const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
    return `${layer?.name(`${place}.${id}`) ?? id} is not an operation${hint}`;
  });
  if (problems.length > 0) throw new ConfigError(problems);
}

// Looked for at the start, where it can still be said which setting is wrong.
function demandAudio({ voice }: Config, layers: readonly Layer[], cwd: string): void {
  const problems = voice.speech.flatMap(({ file }, index) => {
    const problem = unread(resolve(cwd, file));
    if (problem === undefined) return [];
    return [`${nameOf(layers, `voice.speech[${index}].file`)}: ${problem}, got ${describe(file)}`];
  });
  if (problems.length > 0) throw new ConfigError(problems);
}

function unread(file: string): string | undefined {
  try {
    closeSync(openFound(file).handle);
    return undefined;
  } catch (error) {
    return whyUnread(error);
  }
}

// A flag or variable names its own path; for a part of its value, the path within the value is added.
function nameIn(names: ReadonlyMap<string, string>, path: string): string {
  const exact = names.get(path);
  if (exact !== undefined) return exact;
  const above = [...names].find(([start]) => path.startsWith(`${start}.`) || path.startsWith(`${start}[`));
  return above === undefined ? path : `${above[1]}: ${path}`;
}

function nameOf(layers: readonly Layer[], path: string): string {
  for (let at = path.replace(/\[.*$/, ''); at !== ''; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') {
    const layer = layers.findLast(({ values }) => readPath(values, at) !== undefined);
    if (layer !== undefined) return layer.name(path);
  }
  return path;
}
