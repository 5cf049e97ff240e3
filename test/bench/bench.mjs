// Owns `npm run bench`: its options, the order of the measurements, and what is printed in the end.

import { parseArgs } from 'node:util';
import { measureCold } from './cold.mjs';
import { measureGrowth } from './growth.mjs';
import { measurePage } from './page.mjs';
import { render, surroundings } from './report.mjs';
import { measureStart } from './start.mjs';
import { measureTail } from './tail.mjs';
import { measureThroughput } from './throughput.mjs';
import { measureWorlds } from './worlds.mjs';

const usage = `npm run bench -- [options]

  --only start|cold|throughput|growth|tail|worlds|page   one measurement only
  --rounds N                            timed starts (default 15), cold processes (3) and rounds of load (4) per server,
                                        pairs with and without an open page (6)
  --sizes N,N                           containers at which growth is measured (default 1000,10000)
  --json                                one line of JSON instead of tables
`;

const parts = ['start', 'cold', 'throughput', 'growth', 'tail', 'worlds', 'page'];

const options = readOptions();
if (options.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const tell = (text) => {
  if (!options.json && process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
};
const wants = (part) => options.only === undefined || options.only === part;

try {
  const report = surroundings();
  if (wants('start')) report.start = await measureStart({ rounds: options.rounds ?? 15, tell });
  if (wants('cold')) report.cold = await measureCold({ rounds: options.rounds ?? 3, tell });
  if (wants('throughput')) report.throughput = await measureThroughput({ rounds: options.rounds ?? 4, tell });
  if (wants('growth')) report.growth = await measureGrowth({ sizes: options.sizes ?? [1_000, 10_000], tell });
  if (wants('tail')) report.tail = await measureTail({ samples: 400, tell });
  if (wants('worlds')) report.worlds = await measureWorlds({ tell });
  if (wants('page')) report.page = await measurePage({ rounds: options.rounds ?? 6, tell });
  tell('');
  process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : render(report));
  process.exitCode = 0;
} catch (error) {
  process.stderr.write(`\nbench: ${error.stack ?? error}\n`);
  process.exit(1);
}

function readOptions() {
  const known = {
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
    return { ...values, rounds, sizes };
  } catch (error) {
    process.stderr.write(`bench: ${error.message}\n\n${usage}`);
    process.exit(2);
  }
}
