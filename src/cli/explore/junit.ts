// Finds as JUnit XML: a suite for each world, a test case for each find.

import { typedName } from '../../core/typed-command.js';
import { againText } from '../../tools/explore/finds.js';
import type { ExploreReport } from '../../tools/explore/report.js';
import { attributes, escaped } from '../junit.js';

/** The report for CI systems; accepted finds and those with the platform's error are not failures. */
export function exploreJunit(
  { finds, matrix, seconds }: ExploreReport,
  isFailure: (find: ExploreReport['finds'][number]) => boolean,
): string {
  const labels = [...new Set(finds.map(({ label }) => label))];
  const failures = finds.filter(isFailure).length;
  const time = attributes({ time: seconds.toFixed(3) });
  const counts = (tests: number, failed: number): string =>
    attributes({ tests, failures: failed, errors: 0, skipped: 0 });
  // A report without a test case counts as none in some systems.
  const whole = `<testcase${attributes({ classname: 'cloudemu.explore', name: `faults at ${matrix.length} operations`, time: 0 })}/>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'cloudemu explore' })}${counts(finds.length + 1, failures)}${time}>`,
    `  <testsuite${attributes({ name: 'explore' })}${counts(1, 0)}${time}>`,
    `    ${whole}`,
    '  </testsuite>',
    ...labels.flatMap((label) => {
      const own = finds.filter((find) => find.label === label);
      return [
        `  <testsuite${attributes({ name: label })}${counts(own.length, own.filter(isFailure).length)}${time}>`,
        ...own.map((find) => {
          const start = `<testcase${attributes({ classname: `cloudemu.explore.${label}`, name: `${find.grade} ${find.what}`, time: 0 })}`;
          if (!isFailure(find)) return `    ${start}/>`;
          const message = attributes({ message: find.consequences[0]?.says ?? find.what, type: find.grade });
          return `    ${start}><failure${message}>${escaped(bodyOf(find))}</failure></testcase>`;
        }),
        '  </testsuite>',
      ];
    }),
    '</testsuites>',
    '',
  ].join('\n');
}

function bodyOf({ consequences, requests, output, places, scenario }: ExploreReport['finds'][number]): string {
  return [
    ...output,
    ...(places.length > 0 ? [`at ${places.join(', ')}`] : []),
    ...consequences.flatMap(({ says, advice }) => [says, advice]),
    ...requests.map(({ at, method, path, status, fault, again }) =>
      `${at} ms ${method} ${path} ${status}${fault === null ? '' : ' (fault)'} ${againText(again)}`.trimEnd(),
    ),
    scenario === null ? '' : `${typedName()} run ${scenario} reproduces it`,
  ].join('\n');
}
