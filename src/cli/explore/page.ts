// The report of an exploration as one page of HTML, which needs nothing else.

import { typedName } from '../../core/typed-command.js';
import { visible } from '../../core/visible.js';
import { counted } from '../../core/words.js';
import { againText } from '../../tools/explore/finds.js';
import type { ExploreReport } from '../../tools/explore/report.js';
import { escaped } from '../findings.js';

type ShownFind = ExploreReport['finds'][number];

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1c1f24;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin:0}article{border:1px solid #d3d7de;border-radius:6px;padding:1rem;margin:1rem 0}
table{border-collapse:collapse;font-size:13px}th,td{padding:.2rem .6rem;text-align:left;border-bottom:1px solid #e3e6ea}
.grade{display:inline-block;min-width:1.6em;text-align:center;border-radius:4px;color:#fff;background:#5a6270;margin-right:.5em}
.A,.B{background:#b3261e;color:#fff}.C,.D{background:#8a5a00;color:#fff}.fault{background:#fff3cd}
code,pre{font:13px/1.4 ui-monospace,monospace}pre{overflow:auto;background:#f5f6f8;padding:.5rem}.wide{overflow-x:auto}
@media(prefers-color-scheme:dark){body{background:#16181c;color:#e6e8eb}article{border-color:#3a3f47}th,td{border-color:#2c3036}pre{background:#1e2126}.fault{background:#4a3d10}}`;

const text = (value: string | number): string => escaped(visible(String(value)));

/** A text in which words of code stand between backticks. */
const rich = (value: string): string => text(value).replace(/`([^`]+)`/g, '<code>$1</code>');

/** The page; `all` shows also what failed with the platform's error. */
export function explorePage(report: ExploreReport, all: boolean): string {
  const shown = report.finds.filter(({ grade }) => all || grade !== 'E');
  const kinds = [...new Set(report.matrix.flatMap(({ faults }) => Object.keys(faults)))];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>cloudemu explore</title><style>${style}</style></head><body><main>
<h1>${text(report.command.join(' '))}</h1>
<p>${report.tried} faults tried on ${report.requests} requests in ${report.worlds} worlds, in ${report.runs} runs and ${report.seconds} s: ${counted(shown.length, 'finding')}. ${report.merged} more were taken as one with those that are alike.</p>
${shown.map(findPart).join('\n')}
${listPart(
  'Flaky: seen once and not again',
  report.flaky.map(({ label, tests, what }) => `${tests[0] ?? label}: ${what}`),
)}
${listPart('Not stable without faults', report.unstable)}
${listPart('Did not act', report.notMet)}
${report.hints.map((hint) => `<p>${rich(hint)}</p>`).join('\n')}
${listPart('Not tried', report.notTried)}
<h2>Operations and faults</h2><div class="wide"><table><thead><tr><th>operation</th>${kinds.map((kind) => `<th>${text(kind)}</th>`).join('')}</tr></thead><tbody>
${report.matrix.map(({ operation, faults }) => `<tr><th>${text(operation)}</th>${kinds.map((kind) => `<td class="${text(faults[kind] ?? '')}">${text(faults[kind] ?? '')}</td>`).join('')}</tr>`).join('\n')}
</tbody></table></div></main></body></html>
`;
}

function findPart(find: ShownFind): string {
  const { grade, label, tests, what, consequences, also, requests, output, places, scenario, known } = find;
  const rows = requests.map(
    ({ at, method, path, status, errorCode, fault, again }) =>
      `<tr${fault === null ? '' : ' class="fault"'}><td>${at} ms</td><td><code>${text(`${method} ${path}`)}</code></td><td>${status === 0 ? 'no response' : text([status, errorCode].filter((part) => part !== null).join(' '))}</td><td>${fault === null ? '' : 'fault'}</td><td>${text(againText(again))}</td></tr>`,
  );
  return `<article><h2><span class="grade ${grade}">${grade}</span>${text(tests[0] ?? label)}: ${text(what)}</h2>
${tests.length < 2 ? '' : `<p>In ${tests.length} tests: ${text(tests.join(', '))}.</p>`}
${output.length === 0 ? '' : `<pre>${output.map(text).join('\n')}</pre>`}
${places.length === 0 ? '' : `<p>at <code>${text(places.join(', '))}</code></p>`}
${consequences.map(({ says, advice }) => `<p>${rich(says)}<br><em>${rich(advice)}</em></p>`).join('\n')}
${known === null ? '' : `<p>Accepted: ${text(known)}</p>`}
<table><tbody>${rows.join('')}</tbody></table>
${also.length === 0 ? '' : `<p>Also with: ${text(also.join(', '))}.</p>`}
${scenario === null ? '' : `<p><code>${text(typedName())} run ${text(scenario)} -- …</code> reproduces it.</p>`}</article>`;
}

function listPart(title: string, entries: readonly string[]): string {
  if (entries.length === 0) return '';
  return `<details><summary>${title}: ${entries.length}</summary><ul>${entries.map((entry) => `<li>${text(entry)}</li>`).join('')}</ul></details>`;
}
