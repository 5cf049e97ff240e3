// `cloudemu world gc`: ends the worlds whose directories are gone.

import { statSync } from 'node:fs';
import { counted } from '../../core/words.js';
import type { WorldInfo } from '../../tools/worlds/request.js';
import { createClient } from '../client.js';
import { command, emulator, sharedFlag, type ValuesOf } from '../command.js';
import { nameOfCheckout, worldsOf } from '../owned-worlds.js';
import { fail, printJson, tell } from '../print.js';
import { findTarget } from '../target.js';

const flags = {
  'dry-run': { type: 'boolean', describe: 'Only say which ones', byDefault: 'off' },
  ...sharedFlag,
  ...emulator,
} as const;

export const worldGcCommand = command({
  words: 'world gc',
  describe: 'Delete the worlds whose directories are gone, and no others',
  flags,
  examples: [
    ['world gc', 'after worktrees were removed; worlds that are for no directory stay'],
    ['world gc --dry-run', 'says which ones, and deletes nothing'],
  ],
  run: worldGc,
});

async function worldGc(options: ValuesOf<typeof flags>): Promise<void> {
  const { 'dry-run': isDry = false, json } = options;
  const target = await findTarget(options, 'emulator');
  const client = createClient(target);
  await client.health();
  // Directories of other machines would all seem to be gone.
  if (target.run === undefined)
    fail(
      1,
      `Whose directories are gone can be seen only on the machine of the emulator, by its run file, and none names the one at ${target.local}. \`cloudemu world drop\` deletes a world there.`,
      { code: 'FOREIGN_EMULATOR', next: [['world', 'list', '--url', target.local]] },
    );
  const gone: WorldInfo[] = [];
  for (const world of await worldsOf(target)) {
    if (world.root === null || !isGone(world.root)) continue;
    if (!isDry) await client.call('DELETE', `/w/${encodeURIComponent(world.id)}/_emulator/world`);
    gone.push(world);
  }
  const dropped = gone.map(({ id, root, branch, bytes }) => ({ id, root, branch, bytes }));
  if (json) return printJson({ dropped, total: dropped.length, dryRun: isDry });
  const verb = isDry ? 'Would delete' : 'Deleted';
  for (const world of gone) tell(`${verb} ${world.id}: ${nameOfCheckout(world)} is gone.`);
  tell(gone.length === 0 ? 'No directory of a world is gone.' : `${verb} ${counted(gone.length, 'world')}.`);
}

// A directory that cannot be looked at is not one that is gone.
function isGone(root: string): boolean {
  try {
    return !statSync(root).isDirectory();
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
