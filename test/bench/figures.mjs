// Owns the figures that count, with the targets of each: one table, with a column for each Node.

import { fixed, table } from './report.mjs';

const start = (of) => (report) => report.start && of(report.start);
const loaded = (name, value, peer) => (report) => {
  const sides = report.throughput?.loads.find((load) => load.name === name && load.connections === 10).sides;
  return sides && ratio(value, sides, peer);
};
const memory = (peer) => (report) => report.throughput && ratio('loaded', report.throughput.memory, peer);
const most = (target) => ({ text: `<= ${target}`, isMet: (value) => value <= target });
const least = (target) => ({ text: `>= ${target}`, isMet: (value) => value >= target });

// Over ten connections. A value is undefined where it was not measured.
const figures = [
  ['start / bare node:http', start(({ cloudemu, bare }) => cloudemu.median / bare.median), most(1.65)],
  ['start / emulate', start(({ cloudemu, emulate }) => emulate && cloudemu.median / emulate.median), most(1)],
  ['create, rate / bare Koa', loaded('create', 'perSecond', 'bare Koa'), least(0.5)],
  ['create, rate / emulate', loaded('create', 'perSecond', 'emulate'), least(0.8)],
  ['create, p99 / bare Koa', loaded('create', 'p99', 'bare Koa'), most(1.5)],
  ['list of 20, rate / bare Koa', loaded('list', 'perSecond', 'bare Koa')],
  ['list of 20, rate / emulate', loaded('list', 'perSecond', 'emulate'), least(2)],
  ['GET one, rate / bare Koa', loaded('get', 'perSecond', 'bare Koa'), least(0.8)],
  ['RSS under load, MB', (report) => report.throughput?.memory[0].loaded],
  ['RSS under load / bare Koa', memory('bare Koa'), most(1.4)],
  ['RSS under load / emulate', memory('emulate'), most(1)],
  ['RSS at start, MB', start(({ cloudemu }) => cloudemu.rss), most(80)],
];

/** The table, or nothing where the reports have none of its figures. */
export function figuresTable(reports) {
  const rows = figures
    .map(([name, of, target]) => ({ name, target, values: reports.map(of) }))
    .filter(({ values }) => values.some((value) => value !== undefined));
  if (rows.length === 0) return '';
  const judged = (value, target) => {
    const word = value === undefined || target === undefined ? '' : target.isMet(value) ? 'met' : 'MISSED';
    return `${fixed(value, 2)} ${word.padEnd(6)}`;
  };
  const lines = rows.map(({ name, target, values }) => [
    name,
    target?.text ?? '',
    ...values.map((value) => judged(value, target)),
  ]);
  const head = ['', 'target', ...reports.map(({ versions }) => `Node ${versions.node}`)];
  return `The figures that count\n${table(head, lines).replace(/ +$/gm, '')}\n`;
}

function ratio(value, sides, peer) {
  const other = sides.find(({ name }) => name === peer)?.[value];
  return other === undefined ? undefined : sides[0][value] / other;
}
