// The shipped profiles: which of them has what the profile in force refuses.

import { basename } from 'node:path';
import { filesIn, fixturePath, readText } from '../core/files.js';
import { memoizeLast } from '../core/memoize-last.js';
import { type Config, configSchema } from './schema.js';

interface Profile {
  name: string;
  config: Config;
}

const profilesIn = memoizeLast((folder: string): readonly Profile[] =>
  filesIn(folder)
    .sort()
    .map((file) => {
      const name = basename(file, '.json');
      const settings = { profile: name, ...JSON.parse(readText(fixturePath('profiles', file))) };
      return { name, config: configSchema.parse(settings, { jitless: true }) };
    }),
);

/** Settings that only a profile's name stands for now, and what is said of each. */
export const settingsOfProfiles: Record<string, string> = {
  'containers.acceptNewNames':
    'is no setting any more: remove it; `--profile elizacloud` takes the names of newer clients',
  'containers.logWindow':
    'is no setting any more: remove it; `--profile elizacloud` reads limit, and `--profile spec` tail',
  'containers.urlFrom':
    'is no setting any more: remove it; `--profile elizacloud-v2` gives a container its url at its creation',
};

/** Whether the public server answers as it did to its earlier clients, which know more names than `spec` documents. */
export function isEarlierServer({ profile }: Config): boolean {
  return profile === 'elizacloud';
}

/**
 * The flags that choose the other profiles of which something is true; undefined if there is none.
 *
 * @example otherProfiles(config, ({ keys }) => keys.prefix === 'eliza_') // '`--profile elizacloud-v2` or `--profile elizacloud`'
 */
export function otherProfiles(config: Config, has: (other: Config) => boolean): string | undefined {
  const others = profilesIn(fixturePath('profiles')).filter((one) => one.name !== config.profile && has(one.config));
  return others.length === 0 ? undefined : others.map(({ name }) => `\`--profile ${name}\``).join(' or ');
}
