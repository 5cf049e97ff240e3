// Files of replies: their places, and the problems of one.

import { dirname, join, resolve } from 'node:path';
import { filesIn, fileVersion, fixturePath } from '../core/files.js';
import { problemsOf } from '../core/problems.js';
import { isTree } from '../core/tree.js';
import { readJsonFile } from './file.js';
import { type ReplyFixture, replyFile } from './replies.js';

/** A reply file, with the data that shows whether it was edited. */
export interface ReplySource {
  file: string;
  version: string;
}

/** Where a user's own files of replies lie. */
export function replyFolder({ folder }: { folder: string | null }): string {
  return resolve(folder ?? 'replies');
}

/** All files of replies, the user's own before those that are shipped. */
export function replySources(settings: { folder: string | null }): ReplySource[] {
  return [replyFolder(settings), fixturePath('replies')].flatMap(sourcesIn);
}

function sourcesIn(folder: string): ReplySource[] {
  let names: string[];
  try {
    names = filesIn(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .flatMap((name) => {
      const file = join(folder, name);
      const version = fileVersion(file);
      return version === undefined ? [] : [{ file, version }];
    });
}

/** What is in a file of replies, and what is wrong with it. */
export function readReplyFile(file: string): { fixtures: ReplyFixture[]; problems: string[] } {
  const reading = readJsonFile(file);
  if ('problem' in reading) return { fixtures: [], problems: [reading.problem] };
  // What is shipped there answers others, too.
  const isShipped = dirname(file) === fixturePath('replies');
  if (isShipped && isTree(reading.value) && !('replies' in reading.value)) return { fixtures: [], problems: [] };
  const result = replyFile.safeParse(reading.value);
  if (result.success) return { fixtures: result.data.replies, problems: [] };
  const problems = problemsOf(result.error.issues, reading.value, replyFile).map(
    ({ path, message, suggestion }) =>
      `${path} ${message}${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`,
  );
  return { fixtures: [], problems };
}
