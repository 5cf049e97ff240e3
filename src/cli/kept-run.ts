// The worlds of a run in which something has failed: they are kept with their history, as the emulator ends with the run.

import type { RunningEmulator } from '../app/emulator.js';
import { forgetKept } from '../worlds/kept-worlds.js';
import type { WorldJudgement } from './judged-worlds.js';
import { hanging } from './layout.js';
import type { Line } from './print.js';

/** So many of a run: all runs share a directory, in which 20 stay. */
const mostKept = 5;

/** A world that was kept. */
export interface KeptWorld {
  world: string;
  /** The data directory that it was saved in. */
  dataDir: string;
}

/** Keeps the worlds of a run. */
export function createKeeper(plane: Awaited<ReturnType<RunningEmulator['controlPlane']>>) {
  const kept: KeptWorld[] = [];
  function keep(world: string): void {
    if (kept.length >= mostKept || kept.some((one) => one.world === world)) return;
    const { dataDir } = plane.controlsOf(world).keep();
    if (dataDir !== null) kept.push({ world, dataDir });
  }
  return {
    /** Keeps a world that ends, if something failed in it; other worlds may excuse it later. */
    look({ world, expectations }: WorldJudgement): void {
      if (expectations.some(({ ok, what }) => !ok && what !== 'verdict faults-all-fired')) keep(world);
    },
    /** The worlds in which something failed; all that are still there, if the command has failed. */
    keptOf(judgements: readonly WorldJudgement[], hasFailed: boolean): KeptWorld[] {
      const isOpen = (id: string): boolean =>
        plane
          .controlsOf('default')
          .worlds.list()
          .some((one) => one.id === id);
      const failed = judgements.filter(({ ok, requests }) => requests > 0 && (hasFailed || !ok));
      for (const { world } of failed) if (isOpen(world)) keep(world);
      const hasFailedIn = ({ world }: KeptWorld): boolean => failed.some((one) => one.world === world);
      for (const one of kept) if (!hasFailedIn(one)) forgetKept(one.dataDir);
      return kept.filter(hasFailedIn);
    },
  };
}

/** How to open them. */
export function keptLines(kept: readonly KeptWorld[]): Line[] {
  return kept.flatMap(({ world, dataDir }) => {
    const name = kept.length === 1 ? 'Its world' : `The world ${world}`;
    const [open, look] = ['start --port 0', 'history'].map((words) => `\`cloudemu ${words} --data-dir ${dataDir}\``);
    return hanging([], `${name} is kept: ${open} opens it, ${look} then shows what changed it.`);
  });
}
