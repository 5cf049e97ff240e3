// `cloudemu explore`: every fault that can meet a client, tried one at a time on its own test command.

import { join, relative } from 'node:path';
import { receiptOf } from '../../app/receipts.js';
import { flags } from '../../config/flags.js';
import { writeJsonFile } from '../../config/json-file.js';
import type { Config } from '../../config/schema.js';
import { counted } from '../../core/words.js';
import { tryId } from '../../tools/explore/fault-kinds.js';
import { type Find, scenarioOfFind } from '../../tools/explore/finds.js';
import { modesAlike } from '../../tools/explore/modes-alike.js';
import { pointsOf } from '../../tools/explore/points.js';
import { drawn, planOf } from '../../tools/explore/queue.js';
import { type ExploreReport, keepReport } from '../../tools/explore/report.js';
import type { Receipt } from '../../tools/receipt/receipt.js';
import { foundDir } from '../../tools/scenarios/library.js';
import { NotStarted } from '../child.js';
import { type Command, json, restOf, settingsFile, text, type Values } from '../command.js';
import { exploreAgent } from '../explore/agent.js';
import { runTwice } from '../explore/baseline.js';
import { directCommand } from '../explore/direct.js';
import { endEarly, refuse } from '../explore/ending.js';
import {
  declaredUnder,
  durationOf,
  isAtLeast,
  leastLimitMs,
  mostJobs,
  numberOf,
  settingsOf,
  withWorlds,
} from '../explore/given.js';
import { exploreJunit } from '../explore/junit.js';
import { knownFinds } from '../explore/known.js';
import { exploreLines, exploreReport, isThin } from '../explore/lines.js';
import { type Once, type OnceOptions, runOnce } from '../explore/once.js';
import { explorePage } from '../explore/page.js';
import { createProgress } from '../explore/progress.js';
import { search } from '../explore/search.js';
import { exploreState } from '../explore/state.js';
import { runsOf, warmCommand } from '../explore/warm-check.js';
import { endInterrupted, interruption } from '../interrupt.js';
import { fail, printJson, tell } from '../print.js';
import { receiptFlag, writeReceipt } from '../receipt.js';
import { startOptions } from '../start-options.js';
import {
  attempt,
  reportedWords,
  scenarioDocument,
  silenceText,
  usualSeed,
  worldFlags,
  writeReport,
} from '../tested-command.js';

const failOnGrades = ['A', 'B', 'C', 'D', 'never'] as const;

export const exploreCommand: Command = {
  words: 'explore',
  describe: 'Run your tests with every fault that a client can meet, and report what it does wrong',
  rest: 'command',
  flags: {
    scenario: { type: 'string', describe: 'Name or file of the scenario that worlds begin with' },
    budget: { type: 'string', default: '5m', describe: 'Time for all runs, also those that confirm', isDuration: true },
    depth: {
      type: 'string',
      default: '1',
      choices: ['1', '2'],
      describe:
        'Number of faults per run: 1, or 2, which also tries a second one in the requests that follow the first',
    },
    full: { type: 'boolean', describe: 'Try every request, also those that are like others' },
    sample: { type: 'string', describe: 'Number of faults to try, drawn by --seed', byDefault: 'all' },
    agent: { type: 'boolean', describe: 'The command is an agent: try what leaves it in doubt, several times each' },
    repeat: { type: 'string', describe: 'With --agent: number of runs for each fault', byDefault: '3' },
    runs: { type: 'string', describe: 'With --agent: number of runs after which no further one begins' },
    compare: { type: 'string', describe: 'With --agent: a report by --json, to say what became better or worse' },
    all: { type: 'boolean', describe: 'Also show tests that fail with the platform’s own error' },
    'fail-on': {
      type: 'string',
      default: 'C',
      choices: failOnGrades,
      describe: 'Grade of findings that sets exit code 1; worse grades do, too',
    },
    junit: { type: 'string', describe: 'Write a JUnit XML report to this file' },
    html: { type: 'string', describe: 'Write an HTML report to this file' },
    ...receiptFlag,
    jobs: {
      type: 'string',
      describe: 'Number of runs at a time',
      byDefault: 'as many as keep the cores busy, by what the command computes',
    },
    ...worldFlags,
    seed: { ...flags.seed, byDefault: usualSeed },
    ...settingsFile,
    ...json,
  },
  exits: '3 too little was tried to say that nothing is wrong',
  examples: [
    ['explore -- npm test', 'the worst comes first; exit code 1 if the client does worse than report an error'],
    ['explore --budget 1m --fail-on A -- npm test', 'for CI'],
    ['explore --agent --repeat 5 -- node agent.mjs', 'how often an agent recovers when it is left in doubt'],
  ],
  run(values) {
    requireMeaning(values);
    return values.agent === true ? exploreAgent(optionsOf(values)) : explore(optionsOf(values));
  },
};

const ofAgents = ['repeat', 'runs', 'compare'];
const ofTests = ['sample', 'all', 'junit', 'html'];

// A flag that would do nothing is refused.
function requireMeaning(values: Values): void {
  const isAgent = values.agent === true;
  const names = isAgent ? [...ofTests, ...(values.depth === '1' ? [] : ['depth'])] : ofAgents;
  const [idle] = names.filter((name) => values[name] !== undefined && values[name] !== false);
  if (idle !== undefined) fail(2, `--${idle} means nothing ${isAgent ? 'with' : 'without'} --agent: leave it out`);
}

function optionsOf(values: Values) {
  return {
    ...startOptions(values),
    command: restOf(values),
    scenario: text(values, 'scenario'),
    budget: String(values.budget),
    depth: String(values.depth),
    full: values.full === true,
    sample: text(values, 'sample'),
    agent: values.agent === true,
    repeat: text(values, 'repeat'),
    runs: text(values, 'runs'),
    compare: text(values, 'compare'),
    all: values.all === true,
    failOn: String(values['fail-on']),
    jobs: text(values, 'jobs'),
    junit: text(values, 'junit'),
    html: text(values, 'html'),
    receipt: text(values, 'receipt'),
  };
}

type ExploreOptions = ReturnType<typeof optionsOf>;

// Exit code: 1 for finds of the grade of `failOn` or above, 2 when the command fails without faults, 3 when too little was
// tried to say that there is nothing, 130 when it is interrupted: what was found until then is printed, and the next call
// goes on after it; no report is replaced.
async function explore(options: ExploreOptions): Promise<void> {
  const { command } = options;
  const begun = performance.now();
  const deadline = begun + durationOf('--budget', options.budget);
  const config = settingsOf(options);
  // As in the scenarios of its findings, so that ids are the same there: a fault may be for a key that the client creates.
  const document = { ...scenarioDocument(config, options.scenario), seed: String(config.seed) };
  const asked = numberOf('--jobs', options.jobs, 'runs', mostJobs);
  const sample = numberOf('--sample', options.sample, 'faults');
  const known = knownFinds();
  const progress = createProgress();
  const words = reportedWords(command, [config.keys.prefix, config.keys.livePrefix]);
  const interrupted = interruption();
  try {
    progress.show('Runs the command twice without faults');
    const direct = await directCommand(command, { interrupted });
    const runWith = (scenario: object, how: Pick<OnceOptions, 'worldPerTest' | 'limit' | 'runner' | 'tests'>) =>
      runOnce({ config, command: direct, scenario, interrupted, ...how });
    // What is cut off by the end of the budget shows nothing.
    const runInTime: typeof runWith = async (scenario, how) => {
      const leftMs = Math.max(0, deadline - performance.now());
      const { limit } = how;
      const mostMs = Math.min(limit?.mostMs ?? Infinity, leftMs);
      const once = await runWith(scenario, { ...how, ...(limit && { limit: { ...limit, mostMs } }) });
      return once?.isTimeout === true && performance.now() >= deadline ? undefined : once;
    };
    const twice = await runTwice((worldPerTest) => runWith(document, { worldPerTest }), asked);
    if (twice === undefined) return endEarly(progress);
    const { runs: baseline, jobs, worldPerTest } = twice;
    for (const { exitCode, output, worlds } of baseline) {
      if (exitCode !== 0)
        return refuse(progress, `Without any fault \`${words.join(' ')}\` ends with ${exitCode}:`, output);
      if (worlds.size === 0) return refuse(progress, silenceText(config.env), output);
    }
    const declared = declaredUnder(config, document);
    const limitMs = Math.max(leastLimitMs, ...baseline.map(({ seconds }) => seconds * 3_000));
    const found = pointsOf([...baseline[0].worlds.values()], [...baseline[1].worlds.values()], declared);
    const plan = planOf(found.points, modesAlike(), options.full);
    // Pairs follow from what first faults showed, so that those are tried again.
    const isDeep = options.depth === '2';
    const about = [command, document, config.seed, options.full, plan.tries.map(tryId)];
    const state = exploreState(join(config.data.dir, 'explore.json'), about);
    const all = isDeep ? plan.tries : plan.tries.filter((one) => !state.done.has(tryId(one)));
    const tries = sample === undefined ? all : drawn(all, sample, String(config.seed));
    const warm = await warmCommand(twice, direct, (how) => runInTime(document, how), tries.length, progress.note);
    const searched = await search({
      baseline,
      tries,
      depth: isDeep ? 2 : 1,
      full: options.full,
      declared,
      jobs,
      plain: warm === undefined ? baseline : [warm.plain],
      run: runsOf(warm, (worlds, how) => runInTime(withWorlds(document, worlds), { worldPerTest, ...how })),
      isOver: (stillMs) => interrupted.aborted || performance.now() + stillMs >= deadline,
      onProgress: ({ done, all, runs, found: count, doing }) =>
        progress.show(
          `${done} of ${all} faults tried, ${counted(runs, 'run')}, ${counted(count, 'finding')}: ${doing}`,
        ),
    });
    await warm?.end();
    progress.end();
    const harmless = searched.results.filter(({ outcome }) => outcome === 'ok').map(({ tried }) => tryId(tried));
    if (!isDeep) state.save(harmless, searched.notTried.length === 0 && tries.length === all.length);
    nameApart(searched.finds.map(({ find }) => find));
    const files = new Map(
      searched.finds
        .filter(({ find }) => find.grade !== 'E')
        .map(({ find, tried, base }) => {
          const scenario = scenarioOfFind(tried, find, base, {
            command: words.join(' '),
            seed: String(config.seed),
            limitMs,
            scenario: document,
            bases: searched.bases,
            worldPerTest,
          });
          return [find.name, keep(config, find.name, scenario)] as const;
        }),
    );
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    const report = exploreReport({
      searched,
      isInterrupted: interrupted.aborted,
      before: plan.tries.length - all.length,
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
    if (error instanceof NotStarted) fail(2, error.message, { code: 'NOT_STARTED' });
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
function print(report: ExploreReport, { json, all, junit, html, failOn }: ExploreOptions, isNoted: boolean): void {
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

// Tests of one name, and long names, may have finds of one name.
function nameApart(finds: readonly Find[]): void {
  const taken = new Set<string>();
  for (const find of finds) {
    const { name } = find;
    for (let number = 2; taken.has(find.name); number++) find.name = `${name.slice(0, 61)}-${number}`;
    taken.add(find.name);
  }
}

function keep({ data }: Config, name: string, scenario: object): string {
  const directory = foundDir(data);
  const file = join(directory, `${name}.json`);
  attempt(file, () => writeJsonFile(file, scenario));
  return relative(process.cwd(), file);
}
