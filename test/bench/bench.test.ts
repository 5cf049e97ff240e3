// The bench's own parts: its options, the answers that its client reads, and the verdicts on the figures that count.

import { execFileSync, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';

const at = (name: string): string => new URL(name, import.meta.url).href;

it.each(['abc', '24,', '024', '24.1'])('--node %s is refused with what is meant', (given) => {
  const { status, stderr } = spawnSync(process.execPath, ['test/bench/bench.mjs', '--node', given], {
    encoding: 'utf8',
  });
  expect(stderr.split('\n')[0]).toBe(
    `bench: --node must be major versions of Node with commas, such as 24,26; got "${given}"`,
  );
  expect(status).toBe(2);
});

it('the client reads answers of a told length and in chunks, however they are cut', async () => {
  const { Connection, requestText } = await import(at('./client.mjs'));
  const text = 'é'.repeat(40_000);
  const server = createServer((req, res) => {
    if (req.url === '/told') return res.end(text);
    // The first chunks leave by themselves.
    res.write('one,\r\n');
    setImmediate(() => {
      res.write(text);
      setImmediate(() => res.end('\r\n0\r\n\r\n'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connection = await Connection.open((server.address() as AddressInfo).port);
  try {
    for (const [path, body] of [
      ['/told', text],
      ['/chunks', `one,\r\n${text}\r\n0\r\n\r\n`],
      ['/told', text],
    ]) {
      const answer = await connection.ask(requestText('GET', path));
      expect([answer.status, answer.body.toString() === body]).toEqual([200, true]);
    }
  } finally {
    connection.close();
    server.close();
  }
});

// In a process of its own, as the bench handles signals and ends what it started.
function figures(...reports: object[]): string[] {
  const script = `import { figuresTable } from '${at('./figures.mjs')}';
    process.stdout.write(figuresTable(${JSON.stringify(reports)}));`;
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  return text.trim().split(/\n */);
}

it('the figures that count have a column for each Node, with a verdict where there is a target', () => {
  const times = (median: number, rss?: number): object => ({ median, rss });
  const side = (name: string, perSecond: number, p99: number): object => ({ name, perSecond, p99 });
  const whole = {
    versions: { node: '24.1.0' },
    start: { cloudemu: times(165, 80.5), bare: times(100), emulate: times(150) },
    throughput: {
      loads: [
        { name: 'create', connections: 1, sides: [] },
        {
          name: 'create',
          connections: 10,
          sides: [side('cloudemu', 80, 3), side('bare Koa', 200, 2), side('emulate', 100, 1)],
        },
        { name: 'get', connections: 10, sides: [side('cloudemu', 80, 3), side('bare Koa', 100, 2)] },
        { name: 'list', connections: 10, sides: [side('cloudemu', 80, 3), side('bare Koa', 40, 2)] },
      ],
      memory: [
        { name: 'cloudemu', loaded: 150 },
        { name: 'bare Koa', loaded: 100 },
        { name: 'emulate', loaded: 150 },
      ],
    },
  };
  const startOnly = { versions: { node: '26.0.0' }, start: { cloudemu: times(200, 70), bare: times(100) } };
  expect(figures(whole, startOnly).map((line) => line.split(/ {2,}| (?=met|MISSED)/).join('|'))).toEqual([
    'The figures that count',
    'target|Node 24.1.0|Node 26.0.0',
    'start / bare node:http|<= 1.65|1.65|met|2.00|MISSED',
    'start / emulate|<= 1|1.10|MISSED|-',
    'create, rate / bare Koa|>= 0.5|0.40|MISSED|-',
    'create, rate / emulate|>= 0.8|0.80|met|-',
    'create, p99 / bare Koa|<= 1.5|1.50|met|-',
    'list of 20, rate / bare Koa|2.00|-',
    'GET one, rate / bare Koa|>= 0.8|0.80|met|-',
    'RSS under load, MB|150.00|-',
    'RSS under load / bare Koa|<= 1.4|1.50|MISSED|-',
    'RSS under load / emulate|<= 1|1.00|met|-',
    'RSS at start, MB|<= 80|80.50|MISSED|70.00|met',
  ]);
  expect(figures({ versions: { node: '24.1.0' } })).toEqual(['']);
});
