// Command lines and what they print, recorded in a file beside their test: each line begins with "$", and names variables before
// `cloudemu`. A new case is a new line of the file; `npx vitest run -u` writes down what all of them print now, to be read
// before it is committed.

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Outcome } from './command.js';

type Runs = (words: string[], env: Record<string, string>) => string | Promise<string>;

/** What a command has printed, and its exit code where it is not 0. */
export const printed = ({ code, stdout, stderr }: Outcome): string =>
  `${stdout}${stderr}${code === 0 ? '' : `exit code ${code}\n`}`;

/** Expects of each command line of a file what stands below it. */
export async function expectTranscript(file: string, run: Runs): Promise<void> {
  const said: string[] = [];
  for (const [line, before = '', after = ''] of readFileSync(file, 'utf8').matchAll(/^\$ (.*?)cloudemu(?: (.*))?$/gm)) {
    const env = Object.fromEntries(
      before
        .trim()
        .split(' ')
        .filter(Boolean)
        .map((one) => one.split('=')),
    );
    said.push(`${line}\n${await run(after.split(' ').filter(Boolean), env)}`);
  }
  await expect(said.join('\n')).toMatchFileSnapshot(file);
}
