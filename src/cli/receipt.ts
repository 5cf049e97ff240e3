// The receipt of a run, `.cloudemu/receipt.json`: what a command has really exercised.

import { join } from 'node:path';
import { writeJsonFile } from '../config/json-file.js';
import { makeDataDir } from '../core/own-directory.js';
import type { Receipt } from '../tools/receipt/receipt.js';
import type { Flag } from './command.js';
import { attempt } from './tested-command.js';

export const receiptFile = 'receipt.json';

export const receiptFlag: Record<string, Flag> = {
  receipt: {
    type: 'string',
    describe: 'Write the receipt of what was exercised to this file',
    byDefault: '.cloudemu/receipt.json',
  },
};

/**
 * Writes a receipt, and says why it cannot.
 *
 * @param asked the file that somebody named; undefined: the usual one in the data directory
 * @returns false if a file that was asked for is not there
 */
export function writeReceipt(receipt: Receipt, asked: string | undefined, dataDir: string): boolean {
  const file = asked ?? join(dataDir, receiptFile);
  const isWritten = attempt(file, () => {
    if (asked === undefined) makeDataDir(dataDir);
    writeJsonFile(file, receipt);
  });
  return isWritten || asked === undefined;
}
