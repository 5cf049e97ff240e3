// `cloudemu coverage`: what of the platform the client has met, and what it has not.

import { counted } from '../../core/words.js';
import type { CoverageReport, CoveredOperation, MetError } from '../../tools/coverage/control.js';
import { createClient, queryOf } from '../client.js';
import { type Command, since, target, targetOptions, text } from '../command.js';
import { type Column, hanging, tableOf } from '../layout.js';
import { type Line, printJson, printLines } from '../print.js';
import { findTarget } from '../target.js';

export const coverageCommand: Command = {
  words: 'coverage',
  valueIs: 'since',
  operation: 'control.coverage',
  describe: 'Show which operations and error codes the client has encountered',
  flags: { ...since, ...target },
  examples: [['coverage', 'shows what your tests do not cover yet']],
  run: async (values) => {
    const path = `/coverage${queryOf({ since: text(values, 'since') })}`;
    const report = await createClient(await findTarget(targetOptions(values))).get<CoverageReport>(path, 'totals');
    if (values.json === true) printJson(report);
    else printLines(linesOf(report));
  },
};

function linesOf(report: CoverageReport): Line[] {
  const { operations, errors, totals, notImplemented, unmatched, complete, dropped } = report;
  const met = operations.filter(({ requests }) => requests > 0);
  const lines = met.length === 0 ? [] : [...tableOf(headings, met.map(rowOf)), ''];
  const codes = errors.filter(({ count }) => count === 0).map(({ code }) => code);
  lines.push(
    `${totals.operations.met} of ${totals.operations.all} operations met${met.length === operations.length ? '.' : '; not:'}`,
    ...byFeature(operations.filter(({ requests }) => requests === 0).map(({ operation }) => operation)),
    `${totals.errors.met} of ${totals.errors.all} error codes met${codes.length === 0 ? '.' : '; not:'}`,
    ...(codes.length === 0 ? [] : hanging(['  '], codes.join(', '))),
  );
  if (notImplemented.length > 0) {
    const called = notImplemented.map(({ operation, requests }) => `${operation} (${requests})`);
    const many = `${counted(called.length, 'operation')} of the platform that the emulator does not implement`;
    const more = called.length > mostNamed ? ` and ${called.length - mostNamed} more` : '';
    lines.push(...hanging([], `Called: ${many}: ${called.slice(0, mostNamed).join(', ')}${more}.`));
  }
  if (unmatched > 0) lines.push(`${counted(unmatched, 'request')} went to a path that no operation has.`);
  if (!complete)
    lines.push(
      `The journal no longer holds ${dropped} older records: the setting data.journal says how many it keeps.`,
    );
  return lines;
}

/** Operations that are not implemented; the JSON has all of them. */
const mostNamed = 20;

const headings: Column[] = [
  { name: 'operation' },
  { name: 'requests' },
  { name: 'answers' },
  { name: 'errors never met', isOptional: true },
];

function rowOf({ operation, requests, statuses, errors, neverMet }: CoveredOperation): string[] {
  const answers = Object.entries(statuses).map(([status, count]) => `${status === '0' ? 'none' : status} (${count})`);
  return [operation, String(requests), [...answers, ...errors.map(errorText)].join(', '), neverMet.join(', ')];
}

function errorText({ code, count, forced }: MetError): string {
  return forced === 0 ? code : `${code} (${forced === count ? 'forced' : `${forced} of ${count} forced`})`;
}

// A line for each feature, with what the ids of its operations end in.
function byFeature(ids: readonly string[]): Line[] {
  const actions = new Map<string, string[]>();
  for (const id of ids) {
    const feature = id.replace(/\..*$/, '');
    actions.set(feature, [...(actions.get(feature) ?? []), id.slice(feature.length + 1)]);
  }
  const width = Math.max(...[...actions.keys()].map((feature) => feature.length));
  return [...actions].flatMap(([feature, names]) => hanging([`  ${feature.padEnd(width)}  `], names.join(', ')));
}
