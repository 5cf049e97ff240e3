// Findings as JUnit XML, which CI systems show: of a run, and of an exploration.

import { typedName } from '../core/typed-command.js';
import { visible } from '../core/visible.js';
import { againText } from '../tools/explore/finds.js';
import type { ExploreReport } from '../tools/explore/report.js';
import type { Expectation } from '../tools/scenarios/expectation.js';
import type { WorldJudgement } from './judged-worlds.js';

interface TestCase {
  name: string;
  /** How it failed; without a text there is nothing more to say. */
  failure?: { message: string; type: string; text?: string } | undefined;
  isSkipped?: boolean;
}

interface Suite {
  name: string;
  /** By default that of its name. */
  classname?: string;
  cases: readonly TestCase[];
}

function junitXml(name: string, suites: readonly Suite[], seconds: number, startedAt?: string): string {
  const time = attributes({ time: seconds.toFixed(3) });
  const started = startedAt === undefined ? '' : attributes({ timestamp: startedAt });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name })}${countsOf(suites.flatMap(({ cases }) => cases))}${time}>`,
    ...suites.flatMap((suite) => [
      `  <testsuite${attributes({ name: suite.name })}${countsOf(suite.cases)}${time}${started}>`,
      ...suite.cases.map((one) => `    ${caseXml(one, suite.classname ?? `cloudemu.${suite.name}`)}`),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

function countsOf(cases: readonly TestCase[]): string {
  return attributes({
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure !== undefined).length,
    errors: 0,
    skipped: cases.filter(({ isSkipped }) => isSkipped === true).length,
  });
}

function caseXml({ name, failure, isSkipped }: TestCase, classname: string): string {
  const start = `<testcase${attributes({ classname, name, time: 0 })}`;
  if (isSkipped === true) return `${start}><skipped message="not exercised"/></testcase>`;
  if (failure === undefined) return `${start}/>`;
  const { message, type, text } = failure;
  const head = `<failure${attributes({ message, type })}`;
  return `${start}>${text === undefined ? `${head}/>` : `${head}>${escaped(text)}</failure>`}</testcase>`;
}

export interface JunitReport {
  /** The name of the suites: a scenario. */
  name: string;
  worlds: readonly WorldJudgement[];
  command: {
    line: string;
    exitCode: number;
    /** The text for a command that sent no request. */
    silence: string | undefined;
  };
  /** When it began, ISO 8601. */
  startedAt: string;
  seconds: number;
}

/** A test suite for each world, one test case each expectation; the first suite has one for the command itself. */
export function runJunit({ name, worlds, command, startedAt, seconds }: JunitReport): string {
  const { line, exitCode, silence } = command;
  const message = exitCode === 0 ? silence : `exit code ${exitCode}`;
  const own = { name: `command ${line}`, failure: message === undefined ? undefined : { message, type: 'command' } };
  const suites = worlds.map(({ world, label, expectations }, index) => ({
    name: world === 'default' ? name : (label ?? world),
    cases: [...(index === 0 ? [own] : []), ...expectations.map(caseOf)],
  }));
  return junitXml('cloudemu', suites, seconds, startedAt);
}

function caseOf({ what, ok, expected, actual, evidence }: Expectation): TestCase {
  if (ok) return { name: what, isSkipped: actual === 'not-exercised' };
  const message = `expected ${expected}, was ${actual}`;
  return { name: what, failure: { message, type: 'expectation', text: evidence.map(visible).join('\n') } };
}

type Find = ExploreReport['finds'][number];

/** A suite for each world, a test case for each find; accepted ones and those with the platform's error are no failures. */
export function exploreJunit({ finds, matrix, seconds }: ExploreReport, isFailure: (find: Find) => boolean): string {
  // A report without a test case counts as none in some systems.
  const whole = { name: 'explore', cases: [{ name: `faults at ${matrix.length} operations` }] };
  const labels = [...new Set(finds.map(({ label }) => label))];
  const suites = labels.map((name) => ({
    name,
    classname: `cloudemu.explore.${name}`,
    cases: finds
      .filter(({ label }) => label === name)
      .map((find) => ({ name: `${find.grade} ${find.what}`, failure: isFailure(find) ? failureOf(find) : undefined })),
  }));
  return junitXml('cloudemu explore', [whole, ...suites], seconds);
}

function failureOf({ grade, what, consequences, requests, output, places, scenario }: Find): TestCase['failure'] {
  const text = [
    ...output,
    ...(places.length > 0 ? [`at ${places.join(', ')}`] : []),
    ...consequences.flatMap(({ says, advice }) => [says, advice]),
    ...requests.map(({ at, method, path, status, fault, again }) =>
      `${at} ms ${method} ${path} ${status}${fault === null ? '' : ' (fault)'} ${againText(again)}`.trimEnd(),
    ),
    scenario === null ? '' : `${typedName()} run ${scenario} reproduces it`,
  ].join('\n');
  return { message: consequences[0]?.says ?? what, type: grade, text };
}

/** Attributes of an element, escaped. */
export function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(visible(String(value)))}"`)
    .join('');
}

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** A text in XML. What that may not hold, not even escaped, is shown as a question mark. */
export function escaped(text: string): string {
  return text
    .replace(/[^\t\n\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '?')
    .replace(/[&<>"']/g, (sign) => named[sign] ?? sign);
}
