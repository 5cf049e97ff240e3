// Puts the settings together: defaults < profile < file < environment < flags, with errors that name their source.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { TextFileSync } from 'lowdb/node';
import { fixturePath } from '../kernel/files.js';
import { readJson } from '../kernel/json.js';
import { nearest } from '../kernel/nearest.js';
import { problemsOf } from '../kernel/problems.js';
import { isTree, mergeTrees, readPath, type Tree, writePath } from '../kernel/tree.js';
import { settingsFromEnvironment } from './environment.js';
import { type FlagName, flags, settingOf } from './flags.js';
import { type Config, configSchema } from './schema.js';

export const configFileName = 'emulator.config.json';

/** Settings that cannot be used; each problem is one line that names its source. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

export interface ConfigSources {
  /** The file that was asked for; must exist. Without it, `emulator.config.json` in `cwd` is read if it is there; null: none. */
  file?: string | null | undefined;
  cwd?: string | undefined;
  env?: Record<string, string | undefined> | undefined;
  flags?: Partial<Record<FlagName, unknown>> | undefined;
  /** Settings given in process; they stand above the file and the environment, below flags. */
  settings?: Tree | undefined;
}

export interface LoadedConfig {
  config: Config;
  file: string | null;
  warnings: string[];
}

interface Layer {
  values: Tree;
  /** What a message calls the source of a path. */
  source: (path: string) => string;
}

/**
 * Reads and checks all settings.
 *
 * @throws ConfigError naming, for each bad value, its source, its path, what came and the nearest right one
 */
export function loadConfig(sources: ConfigSources = {}): LoadedConfig {
  const environment = settingsFromEnvironment(sources.env ?? {});
  const file = findFile(sources);
  const upper: Layer[] = [];
  if (file !== null) upper.push({ values: readConfigFile(file), source: () => file });
  upper.push({ values: environment.values, source: (path) => environment.sources.get(path) ?? 'environment' });
  upper.push({ values: sources.settings ?? {}, source: () => 'options' });
  upper.push(flagLayer(sources.flags ?? {}));

  const layers = [profileLayer(upper), ...upper];
  const merged = layers.reduce<Tree>((tree, layer) => mergeTrees(tree, layer.values), {});
  const result = configSchema.safeParse(merged);
  if (!result.success) {
    throw new ConfigError(
      problemsOf(result.error.issues, merged, configSchema).map((problem) => {
        const source = sourceOf(layers, problem.path);
        const received = problem.received === undefined ? '' : `, got ${problem.received}`;
        const suggestion = problem.suggestion === undefined ? '' : `; did you mean "${problem.suggestion}"?`;
        return `${source}: ${problem.path} ${problem.message}${received}${suggestion}`;
      }),
    );
  }
  return { config: result.data, file, warnings: environment.warnings };
}

function findFile({ file, cwd = process.cwd(), env }: ConfigSources): string | null {
  if (file === null) return null;
  const wanted = file ?? env?.CLOUDEMU_CONFIG;
  const path = wanted ?? configFileName;
  const full = isAbsolute(path) ? path : join(cwd, path);
  if (existsSync(full)) return full;
  if (wanted === undefined) return null;
  throw new ConfigError([`${full}: there is no such file. \`cloudemu init\` writes one.`]);
}

function readConfigFile(file: string): Tree {
  let text: string;
  try {
    text = new TextFileSync(file).read() ?? '';
  } catch (error) {
    throw new ConfigError([`${file}: cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`]);
  }
  const reading = readJson(text.replace(/^\uFEFF/, ''));
  if ('problem' in reading) throw new ConfigError([`${file}: ${reading.problem}`]);
  if (!isTree(reading.value)) throw new ConfigError([`${file}: must hold one JSON object of settings`]);
  const [repeated] = reading.repeated;
  if (repeated !== undefined) throw new ConfigError([`${file}: the key "${repeated}" stands there twice`]);
  return reading.value;
}

function flagLayer(values: Partial<Record<FlagName, unknown>>): Layer {
  const tree: Tree = {};
  const names = new Map<string, string>();
  for (const name of Object.keys(flags) as FlagName[]) {
    const value = values[name];
    if (value === undefined) continue;
    const [path, setting] = settingOf(name, value);
    writePath(tree, path, setting);
    names.set(path, `--${name}`);
  }
  return { values: tree, source: (path) => names.get(path) ?? names.get(path.split('.')[0] ?? path) ?? 'flags' };
}

function profileLayer(upper: readonly Layer[]): Layer {
  const chosen = upper.findLast((layer) => layer.values.profile !== undefined);
  const name = chosen?.values.profile ?? 'spec';
  const known = readdirSync(fixturePath('profiles')).map((entry) => basename(entry, '.json'));
  if (typeof name !== 'string' || !known.includes(name)) {
    const suggestion = nearest(String(name), known);
    const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
    throw new ConfigError([
      `${chosen?.source('profile') ?? 'options'}: profile must be one of ${known.join(', ')}, got "${String(name)}"${hint}`,
    ]);
  }
  const file = fixturePath('profiles', `${name}.json`);
  return { values: JSON.parse(readFileSync(file, 'utf8')) as Tree, source: () => `profile ${name}` };
}

function sourceOf(layers: readonly Layer[], path: string): string {
  const plain = path.replace(/\[.*$/, '');
  for (let at = plain; at !== ''; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') {
    const layer = layers.findLast((candidate) => readPath(candidate.values, at) !== undefined);
    if (layer !== undefined) return layer.source(at);
  }
  return 'settings';
}
