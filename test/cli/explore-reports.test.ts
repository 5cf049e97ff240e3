// The reports of `cloudemu explore`: for people, for CI, for browsers.

import { describe, expect, it } from 'vitest';
import { exploreLines, isThin } from '../../src/cli/explore/lines.js';
import { explorePage } from '../../src/cli/explore/page.js';
import { exploreJunit } from '../../src/cli/findings.js';
import type { ExploreReport } from '../../src/tools/explore/report.js';
import { explored as report } from '../support/explored.js';

const isFailure = ({ grade, known }: ExploreReport['finds'][number]): boolean => grade === 'A' && known === null;
const textOf = (lines: ReturnType<typeof exploreLines>): string =>
  lines
    .map((line) =>
      [line]
        .flat()
        .map((part) => (typeof part === 'string' ? part : part.text))
        .join(''),
    )
    .join('\n');

describe('the report for people', () => {
  it('shows what was done, what the client did then, what to do; and what was accepted in a line', () => {
    const text = textOf(exploreLines(report, false));
    expect(text).toContain('A  deploys: The first containers.create takes effect, but the response is lost');
    expect(text).toMatch(/0 ms {2}POST \/x {2}no response {2}← fault\n +7 ms {2}POST \/x {2}202\n/);
    expect(text).toContain('beside the one before: differs in name; equal in project_name, image\n');
    expect(text).toContain('   It spent <1> credits. Its test passed.\n');
    expect(text).toContain('Accepted in explore.known.json: 1\n  other: there is no way\n');
    expect(text).toContain('No longer found: remove them from explore.known.json: 1\n  mended\n');
    expect(text).toContain('Not tried: the fault did not act: 1\n  deploys containers.get 1 503\n');
    expect(text).toContain('→ 1 fault did not act: no request came that they match.');
    expect(text).toMatch(
      /20 faults tried on 3 requests.* 1 finding\. E: a test ended with the platform’s own error.*4 faults like those/s,
    );
  });
});

describe('a report of faults of which less than half acted', () => {
  const none = { ...report, finds: [], gone: [] };
  const idle = (count: number): string[] => Array.from({ length: count }, (_, index) => `deploys list ${index} 503`);

  it('does not say that nothing was found', () => {
    const thin = { ...none, tried: 9, notMet: idle(8), notTried: idle(2) };
    expect(isThin(thin)).toBe(true);
    const text = textOf(exploreLines(thin, false));
    expect(text).not.toContain('nothing found');
    expect(text.replace(/\s+/g, ' ')).toContain(
      'too little to say that nothing is wrong (exit code 3). Of 19 faults, 8 did not act and 2 had no time.',
    );
  });

  it('says little where half of them did, or an earlier call had tried the others', () => {
    expect(isThin({ ...none, tried: 10, notMet: idle(10) })).toBe(false);
    expect(isThin({ ...none, tried: 0, triedBefore: 10, notMet: idle(10) })).toBe(false);
    expect(isThin({ ...none, tried: 0, notMet: [] })).toBe(true);
  });
});

it('a finding begins with what the runner said, and the lines of the project that this names', () => {
  const [find] = report.finds as [ExploreReport['finds'][number]];
  const failed = { ...find, output: ['AssertionError: 500 !== 202'], places: ['client.mjs:8', 'shop.test.mjs:4'] };
  const text = textOf(exploreLines({ ...report, finds: [failed] }, false));
  expect(text).toMatch(
    /^A .*\n {3}\| AssertionError: 500 !== 202\n {3}at client\.mjs:8, shop\.test\.mjs:4\n {3}It spent/m,
  );
  expect(text).not.toContain('Its test passed');
  expect(explorePage({ ...report, finds: [failed] }, false)).toContain('<code>client.mjs:8, shop.test.mjs:4</code>');
});

it('a finding about a client that did not end does not say that its test passed', () => {
  const [find] = report.finds as [ExploreReport['finds'][number]];
  const hung = {
    grade: 'B',
    kind: 'hung',
    says: 'It did not end within the time limit of its run.',
    advice: '',
  } as const;
  const text = textOf(exploreLines({ ...report, finds: [{ ...find, consequences: [hung] }] }, false));
  expect(text).toContain(`   ${hung.says}\n`);
});

it('reports name all tests of a cause', () => {
  const [find] = report.finds as [ExploreReport['finds'][number]];
  const several = { ...report, finds: [{ ...find, tests: ['a.test.ts > deploys', 'a.test.ts > lists'] }] };
  expect(textOf(exploreLines(several, false))).toMatch(
    /^A {2}a\.test\.ts > deploys: The first .*\n {3}In 2 tests: a\.test\.ts > deploys, a\.test\.ts > lists\.$/m,
  );
  expect(explorePage(several, false)).toContain('<p>In 2 tests: a.test.ts &gt; deploys, a.test.ts &gt; lists.</p>');
});

describe('the report for CI', () => {
  it('has a failure for each find that counts, and a test case for the others', () => {
    const xml = exploreJunit(report, isFailure);
    expect(xml).toContain(
      '<testsuites name="cloudemu explore" tests="4" failures="1" errors="0" skipped="0" time="12.500">',
    );
    expect(xml.match(/<failure /g)).toHaveLength(1);
    expect(xml).toContain('<failure message="It spent &lt;1&gt; credits." type="A">');
  });
});

describe('the page', () => {
  it('needs nothing else, and shows texts as they are', () => {
    const page = explorePage(report, false);
    expect(page).not.toMatch(/<script|<link|src=|https?:/);
    expect(page).toContain('It spent &lt;1&gt; credits.');
    expect(page).toContain('<em>Look first, with <code>GET &lt;x&gt;</code>.</em>');
    expect(page).toContain('<td class="A">A</td>');
    expect(page.match(/<article>/g)).toHaveLength(2);
    expect(explorePage(report, true).match(/<article>/g)).toHaveLength(3);
  });
});
