// The route table of src/README.md: every path of the platform and of the control plane, with its methods.

import { controlOperations } from '../app/controls.js';
import type { Documented } from '../http/openapi.js';
import { declaredEndpoints } from '../platform/surface.js';

const begin = '<!-- Routes: written by `npm run docs`. -->';
const end = '<!-- End of the routes. -->';
const width = 120;

/** A text in which the table stands between its two marks, with the routes that are declared now. */
export function withRoutes(text: string): string {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`The text has no ${begin} … ${end}`);
  const tables = [
    ...tableOf(declaredEndpoints, (id) => id.split('.')[0] ?? id),
    '',
    ...tableOf(controlOperations, (id) => id.split('.').slice(0, 2).join('.')),
  ];
  return `${before}${begin}\n\`\`\`\n${tables.join('\n')}\n\`\`\`\n${end}${after}`;
}

function tableOf(operations: readonly Documented[], groupOf: (id: string) => string): string[] {
  const groups = new Map<string, Map<string, string[]>>();
  for (const { id, method, path } of operations) {
    const paths = groups.get(groupOf(id)) ?? new Map<string, string[]>();
    groups.set(groupOf(id), paths);
    const methods = paths.get(path) ?? [];
    if (!methods.includes(method)) paths.set(path, [...methods, method]);
  }
  return [...groups].flatMap(([group, paths]) => linesOf(group, paths));
}

// `keys  /api/v1/api-keys GET POST · /{id} GET PATCH DELETE`: what a group's paths have in common is said once.
function linesOf(group: string, paths: ReadonlyMap<string, readonly string[]>): string[] {
  const base = commonBase([...paths.keys()]);
  // The base itself comes first.
  const sorted = [...paths].sort(([one], [other]) => Number(other === base) - Number(one === base));
  const parts = sorted.map(([path, methods]) => `${path.slice(base.length)} ${methods.join(' ')}`.trim());
  const lines: string[] = [];
  let line = `${group.padEnd(22)} ${base}`;
  parts.forEach((part, index) => {
    const added = index === 0 ? ` ${part}` : ` · ${part}`;
    if (line.length + added.length <= width) line += added;
    else {
      lines.push(line);
      line = `${' '.repeat(23)}${part}`;
    }
  });
  return [...lines, line];
}

function commonBase(paths: readonly string[]): string {
  const segments = paths.map((path) => path.split('/'));
  const [first = []] = segments;
  let common = 0;
  while (common < first.length && segments.every((one) => one[common] === first[common])) common++;
  return first.slice(0, common).join('/');
}
