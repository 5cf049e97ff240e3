// Files of replies: their places, and the problems of one.

import { dirname, join, resolve } from 'node:path';
import { filesIn, fileVersion, fixturePath, folderVersion } from '../core/files.js';
import { memoizeLast } from '../core/memoize-last.js';
import { problemsOf } from '../core/problems.js';
import { inRoot } from '../core/root.js';
import { isTree } from '../core/tree.js';
import { readJsonFile } from './json-file.js';
import { type ReplyFixture, replyFile } from './replies.js';

/** A reply file, with the data that shows whether it was edited. */
export interface ReplySource {
  file: string;
  version: string;
}

/** The folder of a user's own files of replies. */
export function replyFolder({ folder }: { folder: string | null }): string {
  return folder === null ? inRoot('replies') : resolve(folder);
}

const shippedFolder = fixturePath('replies');

/** All files of replies, the user's own before those that are shipped. */
export function replySources(settings: { folder: string | null }): ReplySource[] {
  return [...ownSources(replyFolder(settings)), ...sourcesOf(shippedFiles(folderVersion(shippedFolder)))];
}

// Most users have no files of their own, and an error costs many times what looking for the folder does.
function ownSources(folder: string): ReplySource[] {
  return folderVersion(folder) === undefined ? [] : sourcesOf(jsonFilesIn(folder));
}

// Nobody adds files to the package while it is listed, so the time of its folder tells whether the list is still true.
const shippedFiles = memoizeLast((_version: string | undefined) => jsonFilesIn(shippedFolder));

function jsonFilesIn(folder: string): string[] {
  try {
    return filesIn(folder)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function sourcesOf(files: readonly string[]): ReplySource[] {
  return files.flatMap((file) => {
    const version = fileVersion(file);
    return version === undefined ? [] : [{ file, version }];
  });
}

/** The fixtures in a file of replies, and its problems. */
export function readReplyFile(file: string): { fixtures: ReplyFixture[]; problems: string[] } {
  const reading = readJsonFile(file);
  if ('problem' in reading) return { fixtures: [], problems: [reading.problem] };
  // The shipped folder also has files of other kinds, such as transcripts.
  const isShipped = dirname(file) === shippedFolder;
  if (isShipped && isTree(reading.value) && !('replies' in reading.value)) return { fixtures: [], problems: [] };
  const result = replyFile.safeParse(reading.value);
  if (result.success) return { fixtures: result.data.replies, problems: [] };
  const problems = problemsOf(result.error.issues, reading.value, replyFile).map(
    ({ path, message, suggestion }) =>
      `${path} ${message}${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`,
  );
  return { fixtures: [], problems };
}
