// The receipt of a run, `.cloudemu/receipt.json`: what a command has really exercised.

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Controls } from '../app/controls.js';
import { writeJsonFile } from '../config/json-file.js';
import { identityOf } from '../config/root.js';
import { packageVersion } from '../core/files.js';
import { makeDataDir } from '../core/private-files.js';
import { faultsIn, type Receipt } from '../modules/receipt/receipt.js';
import { type WorldReceipt, worldReceiptOf } from '../modules/receipt/world-receipt.js';
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

const mostRequests = 10_000;

/** What a world has seen of its clients. */
export function receiptOfWorld(world: { id: string; label: string | null }, controls: Controls): WorldReceipt {
  const { requests, total } = controls.requests.list({ limit: mostRequests });
  return worldReceiptOf(world, {
    requests,
    total,
    coverage: controls.coverage(),
    faults: controls.faults.list(),
    verdicts: controls.verdicts().verdicts,
    now: Date.parse(controls.clock.get().now),
    wall: Date.now(),
  });
}

/** The run of a command. */
export interface ReceiptFacts extends Pick<Receipt, 'kind' | 'scenario' | 'command' | 'exitCode' | 'seconds'> {
  /** The worlds at their ends. */
  worlds: readonly WorldReceipt[];
  /** Other faults than the rules of these worlds. */
  faults?: Receipt['faults'];
}

/** The receipt, of the worlds that were used or made for a test. */
export function receiptOf({ worlds, faults, ...facts }: ReceiptFacts): Receipt {
  const counted = worlds.filter(({ label, requests }) => label !== null || requests > 0);
  return {
    ...facts,
    identity: identityOf(process.cwd()),
    version: packageVersion(),
    at: new Date().toISOString(),
    worlds: counted,
    faults: faults ?? faultsIn(worlds),
  };
}

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
    else mkdirSync(dirname(file), { recursive: true });
    writeJsonFile(file, receipt);
  });
  return isWritten || asked === undefined;
}
