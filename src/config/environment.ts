// Settings from the environment: CLOUDEMU_PORT for a flag, CLOUDEMU_CONTAINERS_TIMING for any setting.

import { readJson } from '../core/json.js';
import { nearest } from '../core/nearest.js';
import { leafPaths, readPath, type Tree, writePath } from '../core/tree.js';
import { type FlagName, flags, settingsOf } from './flags.js';
import { settingsOfProfiles } from './profiles.js';
import { configSchema } from './schema.js';

const prefix = 'CLOUDEMU_';
// Read elsewhere: the commands' target, the config file, the client's key, what `run` and `explore` tell
// their command, the switches of test and build.
const otherNames = [
  'CLOUDEMU_URL',
  'CLOUDEMU_CONFIG',
  'CLOUDEMU_API_KEY',
  'CLOUDEMU_CONTROL',
  'CLOUDEMU_TEST_WORLDS',
  'CLOUDEMU_TEST_PROCESS',
  'CLOUDEMU_TEST_FULL',
  'CLOUDEMU_TEST_LONG',
  'CLOUDEMU_TEST_SHARD',
  'CLOUDEMU_WRITE_CODE_CACHE',
  'CLOUDEMU_WORLD_PREFIX',
];

export interface EnvironmentSettings {
  values: Tree;
  /** The variable that set a path, for messages. */
  sources: Map<string, string>;
  warnings: string[];
}

interface Variable {
  /** The kind of value that the text may mean besides a text. */
  kind: 'boolean' | 'number' | 'json' | 'nullable' | 'text';
  settings: (value: unknown) => [path: string, value: unknown][];
}

/** The settings that an environment holds; an empty variable counts as unset. */
export function settingsFromEnvironment(env: Record<string, string | undefined>): EnvironmentSettings {
  const result: EnvironmentSettings = { values: {}, sources: new Map(), warnings: [] };
  readFreeCredits(env, result);
  const set = Object.keys(env).filter(
    (name) => name.startsWith(prefix) && !otherNames.includes(name) && (env[name] ?? '') !== '',
  );
  if (set.length === 0) return result;
  const known = knownVariables();
  for (const name of set.sort()) {
    const variable = known.get(name);
    if (variable === undefined) {
      const gone = Object.keys(settingsOfProfiles).find((path) => prefix + variableOf(path) === name);
      if (gone !== undefined) {
        result.warnings.push(`${name} ${settingsOfProfiles[gone]}`);
        continue;
      }
      const suggestion = nearest(name, [...known.keys(), ...otherNames.slice(0, 2)]);
      result.warnings.push(
        `${name} is not a setting${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`,
      );
      continue;
    }
    for (const [path, value] of variable.settings(parseValue(env[name] ?? '', variable.kind))) {
      writePath(result.values, path, value);
      result.sources.set(path, name);
    }
  }
  return result;
}

const freeCredits = { variable: 'INITIAL_FREE_CREDITS', path: 'credits.initialFree' };

// The platform's own variable. It may be set for another program, so a bad value does not prevent the start.
function readFreeCredits(
  env: Record<string, string | undefined>,
  { values, sources, warnings }: EnvironmentSettings,
): void {
  const { variable, path } = freeCredits;
  const text = env[variable]?.trim() ?? '';
  if (text === '') return;
  const credits = /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (credits === undefined || !configSchema.shape.credits.safeParse({ initialFree: credits }).success) {
    warnings.push(`${variable} is not an amount of credits, got "${text.slice(0, 40)}": new wallets get the default`);
    return;
  }
  writePath(values, path, credits);
  sources.set(path, variable);
}

function variableOf(path: string): string {
  return path
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase();
}

function knownVariables(): Map<string, Variable> {
  const variables = new Map<string, Variable>();
  // Run once, a schema is quicker as it is than compiled: 136 instead of 145 ms of CPU for a start with such variables.
  const defaults = configSchema.parse({}, { jitless: true }) as Tree;
  for (const path of leafPaths(defaults)) {
    variables.set(prefix + variableOf(path), {
      kind: kindOf(path, readPath(defaults, path)),
      settings: (value) => [[path, value]],
    });
  }
  for (const name of Object.keys(flags) as FlagName[]) {
    const { path, type } = flags[name];
    const kind = type === 'string' ? kindOf(path, readPath(defaults, path)) : type;
    variables.set(prefix + name.replaceAll('-', '_').toUpperCase(), {
      kind,
      settings: (value) => settingsOf(name, value),
    });
  }
  return variables;
}

// The type of a setting follows from its default; only the timing is a string or an object.
function kindOf(path: string, preset: unknown): Variable['kind'] {
  if (preset === null) return 'nullable';
  if (typeof preset === 'object' || path === 'containers.timing') return 'json';
  return typeof preset === 'boolean' || typeof preset === 'number' ? (typeof preset as 'boolean' | 'number') : 'text';
}

// An unreadable value stays text, which the schema refuses.
function parseValue(text: string, kind: Variable['kind']): unknown {
  switch (kind) {
    case 'boolean':
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'nullable':
      return text === 'null' ? null : text;
    case 'json':
      return readJsonOr(text);
    default:
      return text;
  }
}

function readJsonOr(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  const reading = readJson(text);
  return 'value' in reading ? reading.value : text;
}
