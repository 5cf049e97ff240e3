// What a reader reviews better as a text than as a table of a test: cases with what comes of them, recorded in a file beside the
// test. Each case is a line that begins with "$ ", and a title begins with "# "; a new one is a new line of the file. `npx vitest
// run -u` writes down what comes of all of them now, to be read before it is committed.

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Outcome } from './command.js';

/** Expects of each case of a file what stands below it; `begin` is called with each title. */
export async function expectRecorded(
  file: string,
  act: (line: string) => string | Promise<string>,
  begin: (title: string) => unknown = () => {},
): Promise<void> {
  const said: string[] = [];
  for (const [line, mark, text = ''] of readFileSync(file, 'utf8').matchAll(/^([$#]) (.*)$/gm)) {
    if (mark === '#') await begin(text);
    said.push(mark === '#' ? `${line}\n` : `${line}\n${await act(text)}\n`);
  }
  await expect(said.join('\n')).toMatchFileSnapshot(file);
}

/** What a command has printed, and its exit code where it is not 0. */
export const printed = ({ code, stdout, stderr }: Outcome): string =>
  `${stdout}${stderr}${code === 0 ? '' : `exit code ${code}\n`}`.replace(/\n$/, '');

type Runs = (words: string[], env: Record<string, string>) => string | Promise<string>;

/** Expects of command lines what they print; a line may name variables before `cloudemu`. */
export async function expectTranscript(file: string, run: Runs): Promise<void> {
  const wordsOf = (text = ''): string[] => text.split(' ').filter((word) => word !== '');
  await expectRecorded(file, (line) => {
    const [before, after] = line.split(/\bcloudemu\b(.*)/s);
    return run(wordsOf(after), Object.fromEntries(wordsOf(before).map((one) => one.split('='))));
  });
}
