// `cloudemu run`: a command against a fresh emulator, with a scenario if one is named, and whether it obeyed the rules and all
// came as the scenario expects.

import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningEmulator, runEmulator } from '../../app/emulator.js';
import { allWorlds, receiptOf, receiptOfWorld } from '../../app/receipts.js';
import { counted } from '../../core/words.js';
import type { WorldReceipt } from '../../tools/receipt/world-receipt.js';
import { forgetKept } from '../../worlds/kept-worlds.js';
import { runChild } from '../child.js';
import { command, durationOf, json, type Rest, settingsFile, type ValuesOf } from '../command.js';
import { runJunit } from '../findings.js';
import { endInterrupted, interruption } from '../interrupt.js';
import {
  countedWorlds,
  failOnChoices,
  judged,
  judgementLines,
  judgements,
  type LivedWorld,
  type RunJudgement,
  reported,
  runSum,
  together,
  unknownWorld,
  type WorldJudgement,
} from '../judged-worlds.js';
import { hanging } from '../layout.js';
import { fail, type Line, note, printJson, tell, writeAsIs } from '../print.js';
import { startOptions } from '../start-options.js';
import { openTestWorlds, variablesOf } from '../test-worlds.js';
import {
  expectedCommand,
  freshSettings,
  keptRequests,
  laterErrors,
  receiptFlag,
  reportedWords,
  silenceText,
  worldFlags,
  writeReceipt,
  writeReport,
} from '../tested-command.js';

const flags = {
  'fail-on': {
    type: 'string',
    default: 'fail',
    choices: failOnChoices,
    describe: 'Verdicts that fail the run: unclear and not-exercised count in addition to fail',
  },
  junit: { type: 'string', describe: 'Write a JUnit XML report to this file' },
  ...receiptFlag,
  world: { type: 'string', describe: 'Judge only this world', byDefault: 'every world of the run' },
  grace: {
    type: 'string',
    default: '10s',
    describe: 'Time that the command has to exit after the first signal; then it is killed',
    isDuration: true,
  },
  ...worldFlags,
  ...settingsFile,
  ...json,
} as const;

export const runCommand = command({
  words: 'run',
  describe: 'Run a command against a new emulator, and judge its requests',
  args: [
    {
      name: 'scenario',
      describe: 'Name or file of the scenario; by default that of the settings, if any',
      required: false,
    },
  ],
  rest: 'command',
  flags,
  exits: 'that of the command where that is not 0',
  examples: [
    ['run -- npm test', 'exit code: that of the command, or 1 if it broke a rule'],
    ['run rough-day -- npm test', 'in a world with failures, whose expectations count, too'],
    ['run ./mine.json --junit report.xml -- npm test', 'for CI'],
  ],
  run,
});

const forTheCommand = { keeping: 'files', isForItself: true } as const;

// Exit code: the command's own if that is not 0, else 1 when something did not come as expected; 130 when it is
// interrupted: nothing is judged then, and no report written.
async function run(options: ValuesOf<typeof flags> & Rest): Promise<void> {
  const { '--': command, json: asJson = false, junit, 'fail-on': failOn, world: only, grace } = options;
  const graceMs = durationOf('--grace', grace, '"10s" or "500ms"');
  const startedAt = new Date();
  const lived: LivedWorld[] = [];
  const receipts: WorldReceipt[] = [];
  let came = 0;
  const codes = new Set<string>();
  const judge = (world: string): WorldJudgement => {
    const controls = plane.controlsOf(world);
    const { faults, requests, scenarios, worlds } = controls;
    const { label } = worlds.get(world);
    receipts.push(receiptOfWorld({ id: world, label }, controls));
    const judgement = { world, label, ...scenarios.expectations() };
    lived.push({ judgement, faults: faults.list() });
    if (mayFail !== undefined)
      for (const code of laterErrors(requests.list({ limit: keptRequests }).requests)) codes.add(code);
    return judged(judgement, failOn);
  };
  const settings = freshSettings(startOptions(options));
  const { scenario } = settings;
  const { limitMs, mayFail, causes, seedOfTests } = expectedCommand(settings, command);
  const config = seedOfTests === undefined ? settings : { ...settings, seed: seedOfTests };
  const emulator = await runEmulator({
    config,
    onRequest: () => came++,
    onWorldEnd: (world) => keeper.look(judge(world)),
    ...forTheCommand,
    onError: (error) => note(String(error)),
  });
  const plane = await emulator.controlPlane();
  const keeper = createKeeper(plane);
  const { env } = plane.controlsOf('default').config();
  const given = { baseUrl: env.baseUrl, seed: String(seedOfTests), env: { ...process.env, ...causes } };
  const tests = seedOfTests === undefined ? undefined : await openTestWorlds(emulator, plane, given);
  let printed = '';
  let isLate = false;
  const interrupted = interruption();
  const close = async (): Promise<void> => {
    tests?.close();
    await emulator.close();
  };
  const exitCode = await runChild(command, {
    env: { ...process.env, ...variablesOf(emulator.url, env, emulator.apiKey), ...causes, ...tests?.env },
    aside: asJson,
    graceMs,
    ...(limitMs !== undefined && { limitMs, onLimit: () => (isLate = true) }),
    ...(mayFail !== undefined && {
      onOutput(text, stream) {
        printed += text;
        writeAsIs(text, asJson ? 'stderr' : stream);
      },
    }),
  }).catch(async (error: unknown): Promise<never> => {
    await close();
    throw error;
  });
  // Requests that the command left open end with it, a moment later.
  await sleep(settlingMs);
  for (const { id } of allWorlds(plane.controlsOf('default'))) judge(id);
  const isExpected = exitCode === 0 || (!isLate && mayFail?.(printed, codes) === true);
  const hasReported = exitCode !== 0 && isExpected;
  const all = judgements(lived).map((one) => judged(hasReported ? reported(one) : one, failOn));
  const meant = countedWorlds(all, only);
  const kept = interrupted.aborted ? [] : keeper.keptOf(meant, !isExpected);
  await close();
  if (interrupted.aborted) endInterrupted(`nothing was judged; the command ended with ${exitCode}.`);
  if (only !== undefined && meant.length === 0) fail(2, unknownWorld(all, only));
  const report = together(meant);
  const words = reportedWords(command, [config.keys.prefix, config.keys.livePrefix]);
  const line = words.join(' ');
  const silence = came > 0 ? undefined : silenceText(env);
  const problem = silence ?? null;
  if (asJson) printJson({ ...report, ok: report.ok && came > 0, problem, scenario, command: words, exitCode, kept });
  else {
    const late = 'did not end in the time that the scenario gives it';
    const end = `\`${line}\` ${isLate ? late : endText(exitCode, mayFail && isExpected)}`;
    tell(...linesOf(scenario, { report, hasFailed: !isExpected, end, silence }), ...keptLines(kept));
  }
  const seconds = (Date.now() - startedAt.getTime()) / 1_000;
  const name = scenario ?? 'run';
  const ended = { line, problem: isExpected ? silence : `exit code ${exitCode}` };
  const tested = { name, worlds: report.worlds, command: ended, startedAt: startedAt.toISOString(), seconds };
  const receipt = receiptOf({ kind: 'run', scenario, command: words, exitCode, seconds, worlds: receipts });
  const isWritten = [
    writeReport(junit, () => runJunit(tested)),
    writeReceipt(receipt, options.receipt, config.data.dir),
  ].every(Boolean);
  process.exitCode = !isExpected ? exitCode : report.ok && came > 0 && isWritten ? 0 : 1;
}

const settlingMs = 50;

/** @param asItMay whether it failed with the error of a fault; undefined: it must not fail */
function endText(exitCode: number, asItMay: boolean | undefined): string {
  if (exitCode === 0 || asItMay === undefined) return `ended with ${exitCode}`;
  const fault = 'with the error of a fault';
  return `ended with ${exitCode}, ${asItMay ? `${fault}, as it may` : `not ${fault}`}`;
}

interface Told {
  report: RunJudgement;
  /** The command failed, and must not. */
  hasFailed: boolean;
  /** How it ended. */
  end: string;
  silence: string | undefined;
}

function linesOf(scenario: string | null, { report, hasFailed, end, silence }: Told): Line[] {
  // What was expected of the requests says nothing of a client that fails.
  const count = counted(report.requests, 'request');
  const isAllThere = hasFailed && report.failed === 0 && report.requests > 0;
  const sum = isAllThere ? `The command failed, after ${count}` : sumOf(scenario, report, count);
  return [
    '',
    ...(scenario === null ? [] : [`Scenario ${scenario}`]),
    ...judgementLines(report, hasFailed),
    ...(report.complete ? [] : [`The journal kept only the last ${keptRequests} requests.`]),
    ...(silence === undefined ? [] : hanging([], silence)),
    ...hanging([], `${sum}; ${end}.`),
  ];
}

// What nobody has called says nothing of the client.
function sumOf(scenario: string | null, report: RunJudgement, count: string): string {
  if (report.failed > 0 || report.requests === 0 || (scenario !== null && report.reached)) return runSum(report);
  const more = scenario === null ? '' : ', but nothing of what the scenario prepares was called';
  return `No rule was broken${more}, in ${count}`;
}

// The worlds of a run in which something has failed: they are kept with their history, as the emulator ends with the run.

/** So many of a run: all runs share a directory, in which 20 stay. */
const mostKept = 5;

/** A world that was kept. */
export interface KeptWorld {
  world: string;
  /** The data directory that it was saved in. */
  dataDir: string;
}

/** Keeps the worlds of a run. */
function createKeeper(plane: Awaited<ReturnType<RunningEmulator['controlPlane']>>) {
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
      const { worlds } = plane.controlsOf('default');
      const isOpen = (id: string): boolean => worlds.list().some((one) => one.id === id);
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
