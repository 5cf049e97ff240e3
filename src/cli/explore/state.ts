// The tries that an exploration had made without harm before it was ended early: the next one of the same command goes on
// after them.

import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { demandNoLinks, readFoundText } from '../../core/checkout-files.js';
import { whyUnread, whyUnwritten } from '../../core/files.js';
import { makeDataDir } from '../../core/own-directory.js';
import { writePrivately } from '../../core/private-files.js';
import { isTree } from '../../core/tree.js';
import { fail, note } from '../print.js';

/** @param about what must be the same for it to go on: command, scenario, seed, all that is to be tried */
export function exploreState(file: string, about: unknown) {
  const key = createHash('sha256').update(JSON.stringify(about)).digest('hex');
  const done = new Set(readDone(file, key));
  return {
    /** The tries that need not be made again. */
    done,
    /** Keeps what has been tried; nothing is kept once nothing is left. */
    save(more: readonly string[], isWhole: boolean): void {
      try {
        demandNoLinks(file);
        if (isWhole) rmSync(file, { force: true });
        else {
          makeDataDir(dirname(file));
          writePrivately(file, JSON.stringify({ key, done: [...done, ...more] }));
        }
      } catch (error) {
        note(`${file} ${whyUnwritten(error)}`);
      }
    },
  };
}

// A file that cannot be read means that all is tried again.
function readDone(file: string, key: string): string[] {
  try {
    const kept: unknown = JSON.parse(readFoundText(file));
    return isTree(kept) && kept.key === key && Array.isArray(kept.done) ? kept.done.map(String) : [];
  } catch {
    return [];
  }
}

// The list of finds that were accepted, `explore.known.json`: names of finds, each with the reason.

export const knownFile = 'explore.known.json';

/** The accepted finds of this directory, with their reasons; none where there is no list. */
export function knownFinds(): ReadonlyMap<string, string> {
  let text: string;
  try {
    text = readFoundText(knownFile);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    fail(2, `${knownFile}: ${whyUnread(error)}`);
  }
  const list = parsed(text);
  const wrong = isTree(list) ? Object.entries(list).find(([, reason]) => typeof reason !== 'string') : undefined;
  if (!isTree(list) || wrong !== undefined)
    fail(2, [
      `${knownFile}${wrong === undefined ? '' : `: "${wrong[0]}"`} must give a reason for each name of a finding:`,
      '  { "deploys-containers.create-1-lost": "the platform has no idempotency key" }',
    ]);
  return new Map(Object.entries(list as Record<string, string>));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    fail(2, `${knownFile} is not JSON: ${(error as Error).message}`);
  }
}
