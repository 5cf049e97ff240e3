// Owns `npm run bench`: its options, the versions of Node, the order of the measurements, and what is printed in the end.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureCold } from './cold.mjs';
import { figuresTable } from './figures.mjs';
import { measureGrowth } from './growth.mjs';
import { findEmulate, findNode } from './packages.mjs';
import { measurePage } from './page.mjs';
import { startNode } from './processes.mjs';
import { render, surroundings } from './report.mjs';
import { measureStart } from './start.mjs';
import { measureTail } from './tail.mjs';
import { measureThroughput } from './throughput.mjs';
import { measureWorlds } from './worlds.mjs';

const usage = `npm run bench -- [options]

  --node N,N                            major versions of Node, each in turn (default: the one that runs the bench)
  --only start|cold|throughput|growth|tail|worlds|page   one measurement only
  --rounds N                            timed starts (default 15), cold processes (3) and rounds of load (4) per server,
                                        pairs with and without an open page (6)
  --sizes N,N                           containers at which growth is measured (default 1000,10000)
  --json                                one line of JSON for each Node instead of tables
`;

const parts = ['start', 'cold', 'throughput', 'growth', 'tail', 'worlds', 'page'];

const options = readOptions();
if (options.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const tell = (text) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
};
const wants = (part) => options.only === undefined || options.only === part;

try {
  const reports = options.node === undefined ? [await measure()] : await measureEach(options.node);
  tell('');
  const texts = options.json ? reports.map((report) => JSON.stringify(report)) : reports.map(render);
  for (const text of texts) process.stdout.write(`${text}\n`);
  if (!options.json) process.stdout.write(figuresTable(reports));
  process.exitCode = reports.length === 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`\nbench: ${error.stack ?? error}\n`);
  process.exit(1);
}

async function measure() {
  const emulate = wants('start') || wants('throughput') ? findEmulate() : undefined;
  const report = surroundings(emulate);
  if (wants('start')) report.start = await measureStart({ rounds: options.rounds ?? 15, emulate, tell });
  if (wants('cold')) report.cold = await measureCold({ rounds: options.rounds ?? 3, tell });
  if (wants('throughput')) report.throughput = await measureThroughput({ rounds: options.rounds ?? 4, emulate, tell });
  if (wants('growth')) report.growth = await measureGrowth({ sizes: options.sizes ?? [1_000, 10_000], tell });
  if (wants('tail')) report.tail = await measureTail({ samples: 400, tell });
  if (wants('worlds')) report.worlds = await measureWorlds({ tell });
  if (wants('page')) report.page = await measurePage({ rounds: options.rounds ?? 6, tell });
  return report;
}

// A bench of its own under each Node that can be had: what it measures runs under its own Node.
async function measureEach(majors) {
  const reports = [];
  for (const major of majors) {
    const node = findNode(major);
    if (node === undefined) continue;
    const given = ['only', 'rounds', 'sizes'].filter((name) => options[name] !== undefined);
    const args = ['--json', ...given.flatMap((name) => [`--${name}`, String(options[name])])];
    const bench = startNode([fileURLToPath(import.meta.url), ...args], { node, lastSignal: 'SIGTERM' });
    try {
      reports.push(await bench.announced());
    } catch (error) {
      process.stderr.write(`bench: Node ${major} is left out: ${error.message}\n`);
    }
    await bench.stop();
  }
  return reports;
}

function readOptions() {
  const known = {
    node: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    sizes: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  };
  try {
    const { values } = parseArgs({ options: known });
    const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
    if (values.only !== undefined && !parts.includes(values.only))
      throw new Error(`--only must be one of ${parts.join(', ')}`);
    if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
      throw new Error('--rounds must be a whole number above 0');
    const sizes = values.sizes?.split(',').map(Number);
    if (sizes?.some((size) => !Number.isInteger(size))) throw new Error('--sizes must be whole numbers with commas');
    const node = values.node?.split(',');
    if (node?.some((major) => !/^[1-9]\d*$/.test(major)))
      throw new Error(`--node must be major versions of Node with commas, such as 24,26; got "${values.node}"`);
    return { ...values, node, rounds, sizes };
  } catch (error) {
    process.stderr.write(`bench: ${error.message}\n\n${usage}`);
    process.exit(2);
  }
}
