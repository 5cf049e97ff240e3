// The files of drift/ in the project.

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readJsonFile, writeJsonFile } from '../../config/json-file.js';
import { demandWritable, readFoundText } from '../../core/checkout-files.js';
import { whyUnwritten } from '../../core/files.js';
import { makeDirectory, privateFile } from '../../core/private-files.js';
import { problemsOf } from '../../core/problems.js';
import { rootOf } from '../../core/root.js';
import { fail } from '../print.js';
import { isAlive } from '../run-file.js';
import { type Journal, journalFile } from './account.js';

export const observedFile = z.object({
  profile: z.string(),
  questions: z.record(
    z.string(),
    z.object({ facts: z.record(z.string(), z.array(z.string())), runs: z.int(), first: z.string(), last: z.string() }),
  ),
});

/** The file drift/observed.json. */
export type Observed = z.output<typeof observedFile>;

const folder = (): string => join(rootOf(process.cwd()), 'drift');

export const fileOf = (name: string): string => join(folder(), name);

/** What a file holds; undefined: there is none. One that is damaged ends the command. */
export function stored<Output>(name: string, schema: z.ZodType<Output>): Output | undefined {
  const file = fileOf(name);
  if (!existsSync(file)) return undefined;
  const reading = readJsonFile(file);
  const end = (why: string): never => fail(2, `${file}: ${why}`, { code: 'USAGE', field: `drift/${name}` });
  if ('problem' in reading) return end(reading.problem);
  const parsed = schema.safeParse(reading.value);
  if (parsed.success) return parsed.data;
  const [first] = problemsOf(parsed.error.issues, reading.value, schema);
  return end(`${first?.path} ${first?.message}`);
}

export function save(name: string, value: object): void {
  try {
    writeJsonFile(fileOf(name), value);
  } catch (error) {
    fail(1, `${fileOf(name)} ${whyUnwritten(error)}`, { code: 'FILE_UNUSABLE' });
  }
}

export const journalName = (run: string): string => `undo-${run.slice('drift-'.length)}.json`;

/** What earlier runs have left to be removed. */
export function journals(): Journal[] {
  const names = existsSync(folder()) ? readdirSync(folder()) : [];
  return names
    .filter((name) => /^undo-[0-9a-f]{8}\.json$/.test(name))
    .flatMap((name) => stored(name, journalFile) ?? []);
}

export const removeJournal = (run: string): void => rmSync(fileOf(journalName(run)), { force: true });

const lockName = 'run.lock';

/**
 * Lets no other run of this project begin until the end of the work.
 *
 * @throws what the work throws
 */
export async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
  const file = fileOf(lockName);
  try {
    demandWritable(file);
    makeDirectory(folder(), 0o777);
    take(file);
  } catch (error) {
    fail(1, `${file} ${whyUnwritten(error)}`, { code: 'FILE_UNUSABLE' });
  }
  const release = (): void => rmSync(file, { force: true });
  // A command that ends early runs no `finally`.
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

function take(file: string): void {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx', mode: privateFile });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const holder = Number(readFoundText(file).slice(0, 20));
    if (holder > 0 && isAlive(holder))
      fail(1, `Another run of drift is under way (process ${holder}, by ${file}): wait for its end`);
    // Its process was killed.
    rmSync(file, { force: true });
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx', mode: privateFile });
  }
}
