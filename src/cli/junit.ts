// A report of expectations as JUnit XML, which CI systems show.

import type { Expectation } from '../controls/scenarios/expectations.js';
import { visible } from '../kernel/visible.js';

export interface JunitReport {
  /** What was run: a scenario. */
  name: string;
  expectations: readonly Expectation[];
  command: { line: string; exitCode: number };
  /** When it began, ISO 8601. */
  startedAt: string;
  seconds: number;
}

/** One test case each expectation, and one for the command itself. */
export function junitXml({ name, expectations, command, startedAt, seconds }: JunitReport): string {
  const isSkipped = ({ ok, actual }: Expectation): boolean => ok && actual === 'not-exercised';
  const cases = [
    testCase(name, `command ${command.line}`, commandBody(command.exitCode)),
    ...expectations.map((one) => testCase(name, one.what, isSkipped(one) ? skipped : bodyOf(one))),
  ];
  const failures = expectations.filter(({ ok }) => !ok).length + (command.exitCode === 0 ? 0 : 1);
  const counts = attributes({
    tests: cases.length,
    failures,
    errors: 0,
    skipped: expectations.filter(isSkipped).length,
  });
  const time = attributes({ time: seconds.toFixed(3) });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'cloudemu' })}${counts}${time}>`,
    `  <testsuite${attributes({ name })}${counts}${time}${attributes({ timestamp: startedAt })}>`,
    ...cases.map((one) => `    ${one}`),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

const skipped = '<skipped message="not exercised"/>';

function testCase(suite: string, name: string, body: string): string {
  const start = `<testcase${attributes({ classname: `cloudemu.${suite}`, name, time: 0 })}`;
  return body === '' ? `${start}/>` : `${start}>${body}</testcase>`;
}

function commandBody(exitCode: number): string {
  if (exitCode === 0) return '';
  return `<failure${attributes({ message: `exit code ${exitCode}`, type: 'command' })}/>`;
}

function bodyOf({ ok, expected, actual, evidence }: Expectation): string {
  if (ok) return '';
  const message = attributes({ message: `expected ${expected}, was ${actual}`, type: 'expectation' });
  return `<failure${message}>${escaped(evidence.map(visible).join('\n'))}</failure>`;
}

function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(visible(String(value)))}"`)
    .join('');
}

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

// What no XML may hold, not even escaped, is shown as a question mark.
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '?')
    .replace(/[&<>"']/g, (sign) => named[sign] ?? sign);
}
