// Settings from the environment: CLOUDEMU_PORT for a flag, CLOUDEMU_CONTAINERS_TIMING for any setting.

import { nearest } from '../kernel/nearest.js';
import { leafPaths, type Tree, writePath } from '../kernel/tree.js';
import { type FlagName, flags, settingOf } from './flags.js';
import { configSchema } from './schema.js';

const prefix = 'CLOUDEMU_';
// Read elsewhere: the verbs' target, the config file, the client's key, the switches of test and build.
const otherNames = ['CLOUDEMU_URL', 'CLOUDEMU_CONFIG', 'CLOUDEMU_API_KEY', 'CLOUDEMU_TEST_FULL', 'CLOUDEMU_WRITE_CODE_CACHE'];

export interface EnvironmentSettings {
  values: Tree;
  /** The variable that set a path, for messages. */
  sources: Map<string, string>;
  warnings: string[];
}

/** The settings that an environment holds. */
export function settingsFromEnvironment(env: Record<string, string | undefined>): EnvironmentSettings {
  const result: EnvironmentSettings = { values: {}, sources: new Map(), warnings: [] };
  const set = Object.keys(env).filter((name) => name.startsWith(prefix) && !otherNames.includes(name));
  if (set.length === 0) return result;
  const known = knownVariables();
  for (const name of set.sort()) {
    const apply = known.get(name);
    if (apply === undefined) {
      const suggestion = nearest(name, known.keys());
      result.warnings.push(`${name} is no setting${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`);
      continue;
    }
    const [path, value] = apply(parseValue(env[name] ?? ''));
    writePath(result.values, path, value);
    result.sources.set(path, name);
  }
  return result;
}

function knownVariables(): Map<string, (value: unknown) => [string, unknown]> {
  const known = new Map<string, (value: unknown) => [string, unknown]>();
  for (const path of leafPaths(configSchema.parse({}) as Tree)) {
    const name = path.replace(/([a-z])([A-Z])/g, '$1_$2').replaceAll('.', '_').toUpperCase();
    known.set(prefix + name, (value) => [path, value]);
  }
  for (const name of Object.keys(flags) as FlagName[]) {
    known.set(prefix + name.replaceAll('-', '_').toUpperCase(), (value) => settingOf(name, value));
  }
  return known;
}

function parseValue(text: string): unknown {
  if (!/^(true|false|null|-?\d+(\.\d+)?|[[{].*)$/s.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
