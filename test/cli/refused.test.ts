// Command lines that cannot be carried out, without any emulator: a sentence says why, and no data is left behind.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { expectTranscript, printed } from '../support/transcript.js';

it('what cannot be carried out is refused in a sentence, and leaves no data behind', () =>
  expectTranscript(join(import.meta.dirname, 'refused.txt'), async (words, env) => {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'package.json'), '{}');
    const text = printed(await runHere(words, { cwd, env }));
    const left = readdirSync(cwd, { recursive: true, encoding: 'utf8' });
    // A start takes its directory before it reads a scenario.
    const kept = /^(package\.json|\.cloudemu(\/(lock|\.gitignore))?)$/;
    expect(
      left.filter((name) => !kept.test(name)),
      words.join(' '),
    ).toEqual([]);
    return text.replaceAll(cwd, 'DIR');
  }));
