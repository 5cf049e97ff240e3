// Follows a control operation that streams: prints one line per item until Ctrl-C.

import { isTree, type Tree } from '../core/tree.js';
import type { createClient } from './client.js';
import { statusPart } from './colours.js';
import { ownLine } from './layout.js';
import { endWithReader, type Part, printJson, printLine } from './print.js';
import { Unreachable } from './refusal.js';
import { inline } from './show.js';
import { markUntrusted } from './untrusted.js';

/**
 * Prints one line per item of a stream, until it is interrupted; exits with code 0 when the reader of the output is gone.
 *
 * @throws Unreachable when the emulator ends it
 */
export async function follow(
  client: ReturnType<typeof createClient>,
  path: string,
  { json, untrusted }: { json: boolean; untrusted: string | undefined },
): Promise<void> {
  endWithReader();
  for await (const text of client.follow(path)) {
    const told = JSON.parse(text) as Tree;
    if (json) printJson(untrusted === undefined ? told : markUntrusted(told, untrusted));
    else printLine(ownLine(partsOf(told)));
  }
  throw new Unreachable('The emulator has ended the stream.');
}

// Events wrap what they tell: `{type, data}`.
function partsOf(told: Tree): Part[] {
  const { type } = told;
  const thing = isTree(told.data) ? told.data : told;
  const kind = type ?? thing.kind;
  if (kind === 'request') {
    const { at, status, method, path, operation, durationMs, fault } = thing;
    const asked = `${inline(method)} ${inline(path)}`;
    const about = [inline(operation), inline(durationMs, 'durationMs'), ...(fault === null ? [] : [inline(fault)])];
    const answered = statusPart(inline(status));
    return [`${inline(at, 'at')}  request  `, answered, ['', asked, ...about].join('  ')];
  }
  const { at, now, kind: _, seq: __, wall: ___, ...rest } = thing;
  // Changes have no instant and no kind of their own.
  const instant = at ?? now;
  const first = [
    ...(instant === undefined ? [] : [inline(instant, 'at')]),
    ...(kind === undefined ? [] : [inline(kind)]),
  ];
  return [[...first, inline(rest)].join('  ')];
}
