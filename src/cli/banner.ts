// The banner that a person reads when the emulator is ready.

import type { LoadedConfig } from '../config/load.js';
import { namedValues, shortPath } from './layout.js';
import type { Line } from './print.js';
import type { RunFile } from './run-file.js';

/** The facts about the default world, which may have been there before. */
export interface Beginning {
  frozen: boolean;
  /** Whether it is the emulator of all directories. */
  isShared: boolean;
  /** The scenario that the world began with, if it began now. */
  scenario: string | null;
}

/** The banner: where it answers, a key, the files it uses, and one line to try. */
export function banner(
  info: RunFile,
  { config, file }: LoadedConfig,
  { frozen, isShared, scenario }: Beginning,
): Line[] {
  const { timing } = config.containers;
  // The shared one is not where the user is.
  const pathText = isShared ? String : shortPath;
  const rows: [string, string][] = [['URL', info.url]];
  if (info.local !== info.url) rows.push(['Here', info.local]);
  rows.push(
    // Each directory has the key of its world.
    ...(isShared ? [] : [['Test key', info.apiKey] as [string, string]]),
    ['Wallets', '`cloudemu wallet list`'],
    ['Dashboard', `${info.local}/_emulator/`],
    ['Health', `${info.local}/_emulator/health`],
    ['OpenAPI', `${info.local}/openapi.json`],
    [
      'Settings',
      `${file === null ? 'defaults (`cloudemu init` writes a file)' : pathText(file)}, profile ${config.profile}`,
    ],
    ['Data', info.dataDir === null ? 'in memory, gone at the end' : pathText(info.dataDir)],
    ...(scenario === null ? [] : [['Scenario', scenario] as [string, string]]),
    ['Timing', `${typeof timing === 'string' ? timing : 'as in the settings'}${frozen ? ', clock frozen' : ''}`],
  );
  const toTry = isShared
    ? ['In each directory that shares it:', '  eval "$(cloudemu env)"']
    : ['Try it:', `  curl -s ${info.local}/api/v1/containers -H "Authorization: Bearer ${info.apiKey}"`];
  return [
    `cloudemu ${info.version} is ready${isShared ? ', shared by all directories' : ''}.`,
    '',
    ...namedValues(rows),
    '',
    ...toTry,
    '',
    'Press Ctrl-C to stop it.',
  ];
}
