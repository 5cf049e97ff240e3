// What the emulator answers and the command prints is as recorded: `npm run record` makes the recordings anew, and their diff
// is read in review.

import { describe, expect, it } from 'vitest';
import { runHere } from '../support/command-here.js';
import { commands } from '../support/commands.js';
import { operationsAs, profiles, refusalsAs, startRecorded, storyAs } from './record.js';

describe.each(profiles)('with the profile %s', (profile) => {
  it.each([
    ['operations', operationsAs],
    ['refusals', refusalsAs],
    ['story', storyAs],
  ] as const)('%s are answered as recorded', async (name, answersOf) => {
    const victim = await startRecorded(profile);
    try {
      await expect(await answersOf(victim)).toMatchFileSnapshot(`${profile}-${name}.txt`);
    } finally {
      await victim.close();
    }
  });
});

it('the help of each command is as recorded', async () => {
  const texts: string[] = [];
  for (const words of [[], ...commands.map(({ words }) => words.split(' '))]) {
    const { stdout } = await runHere([...words, '--help']);
    texts.push(`# ${words.join(' ')}\n${stdout}`);
  }
  await expect(texts.join('\n')).toMatchFileSnapshot('help.txt');
});
