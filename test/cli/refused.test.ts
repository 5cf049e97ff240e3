// Command lines without any emulator: what cannot be carried out is refused in a sentence, and no data is left behind. What stands
// behind "<" is the settings file of the directory.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { expectTranscript, printed } from '../support/transcript.js';

it(
  'what cannot be carried out is refused in a sentence, and leaves no data behind',
  () =>
    expectTranscript(join(import.meta.dirname, 'refused.txt'), async (words, env) => {
      const cwd = tempDir();
      writeFileSync(join(cwd, 'package.json'), '{}');
      const end = words.includes('<') ? words.indexOf('<') : words.length;
      if (end < words.length) writeFileSync(join(cwd, 'emulator.config.json'), words.slice(end + 1).join(' '));
      const text = printed(await runHere(words.slice(0, end), { cwd, env }));
      const left = readdirSync(cwd, { recursive: true, encoding: 'utf8' });
      // A start takes its directory before it reads a scenario.
      const kept = /^(package\.json|emulator\.config\.json|\.cloudemu(\/(lock|\.gitignore))?)$/;
      expect(
        left.filter((name) => !kept.test(name)),
        words.join(' '),
      ).toEqual([]);
      return text.replaceAll(cwd, 'DIR');
    }),
  300_000,
);
