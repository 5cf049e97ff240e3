// The reference page of the operations that the platform has and the emulator does not.

import { notImplemented } from '../http/not-implemented.js';
import { code, page, table } from './markdown.js';

/** `docs/reference/not-implemented.md` */
export function notImplementedPage(): string {
  const families = new Map<string, Map<string, string[]>>();
  for (const { family, path, method } of notImplemented) {
    const paths = families.get(family) ?? new Map<string, string[]>();
    families.set(family, paths.set(path, [...(paths.get(path) ?? []), method]));
  }
  return page(
    'Not implemented',
    `The platform has these operations, and this emulator does not: it answers them with 501
[\`NOT_IMPLEMENTED\`](error-codes.md), with or without credentials. \`details\` names method, path and family. They count in
no rate limit, and no fault rule acts on them. \`cloudemu verdicts\` lists those that a client has called.`,
    ...[...families].flatMap(([family, paths]) => [
      `## ${family}`,
      table(
        ['Path', 'Methods'],
        [...paths].map(([path, methods]) => [code(path), methods.join(', ')]),
      ),
    ]),
  );
}
