// A report of expectations as JUnit XML, which CI systems show.

import { visible } from '../core/visible.js';
import type { Expectation } from '../tools/scenarios/expectation.js';
import type { WorldJudgement } from './judged-worlds.js';

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
export function junitXml({ name, worlds, command, startedAt, seconds }: JunitReport): string {
  const time = attributes({ time: seconds.toFixed(3) });
  const suites = worlds.map((one, index) => {
    const suite = one.world === 'default' ? name : (one.label ?? one.world);
    const own = one.expectations.map((each) => ({
      xml: testCase(suite, each.what, isSkipped(each) ? skipped : bodyOf(each)),
      failed: !each.ok,
      skipped: isSkipped(each),
    }));
    const body = commandBody(command);
    const first = { xml: testCase(suite, `command ${command.line}`, body), failed: body !== '', skipped: false };
    return { suite, cases: index === 0 ? [first, ...own] : own };
  });
  const head = countsOf(suites.flatMap(({ cases }) => cases));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'cloudemu' })}${head}${time}>`,
    ...suites.flatMap(({ suite, cases }) => [
      `  <testsuite${attributes({ name: suite })}${countsOf(cases)}${time}${attributes({ timestamp: startedAt })}>`,
      ...cases.map(({ xml }) => `    ${xml}`),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

const isSkipped = ({ ok, actual }: Expectation): boolean => ok && actual === 'not-exercised';

function countsOf(cases: readonly { failed: boolean; skipped: boolean }[]): string {
  return attributes({
    tests: cases.length,
    failures: cases.filter(({ failed }) => failed).length,
    errors: 0,
    skipped: cases.filter((one) => one.skipped).length,
  });
}

const skipped = '<skipped message="not exercised"/>';

function testCase(suite: string, name: string, body: string): string {
  const start = `<testcase${attributes({ classname: `cloudemu.${suite}`, name, time: 0 })}`;
  return body === '' ? `${start}/>` : `${start}>${body}</testcase>`;
}

function commandBody({ exitCode, silence }: JunitReport['command']): string {
  const message = exitCode === 0 ? silence : `exit code ${exitCode}`;
  return message === undefined ? '' : `<failure${attributes({ message, type: 'command' })}/>`;
}

function bodyOf({ ok, expected, actual, evidence }: Expectation): string {
  if (ok) return '';
  const message = attributes({ message: `expected ${expected}, was ${actual}`, type: 'expectation' });
  return `<failure${message}>${escaped(evidence.map(visible).join('\n'))}</failure>`;
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
