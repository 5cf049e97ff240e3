// Owns how the bench's figures are read: medians, versions and the printed tables.

import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { root } from './processes.mjs';

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The machine, and the versions of what was measured; the peer's where it is there. */
export function surroundings(emulate) {
  const version = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
  const versions = { node: process.versions.node };
  for (const name of ['koa', '@koa/router', 'koa-body']) versions[name] = version(join(root, 'node_modules', name));
  // The package's name for Node 20 is the project's own.
  const sqlite = Number.parseInt(process.versions.node, 10) < 22 ? 'better-sqlite3-node20' : 'better-sqlite3';
  versions['better-sqlite3'] = version(join(root, 'node_modules', sqlite));
  if (emulate !== undefined) versions.emulate = emulate.version;
  return { versions: { ...versions, cloudemu: version(root) }, cores: cpus().length, loadAverage: loadavg()[0] };
}

/** The report of one Node as text, without the figures that count. */
export function render({ versions, cores, loadAverage, start, cold, throughput, growth, tail, worlds, page }) {
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const parts = [`${names.join(', ')}; ${cores} cores, load ${loadAverage.toFixed(2)} before`];
  if (start !== undefined) parts.push(startTable(start));
  if (cold !== undefined) parts.push(coldTable(cold));
  if (throughput !== undefined) parts.push(throughputTable(throughput));
  if (growth !== undefined) parts.push(growthTable(growth));
  if (tail !== undefined) parts.push(tailTable(tail));
  if (worlds !== undefined) parts.push(worldsTable(worlds));
  if (page !== undefined) parts.push(pageTable(page));
  return `${parts.join('\n\n')}\n`;
}

function startTable({ rounds, cloudemu, bare, emulate, executable, bareInside }) {
  const row = (name, times) => [name, fixed(times.min), fixed(times.median), fixed(times.max), fixed(times.rss)];
  return [
    `Start: ms from spawn to the first 200, ${rounds} runs each in turn`,
    table(
      ['', 'min', 'median', 'max', 'RSS MB'],
      [
        row('cloudemu', cloudemu),
        row('bare node:http', bare),
        ...(emulate === undefined ? [] : [row('emulate', emulate)]),
        ...(executable === undefined
          ? []
          : [row('the executable', executable), row('bare node:http on its Node', bareInside)]),
      ],
    ),
    ...(executable === undefined ? [] : [executableVerdict(executable.median / bareInside.median)]),
  ].join('\n');
}

function executableVerdict(ratio) {
  return verdict('medians the executable / bare on its Node', ratio, '<= 1.5', ratio <= 1.5);
}

function throughputTable({ rounds, isPinned, bytes, loads, memory }) {
  const lines = [
    `Requests: ${rounds} slices of 1 s each in turn, ${isPinned ? 'servers on one core' : 'servers NOT on one core'}; answers of ${bytes.entry} (in a list of 20), ${bytes.get} (GET) and ${bytes.create} bytes (create)`,
    table(
      ['', 'connections', '/s', 'p50 ms', 'p99 ms', 'max ms', 'CPU us', 'loop delay p99', 'max'],
      loads.flatMap(({ name, connections, sides }) =>
        sides.map((side) => [
          `${name} ${side.name}`,
          String(connections),
          fixed(side.perSecond, 0),
          fixed(side.p50, 2),
          fixed(side.p99, 2),
          fixed(side.max, 1),
          fixed(side.cpuMicros, 0),
          fixed(side.loopDelay.p99),
          fixed(side.loopDelay.max),
        ]),
      ),
    ),
  ];
  for (const { name, connections, sides } of loads) {
    const [cloudemu, ...others] = sides;
    for (const other of others.filter((side) => side.name !== 'bare node:http')) {
      const rate = fixed(cloudemu.perSecond / other.perSecond, 2);
      const cpu = fixed(other.cpuMicros / cloudemu.cpuMicros, 2);
      const p99 = fixed(cloudemu.p99 / other.p99, 2);
      lines.push(`  ${name} over ${connections}, cloudemu / ${other.name}: rate ${rate}, CPU ${cpu}, p99 ${p99} times`);
    }
  }
  const used = memory.map(({ name, loaded, peak }) => `${name} ${fixed(loaded)} (at its highest ${fixed(peak)})`);
  lines.push(`  RSS under load, MB: ${used.join(', ')}`);
  return lines.join('\n');
}

function growthTable({ samples, steps }) {
  const names = ['get', 'quota', 'balance', 'create', 'jump', 'firstLines', 'list'];
  const [first, last] = [steps[0], steps.at(-1)];
  const each =
    last.rss === undefined ? undefined : ((last.rss - first.rss) * 1_024) / (last.containers - first.containers);
  return [
    `Growth: median ms of ${samples} requests on one connection; a jump of ten minutes; the first lines and the whole of a list`,
    table(
      ['containers', ...names, 'RSS MB'],
      steps.map((step) => [String(step.containers), ...names.map((name) => fixed(step[name], 2)), fixed(step.rss)]),
    ),
    `  ${last.containers} / ${first.containers} containers: ${names
      .slice(0, 5)
      .map((name) => `${name} ${fixed(last[name] / first[name], 2)}`)
      .join(', ')}`,
    verdict('ms to the first lines of the longest list', last.firstLines, '<= 20', last.firstLines <= 20),
    `  RSS of each container, KB: ${fixed(each)}`,
  ].join('\n');
}

function coldTable({ rounds, isPinned, operations }) {
  const row = (name, times) => [name, ...times.map((ms) => fixed(ms))];
  return [
    `Cold: ms for the first requests of a fresh process on one connection, median of ${rounds} processes${isPinned ? ' on one core' : ''}`,
    table(
      ['', '1', '10', '100', '1000'],
      operations.flatMap(({ name, cloudemu, bare }) => [row(`${name} cloudemu`, cloudemu), row('  bare Koa', bare)]),
    ),
    ...operations.map(({ name, cloudemu, bare }) => {
      const ratio = bare[2] / cloudemu[2];
      return verdict(`first 100 of ${name}, rate of cloudemu / bare Koa`, ratio, '>= 0.8', ratio >= 0.8);
    }),
  ].join('\n');
}

function tailTable({ samples, minute, tenMinutes, sevenDays, ratio, ratioSameLength }) {
  const row = (name, side) => [name, String(side.lines), fixed(side.median, 3), fixed(side.p95, 3)];
  return [
    `Log tail: ms of GET logs?tail=100 on one connection, ${samples} samples each in turn`,
    table(
      ['', 'lines', 'median', 'p95'],
      [
        row('runs for a minute', minute),
        row('runs for ten minutes', tenMinutes),
        row('runs for seven days', sevenDays),
      ],
    ),
    `  seven days / a minute: ${fixed(ratio, 2)}; seven days / ten minutes (as many lines): ${fixed(ratioSameLength, 2)}`,
  ].join('\n');
}

function verdict(what, value, target, isMet) {
  return `  ${what}: ${fixed(value, 2)} (target ${target}: ${value === undefined ? 'not known here' : isMet ? 'met' : 'MISSED'})`;
}

/** A number as text; a dash where it is not known. */
export function fixed(value, digits = 1) {
  return value === undefined ? '-' : value.toFixed(digits);
}

/** Rows in columns, the first of them to the left. */
export function table(head, rows) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  return all
    .map(
      (row) =>
        `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ')}`,
    )
    .join('\n');
}

function worldsTable({ count, createMs, idleKb, awakeKb, usedKb, container, entry, restoreMs, resetMs }) {
  const kept = ({ objectsKb, rowsKb }) => `${fixed(objectsKb, 1)} of objects, ${fixed(rowsKb, 1)} of rows`;
  return [
    `Worlds: ${count} in one process; a restore and a reset of one with 500 rows`,
    verdict('ms to make one (median)', createMs, '<= 3', createMs <= 3),
    verdict('RSS of each, idle, KB', idleKb, '<= 200', idleKb <= 200),
    verdict('RSS of each after a create, a list and a get, KB', usedKb, '<= 400', usedKb <= 400),
    `RSS of those among them that have a database connection, KB: ${awakeKb.toFixed(0)}`,
    `  KB of a container (5,000): ${kept(container)}; of a journal entry (10,000 lists): ${kept(entry)}`,
    verdict('ms of a restore (median)', restoreMs, '<= 3', restoreMs <= 3),
    verdict('ms of a reset (median)', resetMs, '<= 3', resetMs <= 3),
  ].join('\n');
}

function pageTable({ missing, rounds, isPinned, open, closed, rates, cpu, arriving, frames }) {
  if (missing !== undefined) return `Open page: not measured, ${missing}`;
  const rate = median(rates);
  const row = (name, { perSecond, cpuMicros }) => [name, fixed(perSecond, 0), fixed(cpuMicros, 0)];
  const range = (values) => values.map((value) => fixed(value, 2)).join(' ');
  return [
    `Open page: ${rounds} pairs of 4 s each, 80 % reads and 20 % creations over ten connections; ${isPinned ? 'the emulator on one core, load and Chromium on the other' : 'NOT on one core each'}`,
    table(['Chromium at', '/s', 'CPU us'], [row('the timeline', open), row('an empty page', closed)]),
    verdict('rate with / without the timeline (median of pairs)', rate, '>= 0.9', rate >= 0.9),
    `  each pair: rate ${range(rates)}; CPU of a request without / with ${range(cpu)}`,
    verdict(`frames a second, scrolling, ${arriving} requests a second arriving`, frames, '> 50', frames > 50),
  ].join('\n');
}
