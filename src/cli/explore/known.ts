// The list of finds that were accepted, `explore.known.json`: names of finds, each with the reason.

import { readFoundText } from '../../core/checkout-files.js';
import { whyUnread } from '../../core/files.js';
import { isTree } from '../../core/tree.js';
import { fail } from '../print.js';

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
