// `cloudemu explore`: every fault that can meet a client, tried one at a time on its own test command.

import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { receiptOf } from '../../app/receipts.js';
import { writeJsonFile } from '../../config/json-file.js';
import type { Config } from '../../config/schema.js';
import { tryId } from '../../tools/explore/fault-kinds.js';
import { type FoundContext, scenarioOfFind } from '../../tools/explore/finds.js';
import { modesAlike } from '../../tools/explore/modes-alike.js';
import { pointsOf } from '../../tools/explore/points.js';
import { drawn, planOf } from '../../tools/explore/queue.js';
import { type ExploreReport, keepReport } from '../../tools/explore/report.js';
import type { Receipt } from '../../tools/receipt/receipt.js';
import { foundDir } from '../../tools/scenarios/library.js';
import { command, durationOf, numberOf } from '../command.js';
import { exploreAgent } from '../explore/agent.js';
import {
  declaredUnder,
  type ExploreOptions,
  exploreFlags,
  isAtLeast,
  leastLimitMs,
  mostJobs,
  settingsOf,
  withWorlds,
} from '../explore/given.js';
import { exploreLines, exploreReport, isThin } from '../explore/lines.js';
import { type Once, type OnceOptions, runOnce, runTwice, warmCommand } from '../explore/once.js';
import { explorePage } from '../explore/page.js';
import { createProgress, demandSound, endEarly } from '../explore/progress.js';
import { type Search, search } from '../explore/search.js';
import { exploreState, knownFinds } from '../explore/state.js';
import type { Runner } from '../explore/warm.js';
import { exploreJunit } from '../findings.js';
import { endInterrupted, interruption } from '../interrupt.js';
import { fail, printJson, tell } from '../print.js';
import { startOptions } from '../start-options.js';
import { attempt, reportedWords, scenarioDocument, writeReceipt, writeReport } from '../tested-command.js';

/** What it takes to end a run that goes on, and to report. */
const endingMs = 2_000;

/** Fewer are tried sooner than it is known whether the tests can run in one process. */
const fewestTries = 10;

export const exploreCommand = command({
  words: 'explore',
  describe: 'Run your tests with every fault that a client can meet, and report what it does wrong',
  rest: 'command',
  flags: exploreFlags,
  exits: '3 too little was tried to say that nothing is wrong',
  examples: [
    ['explore -- npm test', 'the worst comes first; exit code 1 if the client does worse than report an error'],
    ['explore --budget 1m --fail-on A -- npm test', 'for CI'],
    ['explore --agent --repeat 5 -- node agent.mjs', 'how often an agent recovers when it is left in doubt'],
  ],
  run(values) {
    requireMeaning(values);
    return values.agent ? exploreAgent(values) : explore(values);
  },
});

const ofAgents = ['repeat', 'runs', 'compare'] as const;
const ofTests = ['sample', 'all', 'junit', 'html'] as const;

// A flag that would do nothing is refused, and a budget for nothing.
function requireMeaning(values: ExploreOptions): void {
  const { agent, depth, budget } = values;
  if (durationOf('--budget', budget) === 0) fail(2, `--budget must be more than 0, got "${budget}"`);
  const names = agent ? [...ofTests, ...(depth === '1' ? [] : (['depth'] as const))] : ofAgents;
  const idle = names.find((name) => values[name]);
  if (idle !== undefined) fail(2, `--${idle} means nothing ${agent ? 'with' : 'without'} --agent: leave it out`);
}

// Exit code: 1 for finds of the grade of `failOn` or above, 2 when the command fails without faults, 3 when too little was
// tried to say that there is nothing, 130 when it is interrupted: what was found until then is printed, and the next call
// goes on after it; no report is replaced.
async function explore(options: ExploreOptions): Promise<void> {
  const { '--': command, full = false } = options;
  const begun = performance.now();
  const deadline = begun + durationOf('--budget', options.budget) - endingMs;
  const config = settingsOf(startOptions(options));
  // As in the scenarios of its findings, so that ids are the same there: a fault may be for a key that the client creates.
  const seed = String(config.seed);
  const document = { ...scenarioDocument(config, options.scenario), seed };
  const jobs = numberOf('--jobs', options.jobs, 'runs', mostJobs) ?? availableParallelism();
  const sample = numberOf('--sample', options.sample, 'faults');
  const known = knownFinds();
  const progress = createProgress();
  const words = reportedWords(command, [config.keys.prefix, config.keys.livePrefix]);
  const interrupted = interruption();
  try {
    progress.show('Runs the command twice without faults');
    const runWith = (scenario: object, how: Pick<OnceOptions, 'worldPerTest' | 'limit' | 'runner'>) =>
      runOnce({ config, command, scenario, interrupted, ...how });
    // What is cut off by the end of the budget shows nothing.
    const runInTime: typeof runWith = async (scenario, how) => {
      const leftMs = Math.max(0, deadline - performance.now());
      const limit = how.limit && { ...how.limit, mostMs: Math.min(how.limit.mostMs, leftMs) };
      const once = await runWith(scenario, { ...how, limit });
      return once?.isTimeout === true && performance.now() >= deadline ? undefined : once;
    };
    const twice = await runTwice((worldPerTest) => runWith(document, { worldPerTest }), jobs);
    if (twice === undefined) return endEarly(progress);
    const { runs: baseline, worldPerTest } = twice;
    for (const once of baseline) demandSound(once, words, config, progress, options.scenario);
    const declared = declaredUnder(config, document);
    const limitMs = Math.max(leastLimitMs, ...baseline.map(({ seconds }) => seconds * 3_000));
    const found = pointsOf([...baseline[0].worlds.values()], [...baseline[1].worlds.values()], declared);
    const plan = planOf(found.points, modesAlike(), full);
    // Pairs follow from what first faults showed, so that those are tried again.
    const isDeep = options.depth === '2';
    const about = [command, document, config.seed, full, plan.tries.map(tryId)];
    const state = exploreState(join(config.data.dir, 'explore.json'), about);
    const all = isDeep ? plan.tries : plan.tries.filter((one) => !state.done.has(tryId(one)));
    const tries = sample === undefined ? all : drawn(all, sample, seed);
    const plain: Parameters<typeof warmCommand>[2] = (how) => runInTime(document, { worldPerTest, ...how });
    const isShort = worldPerTest || tries.length < fewestTries;
    const warm = isShort ? undefined : await warmCommand(command, baseline, plain, progress.note);
    const searched = await search({
      baseline,
      tries,
      depth: isDeep ? 2 : 1,
      full,
      declared,
      jobs,
      plain: warm === undefined ? baseline : [warm.plain],
      // What is found is seen once more as the command is.
      run(worlds, limit, isAgain) {
        const run = (runner?: Runner) => runInTime(withWorlds(document, worlds), { worldPerTest, limit, runner });
        return warm === undefined || isAgain ? run() : warm.runners.lend(run);
      },
      leftMs: () => (interrupted.aborted ? 0 : deadline - performance.now()),
      onProgress: progress.show,
    });
    await warm?.runners.end();
    progress.end();
    const harmless = searched.results.flatMap(({ one, tried }) =>
      tried?.consequences.length === 0 ? [tryId(one)] : [],
    );
    if (!isDeep) state.save(harmless, searched.notTried.length === 0 && tries.length === all.length);
    const { bases } = searched;
    const context = { command: words.join(' '), seed, limitMs, scenario: document, bases, worldPerTest };
    const files = keepFinds(config, searched, context);
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    const report = exploreReport({
      searched,
      interrupted: interrupted.aborted,
      triedBefore: plan.tries.length - all.length,
      found,
      plan,
      files,
      known,
      command: words,
      seconds,
      first: baseline[0],
    });
    if (!report.interrupted)
      attempt(config.data.dir, () => keepReport(config.data.dir, { at: new Date().toISOString(), report }));
    const isNoted =
      report.interrupted || writeReceipt(receiptOfSearch(report, baseline[0]), options.receipt, config.data.dir);
    print(report, options, isNoted);
  } catch (error) {
    progress.end();
    throw error;
  }
}

function receiptOfSearch({ command, seconds, tried, notMet }: ExploreReport, { receipts, exitCode }: Once): Receipt {
  return receiptOf({
    kind: 'explore',
    scenario: null,
    command,
    exitCode,
    seconds,
    worlds: receipts,
    faults: { armed: tried + notMet.length, fired: tried, neverFired: notMet },
  });
}

// Prints and writes the report, and sets the exit code.
function print(report: ExploreReport, options: ExploreOptions, isNoted: boolean): void {
  const { json, all = false, junit, html, 'fail-on': failOn } = options;
  if (!json) tell(...exploreLines(report, all));
  else if (!report.interrupted) printJson(report);
  if (report.interrupted)
    endInterrupted('the next call goes on after what was tried; the last report stays.', { ...report });
  const isFailure = (find: (typeof report.finds)[number]): boolean =>
    find.known === null && isAtLeast(find.grade, failOn);
  const isWritten = [
    isNoted,
    writeReport(junit, () => exploreJunit(report, isFailure)),
    writeReport(html, () => explorePage(report, all)),
  ].every(Boolean);
  process.exitCode = report.finds.some(isFailure) || !isWritten ? 1 : isThin(report) ? 3 : 0;
}

// Writes a scenario for each find; returns the files by the names of finds. Tests of one name, and long names, may have finds of
// one name.
function keepFinds({ data }: Config, { finds }: Search, context: FoundContext): Map<string, string> {
  const taken = new Set<string>();
  const files = new Map<string, string>();
  for (const { find, tried, base } of finds) {
    const { name } = find;
    for (let number = 2; taken.has(find.name); number++) find.name = `${name.slice(0, 61)}-${number}`;
    taken.add(find.name);
    if (find.grade === 'E') continue;
    const file = join(foundDir(data), `${find.name}.json`);
    attempt(file, () => writeJsonFile(file, scenarioOfFind(tried, find, base, context)));
    files.set(find.name, relative(process.cwd(), file));
  }
  return files;
}
