// Takes the circumstances of an incident away, one after the other: what the command fails without is not needed.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeJsonFile } from '../../config/json-file.js';
import type { ScenarioInput } from '../../tools/scenarios/schema.js';

export interface Minimised {
  scenario: ScenarioInput;
  /** How many circumstances were there, and how many are left. */
  before: number;
  after: number;
  runs: number;
}

/** The scenario with what the command needs to fail; or why there is none: it fails without the incident, or not with all of it. */
export function minimised(
  scenario: ScenarioInput,
  command: readonly string[],
): Minimised | 'fails anyway' | 'does not fail' {
  const dir = mkdtempSync(join(tmpdir(), 'cloudemu-minimise-'));
  let runs = 0;
  const fails = (trial: ScenarioInput): boolean => {
    const file = join(dir, `trial-${++runs}.json`);
    // That a fault is gone which the rest waits for is no failure of the client.
    const faults = trial.faults?.map((fault) => ({ ...fault, optional: true }));
    writeJsonFile(file, { ...trial, faults });
    const args = [
      ...process.execArgv,
      process.argv[1] ?? '',
      'run',
      file,
      '--receipt',
      join(dir, 'receipt.json'),
      '--',
      ...command,
    ];
    return spawnSync(process.execPath, args, { stdio: 'ignore' }).status !== 0;
  };
  try {
    if (!fails(scenario)) return 'does not fail';
    let left = scenario;
    const before = circumstancesOf(left).length;
    let none = scenario;
    for (let at = before - 1; at >= 0; at--) none = circumstancesOf(none)[at]?.() ?? none;
    if (fails(none)) {
      // It may be what was there at the beginning.
      const { settings = {}, clock = {} } = scenario;
      if (fails({ settings, clock })) return 'fails anyway';
      return { scenario: none, before, after: 0, runs };
    }
    for (let at = before - 1; at >= 0; at--) {
      const without = circumstancesOf(left)[at]?.();
      if (without !== undefined && fails(without)) left = without;
    }
    return { scenario: left, before, after: circumstancesOf(left).length, runs };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** For each circumstance, the scenario without it. */
function circumstancesOf(scenario: ScenarioInput): (() => ScenarioInput)[] {
  const { faults = [], limits = [], containers = [], data } = scenario;
  const { key: _, ...withoutKey } = data ?? {};
  const others = <Entry>(list: readonly Entry[], one: Entry): Entry[] => list.filter((other) => other !== one);
  return [
    ...faults.map((one) => () => ({ ...scenario, faults: others(faults, one) })),
    ...limits.map((one) => () => ({ ...scenario, limits: others(limits, one) })),
    ...containers
      .filter(({ mode }) => mode != null)
      .map((one) => () => ({ ...scenario, containers: others(containers, one) })),
    ...(data?.key === undefined ? [] : [() => ({ ...scenario, data: withoutKey })]),
  ];
}
