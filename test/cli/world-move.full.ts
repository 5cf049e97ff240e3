// `cloudemu world move` with images as large as real ones: a pull works afterwards, and no process holds a layer whole.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { connect } from '../../src/client.js';
import { run } from '../support/command.js';
import { content, digestOf, image, logIn, mediaTypes } from '../support/oci.js';
import { type Node, startNode } from '../support/proxied.js';

/** The most memory that a process has had, in MB. */
function peakOf({ running }: Node): number {
  const status = readFileSync(`/proc/${running.child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}

it('world move carries a layer of 250 MB', async () => {
  const [former, next] = await Promise.all([startNode(), startNode()]);
  const urlOf = ({ port }: Node): string => `http://127.0.0.1:${port}`;
  const { createWorld } = connect({ url: urlOf(former) });
  const move = (id: string) => run(['world', 'move', id, '--url', urlOf(former), '--to', urlOf(next), '--json']);
  // The files that a move loads are loaded by then.
  await createWorld({ id: 'light' });
  await move('light');
  const world = await createWorld({ id: 'heavy' });
  const pushed = image({ layers: [content(randomBytes(250_000_000), mediaTypes.layer)] });
  await (await logIn(world)).push('v1', pushed);
  const before = [former, next].map(peakOf);

  const moved = await move('heavy');
  expect([JSON.parse(moved.stdout), moved.stderr, moved.code]).toEqual([
    { moved: ['heavy'], stayed: [], failed: [], missingBlobs: [] },
    '',
    0,
  ]);
  // Pieces that the collector has not taken away yet make some 75 MB, 90 on a busy machine.
  for (const [n, node] of [former, next].entries()) expect(peakOf(node) - (before[n] ?? 0)).toBeLessThan(160);

  const { fetch } = connect({ url: `${urlOf(next)}/w/heavy` });
  const there = await logIn({ url: `${urlOf(next)}/w/heavy`, fetch, apiKey: world.apiKey });
  expect((await there.send('GET', '/manifests/v1')).bytes).toEqual(pushed.bytes);
  for (const { digest } of pushed.blobs)
    expect(digestOf((await there.send('GET', `/blobs/${digest}`)).bytes)).toBe(digest);
  await Promise.all([former, next].map(({ running }) => running.end('SIGTERM')));
});
