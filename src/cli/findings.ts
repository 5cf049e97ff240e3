// What a judgement found: a rule, an expectation, a fault of an exploration, a receipt that proves nothing. One form for all,
// with a writer for people and one for JUnit.

import { typedName } from '../core/typed-command.js';
import { visible } from '../core/visible.js';
import { againText } from '../tools/explore/finds.js';
import type { ExploreReport } from '../tools/explore/report.js';
import type { Expectation } from '../tools/scenarios/expectation.js';
import type { Verdict } from '../tools/verdicts/verdict.js';
import { hanging, padded, statusPart, widthOf } from './layout.js';
import type { Line } from './print.js';

export interface Finding {
  /** What was judged: the name of a rule or an expectation, or the fault at a request. */
  rule: string;
  /** The outcome of a rule, or the grade of a find. */
  result: string;
  /** One sentence. */
  says: string;
  /** What shows it, a line each. */
  evidence: readonly string[];
}

/** An expectation; of a rule that was broken, the first line says how. */
export function ofExpectation({ what: rule, ok, expected, actual, evidence }: Expectation): Finding {
  const came = actual.replace('not-exercised', 'not exercised');
  if (ok) {
    const result = actual === 'not-exercised' || actual === 'unclear' ? actual : 'pass';
    return { rule, result, says: actual === result ? '' : actual === 'fail' ? 'fail, as it may' : came, evidence: [] };
  }
  const [summary, ...rest] = evidence;
  if (rule.startsWith('verdict ') && actual === 'fail' && summary !== undefined)
    return { rule, result: 'fail', says: summary, evidence: rest };
  return { rule, result: 'fail', says: `${came}, expected ${expected}`, evidence };
}

export function ofVerdict({ rule, verdict: result, summary: says, evidence, furtherEvidence }: Verdict): Finding {
  const lines = evidence.map(({ requestId, at, method, path, message }) =>
    requestId === null ? message : `${at} ${requestId} ${method} ${path}: ${message}`,
  );
  return { rule, result, says, evidence: furtherEvidence > 0 ? [...lines, `and ${furtherEvidence} more`] : lines };
}

const hasFailed = ({ result }: Finding): boolean => !['pass', 'unclear', 'not-exercised'].includes(result);

const shownEvidence = 4;
const order: readonly string[] = ['fail', 'unclear', 'pass', 'not-exercised'];

/** Findings for people, failures first: a line each, and below it what shows it. */
export function findingLines(findings: readonly Finding[]): Line[] {
  const sorted = order.flatMap((wanted) => findings.filter(({ result }) => result === wanted));
  const widest = (of: (one: Finding) => string): number => Math.max(...sorted.map((one) => widthOf(of(one))));
  const [results, rules] = [widest(({ result }) => result), widest(({ rule }) => rule)];
  return sorted.flatMap(({ rule, result, says, evidence }) => {
    // What more there is may be a line of its own.
    const [, further = 1] = /^and (\d+) more$/.exec(evidence.at(-1) ?? '') ?? [];
    const hidden = evidence.length - shownEvidence + Number(further) - 1;
    const shown =
      hidden > 1 ? [...evidence.slice(0, shownEvidence), `and ${hidden} more (--json shows them)`] : evidence;
    return [
      ...hanging([statusPart(result.replace('-', ' '), results), `  ${padded(rule, rules)}  `], says),
      ...shown.flatMap((line) => hanging(['    '], line)),
    ];
  });
}

interface Suite {
  name: string;
  /** By default that of its name. */
  classname?: string;
  findings: readonly Finding[];
}

function junitXml(name: string, suites: readonly Suite[], seconds: number, startedAt?: string): string {
  const time = attributes({ time: seconds.toFixed(3) });
  const started = startedAt === undefined ? '' : attributes({ timestamp: startedAt });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name })}${countsOf(suites.flatMap(({ findings }) => findings))}${time}>`,
    ...suites.flatMap((suite) => [
      `  <testsuite${attributes({ name: suite.name })}${countsOf(suite.findings)}${time}${started}>`,
      ...suite.findings.map((one) => `    ${caseXml(one, suite.classname ?? `cloudemu.${suite.name}`)}`),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

const countsOf = (findings: readonly Finding[]): string =>
  attributes({
    tests: findings.length,
    failures: findings.filter(hasFailed).length,
    errors: 0,
    skipped: findings.filter(({ result }) => result === 'not-exercised').length,
  });

function caseXml(finding: Finding, classname: string): string {
  const { rule: name, result, says, evidence } = finding;
  const start = `<testcase${attributes({ classname, name, time: 0 })}`;
  if (result === 'not-exercised') return `${start}><skipped message="not exercised"/></testcase>`;
  if (!hasFailed(finding)) return `${start}/>`;
  const head = `<failure${attributes({ message: says, type: result })}`;
  const text = evidence.map(visible).join('\n');
  return `${start}>${text === '' ? `${head}/>` : `${head}>${escaped(text)}</failure>`}</testcase>`;
}

/** The run of a command, with the findings of its worlds. */
export interface JudgedRun {
  /** The name of the suites: a scenario. */
  name: string;
  worlds: readonly { world: string; label: string | null; expectations: readonly Expectation[] }[];
  /** `problem` is why it counts as a failure, if it does. */
  command: { line: string; problem: string | undefined };
  /** When it began, ISO 8601. */
  startedAt: string;
  seconds: number;
}

/** A test suite for each world, one test case each expectation; the first suite has one for the command itself. */
export function runJunit({ name, worlds, command: { line, problem }, startedAt, seconds }: JudgedRun): string {
  const result = problem === undefined ? 'pass' : 'command';
  const own = { rule: `command ${line}`, result, says: problem ?? '', evidence: [] };
  const suites = worlds.map(({ world, label, expectations }, index) => ({
    name: world === 'default' ? name : (label ?? world),
    findings: [...(index === 0 ? [own] : []), ...expectations.map(ofExpectation)],
  }));
  return junitXml('cloudemu', suites, seconds, startedAt);
}

type Find = ExploreReport['finds'][number];

/** A suite for each world, a test case for each find; accepted ones and those with the platform's error are no failures. */
export function exploreJunit({ finds, matrix, seconds }: ExploreReport, isFailure: (find: Find) => boolean): string {
  // A report without a test case counts as none in some systems.
  const whole = { rule: `faults at ${matrix.length} operations`, result: 'pass', says: '', evidence: [] };
  const suites = [...new Set(finds.map(({ label }) => label))].map((name) => ({
    name,
    classname: `cloudemu.explore.${name}`,
    findings: finds.filter(({ label }) => label === name).map((find) => ofFind(find, isFailure(find))),
  }));
  return junitXml('cloudemu explore', [{ name: 'explore', findings: [whole] }, ...suites], seconds);
}

function ofFind(find: Find, isFailure: boolean): Finding {
  const { grade, what, consequences, requests, output, places, scenario } = find;
  const evidence = [
    ...output,
    ...(places.length > 0 ? [`at ${places.join(', ')}`] : []),
    ...consequences.flatMap(({ says, advice }) => [says, advice]),
    ...requests.map(({ at, method, path, status, fault, again }) =>
      `${at} ms ${method} ${path} ${status}${fault === null ? '' : ' (fault)'} ${againText(again)}`.trimEnd(),
    ),
    ...(scenario === null ? [] : [`${typedName()} run ${scenario} reproduces it`]),
  ];
  return {
    rule: `${grade} ${what}`,
    result: isFailure ? grade : 'pass',
    says: consequences[0]?.says ?? what,
    evidence,
  };
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
