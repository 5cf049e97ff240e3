// The shipped profiles: which of them has what the profile in force refuses.

import { fixturePath, readText } from '../core/files.js';
import { memoizeLast } from '../core/memoize-last.js';
import { leafPaths, readPath, type Tree, writePath } from '../core/tree.js';
import { type Config, configSchema } from './schema.js';

interface Profile {
  name: string;
  config: Config;
}

const allProfiles = memoizeLast((_: undefined): readonly Profile[] =>
  [...configSchema.shape.profile.unwrap().options].sort().map((name) => {
    const settings = { profile: name, ...JSON.parse(readText(fixturePath('profiles', `${name}.json`))) };
    return { name, config: configSchema.parse(settings, { jitless: true }) };
  }),
);

export type ProfileName = Config['profile'];

/** The profiles that have the documented API: it itself, and the public server as SDK 2.0.0-beta.1 and its like know it. */
export const documented: readonly ProfileName[] = ['spec', 'elizacloud-v1'];

/** The profiles that have the public server as it is today. */
export const todays: readonly ProfileName[] = ['elizacloud'];

/** Whether the public server of today answers, where it differs from the documented API. */
export function isTodaysServer({ profile }: Pick<Config, 'profile'>): boolean {
  return todays.includes(profile);
}

/** Whether the public server answers as it did to its earlier clients, which know more names than `spec` documents. */
export function isEarlierServer({ profile }: Config): boolean {
  return profile === 'elizacloud-v1';
}

/** Former names of profiles, with those of now. */
export const formerProfiles: Record<string, ProfileName> = { 'elizacloud-v2': 'elizacloud' };

/** Settings that only a profile's name stands for now, and what is said of each. */
export const settingsOfProfiles: Record<string, string> = {
  contract:
    'is no setting any more: remove it; `--profile elizacloud` has what was contract v2, and `--profile spec` and `--profile elizacloud-v1` have v1',
  'containers.acceptNewNames':
    'is no setting any more: remove it; `--profile elizacloud-v1` takes the names of newer clients',
  'containers.logWindow':
    'is no setting any more: remove it; `--profile elizacloud-v1` reads limit, and `--profile spec` tail',
  'containers.urlFrom':
    'is no setting any more: remove it; `--profile elizacloud` gives a container its url at its creation',
};

/** Settings with all that profiles choose as another profile has it, for a world that has another one than its emulator. */
export function withProfile(config: Config, profile: ProfileName): Config {
  const all = allProfiles(undefined);
  const chosen = all.find(({ name }) => name === profile)?.config as unknown as Tree;
  const changed = structuredClone(config) as unknown as Tree;
  for (const path of leafPaths(configSchema.parse({}) as Tree))
    if (new Set(all.map((one) => JSON.stringify(readPath(one.config as unknown as Tree, path)))).size > 1)
      writePath(changed, path, readPath(chosen, path));
  return changed as unknown as Config;
}

/**
 * The flags that choose the other profiles of which something is true; undefined if there is none.
 *
 * @example otherProfiles(config, ({ keys }) => keys.prefix === 'eliza_') // '`--profile elizacloud` or `--profile elizacloud-v1`'
 */
export function otherProfiles(config: Config, has: (other: Config) => boolean): string | undefined {
  const others = allProfiles(undefined).filter((one) => one.name !== config.profile && has(one.config));
  return others.length === 0 ? undefined : others.map(({ name }) => `\`--profile ${name}\``).join(' or ');
}
