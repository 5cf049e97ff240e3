// Receipts of what tests have really exercised: what each world saw of its clients, noted at its end.

import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { readJsonFile } from '../config/json-file.js';
import { demandWritable } from '../core/checkout-files.js';
import { wallNow } from '../core/clock.js';
import { packageVersion, whyUnwritten } from '../core/files.js';
import { makeDataDir, markFile, ownDirectory } from '../core/own-directory.js';
import { writePrivately } from '../core/private-files.js';
import { freshInstance } from '../core/random.js';
import { identityOf } from '../core/root.js';
import { faultsIn, type Receipt, receipt, togetherIn } from '../tools/receipt/receipt.js';
import { type WorldReceipt, worldReceiptOf } from '../tools/receipt/world-receipt.js';
import type { WorldInfo } from '../tools/worlds/request.js';
import type { ControlPlane } from './control-plane.js';
import type { Controls } from './controls.js';

const mostRequests = 10_000;
const mostWorlds = 10_000;

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
    wall: wallNow(),
  });
}

/** The run of a command, or of tests. */
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
    at: new Date(wallNow()).toISOString(),
    worlds: counted,
    faults: faults ?? faultsIn(worlds),
  };
}

/** All worlds of an emulator in this process, however many pages of them there are. */
export function allWorlds({ worlds }: Pick<Controls, 'worlds'>): WorldInfo[] {
  const all: WorldInfo[] = [];
  for (let page = worlds.list(); page.length > 0; page = worlds.list({ after: page.at(-1)?.id })) all.push(...page);
  return all;
}

/** Notes the worlds of an emulator at their ends. */
export class ReceiptNotes {
  private readonly startedAt = wallNow();
  private readonly worlds: WorldReceipt[] = [];
  private plane: ControlPlane | undefined;

  /** @param file where the receipt is to be written */
  constructor(private readonly file: string) {}

  /** To be called before any world can end. */
  begin(plane: ControlPlane): void {
    this.plane = plane;
  }

  /** To be called before a world is dropped. */
  onWorldEnd(id: string): void {
    const controls = this.plane?.controlsOf(id);
    if (controls === undefined || this.worlds.length >= mostWorlds) return;
    this.worlds.push(receiptOfWorld({ id, label: controls.worlds.get(id).label }, controls));
  }

  /**
   * Writes the receipt, with the worlds that are still there; only the first call does. Emulators of one run of tests, which
   * may have one for each of their files, write it together.
   *
   * @param onFailure hears why it could not be written
   */
  write(onFailure: (text: string) => void): void {
    const { plane, worlds, startedAt, file } = this;
    if (plane === undefined) return;
    const controls = plane.controlsOf('default');
    const { scenario } = controls.config();
    for (const { id } of allWorlds(controls)) this.onWorldEnd(id);
    this.plane = undefined;
    const seconds = (wallNow() - startedAt) / 1_000;
    const name = typeof scenario === 'string' ? scenario : null;
    const whole = receiptOf({ kind: 'tests', scenario: name, command: [], exitCode: null, seconds, worlds });
    try {
      writeTogether(resolve(file), whole);
    } catch (error) {
      onFailure(`The receipt ${file} ${whyUnwritten(error)}`);
    }
  }
}

/**
 * Names the run of tests that this process belongs to: runners of tests fork processes for their files, or run them in
 * threads.
 */
function runOfTests(): number {
  const isForked = process.connected === true || (process.env.NODE_TEST_CONTEXT ?? '') !== '';
  return isMainThread && isForked ? process.ppid : process.pid;
}

const partNames = /^(\d+-|\.)[\w-]+(\.json)?$/;

// Each emulator writes a part, and then all parts of the run together: whoever comes last sees all of them. No lock is
// needed, as whoever finds further parts afterwards writes once more.
function writeTogether(file: string, own: Receipt): void {
  const parts = `${file}.parts`;
  const run = `${runOfTests()}-`;
  if (basename(dirname(file)) === '.cloudemu') makeDataDir(dirname(file));
  demandWritable(file);
  ownDirectory(parts, partNames);
  for (const name of readdirSync(parts))
    if (!name.startsWith(run) && name !== markFile) rmSync(join(parts, name), { force: true });
  const instance = freshInstance();
  const write = (target: string, value: Receipt): void => {
    const unfinished = join(parts, `.${instance}`);
    writePrivately(unfinished, `${JSON.stringify(value, null, 2)}\n`);
    renameSync(unfinished, target);
  };
  write(join(parts, `${run}${instance}.json`), own);
  const partsNow = (): string[] => readdirSync(parts).filter((name) => name.startsWith(run));
  for (let seen = ''; seen !== partsNow().join(); ) {
    const names = partsNow();
    seen = names.join();
    write(file, togetherIn(names.flatMap((name) => partIn(join(parts, name)))));
  }
}

function partIn(file: string): Receipt[] {
  const reading = readJsonFile(file);
  const parsed = 'problem' in reading ? undefined : receipt.safeParse(reading.value);
  return parsed?.success === true ? [parsed.data] : [];
}
