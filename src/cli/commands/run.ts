// `cloudemu run`: a command against a fresh emulator with a scenario, and whether all came as the scenario expects.

import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../config/load.js';
import type { Config } from '../../config/schema.js';
import type { ExpectationReport } from '../../controls/scenarios/expectations.js';
import { operationIds, type RunningEmulator, runEmulator } from '../../emulator.js';
import { NotStarted, runChild } from '../child.js';
import { expectationLines, expectationSum } from '../expectation-lines.js';
import { failsOn } from '../fail-on.js';
import { junitXml } from '../junit.js';
import { hanging } from '../layout.js';
import { fail, type Line, note, printJson, printLines } from '../print.js';
import type { StartOptions } from '../start-options.js';

export interface RunOptions extends StartOptions {
  /** A name, or a file. */
  scenario: string;
  command: readonly string[];
  /** Where to write the report as JUnit XML. */
  junit: string | undefined;
  /** unclear, not-exercised: rules of which that is the result fail, too. */
  failOn: string;
}

/** Exit code: the command's own if that is not 0, else 1 when something did not come as expected. */
export async function run(options: RunOptions): Promise<void> {
  const { scenario, command, json, junit, failOn } = options;
  const startedAt = new Date();
  const emulator = await runEmulator({ config: settingsOf(options), onError: (error) => note(String(error)) });
  const controls = (await emulator.controlPlane()).controlsOf('default');
  const exitCode = await runIn(emulator, controls.config(), command, json);
  // What the command left open ends with it, a moment later.
  await sleep(settlingMs);
  const report = judged(controls.scenarios.expectations(), failOn);
  await emulator.close();
  const line = command.join(' ');
  if (json) printJson({ ...report, scenario, command, exitCode });
  else printLines(linesOf(scenario, report, `\`${line}\` ended with ${exitCode}`));
  const xml = junitXml({
    name: scenario,
    expectations: report.expectations,
    command: { line, exitCode },
    startedAt: startedAt.toISOString(),
    seconds: (Date.now() - startedAt.getTime()) / 1_000,
  });
  const isWritten = junit === undefined || wrote(junit, xml);
  process.exitCode = exitCode === 0 && !(report.ok && isWritten) ? 1 : exitCode;
}

const settlingMs = 50;
const keptRequests = 100_000;

function settingsOf({ scenario, config: file, flags }: RunOptions): Config {
  const { config, warnings } = loadConfig({
    file,
    env: process.env,
    flags: { ...flags, scenario, port: 0, ephemeral: true, quiet: true },
    operations: operationIds,
  });
  for (const warning of warnings) note(`warning: ${warning}`);
  return {
    ...config,
    server: { ...config.server, host: 'localhost', publicUrl: null },
    data: { ...config.data, journal: Math.max(config.data.journal, keptRequests) },
  };
}

async function runIn(
  { url, apiKey, close }: RunningEmulator,
  { env }: Pick<Config, 'env'>,
  command: readonly string[],
  aside: boolean,
) {
  const told: Record<string, string> = { CLOUDEMU_URL: url, CLOUDEMU_CONTROL: `${url}/_emulator` };
  for (const name of env.baseUrl) told[name] = url;
  for (const name of env.apiKey) told[name] = apiKey;
  try {
    return await runChild(command, { env: { ...process.env, ...told }, aside });
  } catch (error) {
    await close();
    if (error instanceof NotStarted) fail(2, error.message);
    throw error;
  }
}

// Whoever wants to know all for sure takes what is unclear, or was not exercised, for a failure.
function judged(report: ExpectationReport, failOn: string): ExpectationReport {
  const expectations = report.expectations.map((one) =>
    one.ok && one.actual !== 'fail' && failsOn(failOn, one.actual) ? { ...one, ok: false, expected: 'pass' } : one,
  );
  const failed = expectations.filter(({ ok }) => !ok).length;
  return { ...report, ok: failed === 0, failed, passed: expectations.length - failed, expectations };
}

function wrote(file: string, xml: string): boolean {
  try {
    writeFileSync(file, xml);
    return true;
  } catch (error) {
    note(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
    return false;
  }
}

function linesOf(scenario: string, report: ExpectationReport, end: string): Line[] {
  return [
    '',
    `Scenario ${scenario}`,
    ...expectationLines(report.expectations),
    ...(report.complete ? [] : [`The journal kept only the last ${keptRequests} requests.`]),
    ...hanging([], `${expectationSum(report)}; ${end}.`),
  ];
}
