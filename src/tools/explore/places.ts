// Where a failed test failed: the files and lines of the project that a stack or an assertion names.

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const place =
  /File "(?<python>[^"]+)", line (?<pythonLine>\d+)|(?<file>[^\s()"'<>]*[\w\]-]\.(?:[cm]?[jt]sx?|py|sh)): ?(?:line )?(?<line>\d+)\b/g;
/** Files of the runner, of packages and of the language. */
const elsewhere = /node_modules|^node:|^internal\/|\/lib\/python|site-packages|^<|dist\/cloudemu/;

const most = 4;

/**
 * The places in the project that lines name, in their order, each once.
 *
 * @example placesIn(['    at deploy (file:///shop/client.mjs:8:11)'], '/shop') // ['client.mjs:8']
 */
export function placesIn(lines: readonly string[], directory = process.cwd()): string[] {
  const all = lines.flatMap((line) =>
    [...line.matchAll(place)].flatMap(({ groups = {} }) => {
      const file = groups.python ?? groups.file ?? '';
      if (elsewhere.test(file)) return [];
      return `${shortened(file, directory)}:${groups.pythonLine ?? groups.line}`;
    }),
  );
  return [...new Set(all)].slice(0, most);
}

function shortened(file: string, directory: string): string {
  const path = file.startsWith('file://') ? fileURLToPath(file) : file;
  const inside = path.startsWith('/') ? relative(directory, path) : path.replace(/^\.\//, '');
  return inside.startsWith('..') ? path : inside;
}
