// `expectations`, which judges every world of a running emulator, as `run` does at its end.

import type { Fault } from '../../tools/faults/views.js';
import type { ExpectationReport } from '../../tools/scenarios/expectations.js';
import type { WorldInfo } from '../../tools/worlds/request.js';
import { type Command, target, targetOptions } from '../command.js';
import {
  askedOf,
  countedWorlds,
  judged,
  judgementLines,
  judgements,
  type LivedWorld,
  meantWorlds,
  runSum,
  together,
  type WorldJudgement,
} from '../judged-worlds.js';
import { hanging } from '../layout.js';
import { type Line, printJson, tell } from '../print.js';
import type { TargetOptions } from '../target.js';

export const expectationsCommand: Command = {
  words: 'expectations',
  operation: 'control.expectations',
  describe: 'Check whether the clients of every world met the expectations of its scenario',
  flags: { ...target, world: { type: 'string', describe: 'World to judge (default: all worlds)' } },
  examples: [
    ['expectations', 'exit code 1 if an expectation is not met'],
    ['expectations --world blue', 'judges one world'],
  ],
  run: async (values) => {
    const { json, ...options } = targetOptions(values);
    const report = together(await judgedWorlds(options));
    const ok = report.ok && report.requests > 0;
    if (json) printJson({ ...report, ok });
    else tell(...linesOf(report));
    if (!ok) process.exitCode = 1;
  },
};

async function judgedWorlds(options: TargetOptions): Promise<WorldJudgement[]> {
  const { only, worlds, get } = await meantWorlds(options);
  const lifeOf = async ({ id, label }: WorldInfo): Promise<LivedWorld> => {
    const report = await get<ExpectationReport>(id, '/expectations', 'expectations');
    const { faults } = await get<{ faults: Fault[] }>(id, '/faults', 'faults');
    return { judgement: { world: id, label, ...report }, faults };
  };
  const lived = (await askedOf(worlds, lifeOf)).map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  const all = judgements(lived).map((one) => judged(one, 'fail'));
  return countedWorlds(all, only);
}

function linesOf(report: ReturnType<typeof together>): Line[] {
  const [only, ...others] = report.worlds;
  return [
    ...(others.length > 0
      ? []
      : [only?.scenario == null ? 'No scenario: only the verdicts' : `Scenario ${only.scenario}`]),
    ...judgementLines(report),
    ...(report.complete
      ? []
      : ['The journal no longer holds older requests: the setting data.journal says how many it keeps.']),
    ...(report.requests > 0
      ? []
      : hanging([], 'No request came: let your client send its requests to the URL that `cloudemu env` prints.')),
    `${runSum(report)}.`,
  ];
}
