// The end of a test's world: the report on it, and whether it is kept.

import type { RemoteControls } from '../app/controls.js';
import { ApiError } from '../core/errors.js';
import type { WorldReport } from '../tools/report/report.js';

export type { WorldReport };

/** What has become of a test. */
export interface FinishOptions {
  /** Whether the test has failed. Default: false; then its client alone decides, as `ok` of the report says. */
  failed?: boolean | undefined;
  /** Whether the world of a failed test is kept for a person to open. Default: true. */
  keepFailed?: boolean | undefined;
}

const looks = 20;

/** Judges a world and reports on it. */
export async function reportOn(controls: RemoteControls): Promise<WorldReport> {
  // A client may have just closed its streams, while the server has not noticed yet.
  for (let look = 1; ; look++) {
    const report = await controls.report();
    if (!report.failed.includes('verdict streams-closed') || look === looks) return report;
  }
}

/** Reports on a world at the end of its test; then keeps it where something is wrong, and otherwise ends it. */
export async function finishWorld(
  controls: RemoteControls,
  end: () => Promise<void>,
  { failed = false, keepFailed = true }: FinishOptions,
): Promise<WorldReport> {
  let stays = false;
  try {
    const report = await reportOn(controls);
    if ((report.ok && !failed) || !keepFailed) return report;
    const { kept, dataDir: _, ...withWay } = await controls.keep();
    stays = kept === 'world';
    return withWay;
  } finally {
    if (!stays) await end();
  }
}

/** Ends a world, which may have ended before. */
export async function endWorld({ worlds }: RemoteControls, id: string): Promise<void> {
  try {
    await worlds.end(id);
  } catch (error) {
    const isGone = error instanceof ApiError && error.code === 'NOT_FOUND';
    if (!isGone) throw error;
  }
}
