// Cases that are written down as text: a title, on indented lines what goes in, and behind `=>` what comes out of it.
// `vitest -u` writes what comes out anew: a review shows what has changed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Expects of the cases in a file of test/ what it says; where a case goes on behind `=>`, what comes out of all so far. */
export async function expectCases(
  path: string,
  outcome: (input: readonly string[], title: string) => readonly string[] | Promise<readonly string[]>,
): Promise<void> {
  const file = join(import.meta.dirname, '..', path);
  const said = readFileSync(file, 'utf8').split('\n');
  const lines: string[] = [];
  let title = '';
  let input: string[] = [];
  for (const [index, line] of said.entries()) {
    if (line.startsWith('=>')) continue;
    lines.push(line);
    if (line === '') continue;
    if (line.startsWith('  ')) input.push(line.slice(2));
    else [title, input] = [line, []];
    if (said[index + 1]?.startsWith('  ')) continue;
    for (const one of await outcome(input, title)) lines.push(`=> ${one}`);
  }
  await expect(lines.join('\n')).toMatchFileSnapshot(file);
}

/** A problem of a refusal as a line, in which the project lies nowhere in particular. */
export function problemText({
  path,
  message,
  suggestion,
}: {
  path: string;
  message: string;
  suggestion?: string;
}): string {
  return `${path}: ${message.replace(process.cwd(), 'the project')}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
}
