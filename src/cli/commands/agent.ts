// `cloudemu agent setup` and `cloudemu agent remove`: the block about cloudemu in the project's AGENTS.md.

import { closeSync, constants, existsSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { demandWritable, readFound, UnsafePath } from '../../core/checkout-files.js';
import { withBlock, withoutBlock } from '../agent-block.js';
import { type Command, json } from '../command.js';
import { fail, printJson, tell } from '../print.js';

const fileName = 'AGENTS.md';

export const agentCommands: readonly Command[] = [
  {
    words: 'agent setup',
    describe: `Write a short block about cloudemu into ${fileName} of this directory`,
    flags: { remove: { type: 'boolean', describe: 'Take it out again, as `cloudemu agent remove` does' }, ...json },
    examples: [['agent setup', 'the rest of the file stays as it is; twice is the same as once']],
    run: (values) => write(values.remove === true, values.json === true),
  },
  {
    words: 'agent remove',
    describe: `Take the block about cloudemu out of ${fileName} again`,
    flags: json,
    examples: [['agent remove', 'the rest of the file stays as it is']],
    run: (values) => write(true, values.json === true),
  },
];

function write(isRemoved: boolean, asJson: boolean): void {
  const file = resolve(fileName);
  const before = readBefore(file);
  const after = isRemoved ? withoutBlock(before) : withBlock(before);
  if (after === undefined)
    fail(
      1,
      `${file} has only one of the two marks of the block, or several: put it right by hand; nothing was written.`,
      {
        code: 'FILE_UNUSABLE',
      },
    );
  const isChanged = after !== before;
  try {
    // A file that held nothing else was made for the block.
    if (isChanged && after === '') rmSync(file);
    else if (isChanged) rewrite(file, Buffer.from(after, 'latin1'));
  } catch (error) {
    failFor(file, error);
  }
  if (asJson) printJson({ file, changed: isChanged });
  else if (isRemoved) tell(isChanged ? `Took the block out of ${file}.` : `${file} has no block of cloudemu.`);
  else
    tell(
      `${isChanged ? 'Wrote the block into' : 'The block is already in'} ${file}. \`cloudemu agent remove\` removes it.`,
    );
}

// As bytes: what is not UTF-8 stays as it is. The block has ASCII alone.
function readBefore(file: string): string {
  try {
    demandWritable(file);
    return existsSync(file) ? readFound(file).toString('latin1') : '';
  } catch (error) {
    return failFor(file, error);
  }
}

// Should a link have taken its place meanwhile, nothing is written. The file keeps its mode.
function rewrite(file: string, content: Buffer): void {
  const handle = openSync(file, writing);
  try {
    writeFileSync(handle, content);
  } finally {
    closeSync(handle);
  }
}

const writing = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);

function failFor(file: string, error: unknown): never {
  const why =
    error instanceof UnsafePath
      ? error.message
      : `${file} cannot be read or written (${(error as NodeJS.ErrnoException).code ?? String(error)}).`;
  return fail(1, why, { code: 'FILE_UNUSABLE' });
}
