// `cloudemu drift`: asks the platform and the emulator the same questions, and keeps with dates what each answer says of the
// emulator's assumptions.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readJsonFile, writeJsonFile } from '../../config/json-file.js';
import type { Config } from '../../config/schema.js';
import { wallNow } from '../../core/clock.js';
import { whyUnwritten } from '../../core/files.js';
import { rootOf } from '../../core/root.js';
import { counted } from '../../core/words.js';
import { assumptions } from '../../http/assumptions.js';
import { isLoopbackName } from '../../http/origins.js';
import { surfaceOf } from '../../platform/surface.js';
import type { Facts } from '../../tools/drift/facts.js';
import { judged } from '../../tools/drift/judge.js';
import * as ledgers from '../../tools/drift/ledger.js';
import { type Level, levels, questionsOf, timesOf } from '../../tools/drift/questions.js';
import type { RecordedExchange } from '../../tools/incidents/exchange.js';
import { receipt } from '../../tools/receipt/receipt.js';
import { type Command, json, settingsFile, text, type Values } from '../command.js';
import { askAll } from '../drift/ask.js';
import { askEmulator, recorded, sample, stateIn, wrongOf } from '../drift/emulator-side.js';
import { hanging } from '../layout.js';
import { fail, type Line, painted, printJson, tell } from '../print.js';
import { startOptions } from '../start-options.js';
import { freshSettings, receiptFile } from '../tested-command.js';

const profile = { type: 'string', describe: 'Profile of the platform', byDefault: 'that of the settings' } as const;
const level = {
  type: 'string',
  describe: '0: what is refused without a key; 1: also reads that change nothing',
  byDefault: '1',
  choices: levels,
} as const;
const usual = { profile, level, ...settingsFile, ...json };

export const driftCommands: readonly Command[] = [
  {
    words: 'drift plan',
    describe: 'Print the questions that `drift run` would ask; nothing is sent',
    flags: usual,
    examples: [['drift plan --level 0', 'what can be asked without a key']],
    run: plan,
  },
  {
    words: 'drift run',
    describe: 'Ask the platform and the emulator the same questions; exit code 1 where two runs found them to differ',
    flags: {
      against: { type: 'string', describe: 'URL of the platform' },
      'key-from': { type: 'string', describe: 'Name of the variable that holds a key of the platform' },
      'max-requests': {
        type: 'number',
        describe: 'Requests that are sent at most',
        byDefault: '400',
        meant: 'a number',
      },
      ...usual,
    },
    exits: '3: too much could not be asked',
    examples: [
      ['drift run --against https://api.example.com --key-from CLOUD_KEY', 'reads alone, at most two a second'],
    ],
    run,
  },
  {
    words: 'drift check',
    describe: 'Compare the emulator with what the platform said in earlier runs; needs neither key nor network',
    flags: {
      offline: { type: 'boolean', describe: 'Said for clarity: it never asks the platform' },
      profile,
      ...settingsFile,
      ...json,
    },
    examples: [['drift check --offline', 'in CI, for each pull request']],
    run: check,
  },
  {
    words: 'drift show',
    describe: 'Print what is known of the assumptions, or of one with the tests that stand on it',
    args: [{ name: 'assumption', describe: 'Its id, as `cloudemu assumptions` lists it', required: false }],
    flags: {
      receipt: { type: 'string', describe: 'Receipt of the tests', byDefault: '.cloudemu/receipt.json' },
      ...settingsFile,
      ...json,
    },
    examples: [['drift show quotas.tiers', 'its state, its findings, and the names of your tests']],
    run: show,
  },
];

const observedFile = z.object({
  profile: z.string(),
  questions: z.record(
    z.string(),
    z.object({ facts: z.record(z.string(), z.array(z.string())), runs: z.int(), first: z.string(), last: z.string() }),
  ),
});

type Observed = z.output<typeof observedFile>;

const fileOf = (name: string): string => join(rootOf(process.cwd()), 'drift', name);

function stored<Output>(name: string, schema: z.ZodType<Output>): Output | undefined {
  const file = fileOf(name);
  if (!existsSync(file)) return undefined;
  const reading = readJsonFile(file);
  const parsed = 'problem' in reading ? undefined : schema.safeParse(reading.value);
  if (parsed?.success === true) return parsed.data;
  const why = 'problem' in reading ? reading.problem : z.prettifyError(parsed?.error as z.ZodError).split('\n')[0];
  return fail(2, `${file}: ${why}`, { code: 'USAGE', field: `drift/${name}` });
}

function settingsOf(values: Values): Config {
  const options = startOptions(values);
  const given = text(values, 'profile');
  return freshSettings({ ...options, flags: { ...options.flags, ...(given !== undefined && { profile: given }) } });
}

function plan(values: Values): void {
  const questions = questionsOf(surfaceOf(settingsOf(values)), levelIn(values));
  const asked = new Set(questions.map(({ operation }) => operation));
  const requests = questions.reduce((sum, one) => sum + timesOf(one), 0);
  if (values.json === true) printJson({ requests, price: 0, questions });
  else
    tell(
      ...questions.map(({ id, method, path }) => `${method.padEnd(6)} ${path}  ${id}`),
      '',
      `${counted(questions.length, 'question')} about ${counted(asked.size, 'operation')}, ${requests} requests, which cost nothing.`,
    );
}

const levelIn = (values: Values): Level => (text(values, 'level') ?? '1') as Level;

async function run(values: Values): Promise<void> {
  const config = settingsOf(values);
  const { origin, base } = platformIn(values);
  const name = text(values, 'key-from');
  const key = name === undefined ? undefined : process.env[name];
  if (name !== undefined && (key === undefined || key === ''))
    fail(2, `--key-from names the variable ${name}, which is not set`, { field: '--key-from', received: name });
  const surface = surfaceOf(config);
  const all = questionsOf(surface, levelIn(values));
  const questions = key === undefined ? all.filter(({ as }) => as !== 'key') : all;
  const read: RecordedExchange[] = [];
  const theirs = await askAll(questions, surface, {
    base,
    key: key ?? '',
    wrongKey: wrongOf(key ?? 'none_'),
    pauseMs: isLoopbackName(origin.hostname) ? 0 : 500,
    most: values['max-requests'] === undefined ? 400 : Number(values['max-requests']),
    onAnswer: (question, path, answer) => void read.push(recorded(read.length, question, base + path, answer)),
  });
  const { asked: ours, documented } = await askEmulator(
    config,
    stateIn(read, surface, config.profile),
    questions,
    surface,
  );
  // What could not be read is not in the emulator's world, on which its numbers rest.
  const isStateKnown = questions.every(
    ({ id, as, of }) => as !== 'key' || of === 'nowhere' || !theirs.couldNot.has(id),
  );
  const compared = isStateKnown
    ? judged(questions, ours, theirs.facts, documented)
    : judged(questions, { ...ours, facts: withoutNumbers(ours.facts) }, withoutNumbers(theirs.facts), documented);
  const at = new Date(wallNow()).toISOString();
  const before = stored('ledger.json', ledgers.ledgerFile);
  const ledger = ledgers.after(before?.profile === config.profile ? before : ledgers.emptyLedger(config.profile), {
    at,
    profile: config.profile,
    ...compared,
  });
  const accepted = stored('accepted.json', ledgers.acceptedFile) ?? {};
  save('ledger.json', ledger);
  save('observed.json', observedAfter(config.profile, theirs.facts, at));
  const planned = questions.length - theirs.without.size;
  const answered = theirs.facts.size;
  conclude(values, {
    ledger,
    accepted,
    asked: answered,
    couldNot: theirs.couldNot,
    isEnough: answered >= planned * 0.8 && theirs.isAnyRead,
  });
}

function platformIn(values: Values): { origin: URL; base: string } {
  const given = text(values, 'against') ?? '';
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    fail(2, `--against must be a URL such as https://api.example.com, got "${given}"`, {
      field: '--against',
      received: given,
    });
  if (url?.protocol === 'http:' && !isLoopbackName(url.hostname))
    fail(2, '--against must begin with https://, as the key would be sent in clear', {
      field: '--against',
      received: given,
    });
  return { origin: url as URL, base: given.replace(/\/+$/, '') };
}

function observedAfter(name: string, facts: ReadonlyMap<string, Facts>, at: string): Observed {
  const before = stored('observed.json', observedFile);
  const questions = before?.profile === name ? { ...before.questions } : {};
  for (const [id, seen] of facts) {
    const earlier = questions[id];
    const places = new Set([...Object.keys(earlier?.facts ?? {}), ...Object.keys(seen)]);
    const united = Object.fromEntries(
      [...places]
        .sort()
        .map((place) => [place, [...new Set([...(earlier?.facts[place] ?? []), ...(seen[place] ?? [])])].sort()]),
    );
    questions[id] = { facts: united, runs: (earlier?.runs ?? 0) + 1, first: earlier?.first ?? at, last: at };
  }
  return { profile: name, questions };
}

function save(name: string, value: object): void {
  try {
    writeJsonFile(fileOf(name), value);
  } catch (error) {
    fail(1, `${fileOf(name)} ${whyUnwritten(error)}`, { code: 'FILE_UNUSABLE' });
  }
}

interface Concluded {
  ledger: ledgers.Ledger;
  accepted: ledgers.Accepted;
  asked: number;
  couldNot: ReadonlyMap<string, string>;
  isEnough: boolean;
}

function conclude(values: Values, { ledger, accepted, asked, couldNot, isEnough }: Concluded): void {
  const wrong = ledgers.wrongWith(accepted, ledger, new Date(wallNow()).toISOString().slice(0, 10));
  const failing = ledgers.confirmed(ledger, accepted);
  process.exitCode = failing.length > 0 || wrong.length > 0 ? 1 : isEnough ? 0 : 3;
  const findings = Object.entries(ledger.findings);
  if (values.json === true) {
    printJson({
      asked,
      couldNotAsk: [...couldNot].map(([question, why]) => ({ question, why })),
      findings: findings.map(([finding, { operation, place, platform, emulator, assumption, runs }]) => ({
        finding,
        operation,
        place,
        platform,
        emulator,
        ...(assumption === null ? { defect: true } : { assumption }),
        runs,
        ...(accepted[finding] !== undefined && { accepted: accepted[finding]?.reason }),
      })),
      ledger: ledger.assumptions,
      wrong,
    });
    return;
  }
  tell(
    ...findings.flatMap(([name, finding]) => findingText(name, finding, accepted[name]?.reason)),
    ...[...couldNot].flatMap(([question, why]) =>
      hanging([painted('yellow', 'COULD NOT ASK  ')], `${question}: ${why}`),
    ),
    ...wrong.map((one) => painted('red', one)),
    `${counted(asked, 'question')} answered, ${counted(couldNot.size, 'question')} could not be asked, ${counted(findings.length, 'difference')}.`,
    ...(isEnough ? [] : ['That is too little to say that both are the same: nothing is proved.']),
  );
}

function findingText(
  name: string,
  { platform, emulator, assumption, runs, first, last }: ledgers.Finding,
  reason?: string,
): Line[] {
  const state = reason !== undefined ? 'ACCEPTED' : runs >= 2 ? 'DIFFERS ' : 'DISPUTED';
  const whose = assumption === null ? 'a defect of the emulator: nothing is assumed here' : `assumption ${assumption}`;
  const seen =
    runs === 1
      ? `seen once, ${first.slice(0, 10)}: another run will tell`
      : `seen in ${runs} runs, ${first.slice(0, 10)} to ${last.slice(0, 10)}`;
  return [
    [painted(runs >= 2 && reason === undefined ? 'red' : 'yellow', state), `  ${name}`],
    `  the platform says ${platform}, the emulator ${emulator}`,
    `  ${whose}; ${reason ?? seen}`,
  ];
}

async function check(values: Values): Promise<void> {
  const config = settingsOf(values);
  const observed = stored('observed.json', observedFile);
  if (observed === undefined)
    fail(2, `There is no ${fileOf('observed.json')}: \`cloudemu drift run\` writes it`, { code: 'FILE_UNUSABLE' });
  const surface = surfaceOf(config);
  const all = questionsOf(surface, '1');
  const questions = all.filter(({ id }) => observed?.questions[id] !== undefined);
  const { asked, documented } = await askEmulator(config, sample, questions, surface);
  const theirs = new Map(questions.map(({ id }) => [id, observed?.questions[id]?.facts ?? {}]));
  const ours = { ...asked, facts: withoutNumbers(asked.facts) };
  const { differences } = judged(questions, ours, withoutNumbers(theirs), documented);
  const at = new Date(wallNow()).toISOString();
  const ledger = stored('ledger.json', ledgers.ledgerFile) ?? ledgers.emptyLedger(config.profile);
  // What the platform said is known: one look at the emulator is enough.
  const findings = Object.fromEntries(
    differences.map((one) => [
      ledgers.nameOf(one),
      { ...one, runs: Math.max(2, ledger.findings[ledgers.nameOf(one)]?.runs ?? 0), first: at, last: at },
    ]),
  );
  const accepted = stored('accepted.json', ledgers.acceptedFile) ?? {};
  const own = Object.fromEntries(Object.entries(accepted).filter(([name]) => findings[name] !== undefined));
  conclude(values, {
    ledger: { ...ledger, findings },
    accepted: own,
    asked: questions.length,
    couldNot: new Map(),
    isEnough: questions.length > 0,
  });
}

/** Answers without numbers, which follow the state of the account: no file holds it. */
function withoutNumbers(all: ReadonlyMap<string, Facts>): Map<string, Facts> {
  const plain = (kinds: readonly string[]): string[] => [
    ...new Set(kinds.map((kind) => (kind.startsWith('=') ? 'int' : kind))),
  ];
  return new Map(
    [...all].map(([id, facts]) => [
      id,
      Object.fromEntries(Object.entries(facts).map(([place, kinds]) => [place, plain(kinds)])),
    ]),
  );
}

function show(values: Values): void {
  const ledger = stored('ledger.json', ledgers.ledgerFile);
  const id = text(values, 'assumption');
  if (id !== undefined && !Object.hasOwn(assumptions, id))
    fail(2, `There is no assumption "${id}": \`cloudemu assumptions\` lists them`, {
      field: '<assumption>',
      received: id,
    });
  const tests = testsIn(values);
  const shown = Object.keys(assumptions)
    .filter((one) => id === undefined || one === id)
    .map((one) => ({
      assumption: one,
      state: ledger?.assumptions[one]?.state ?? 'untested',
      since: ledger?.assumptions[one]?.since ?? null,
      last: ledger?.assumptions[one]?.last ?? null,
      findings: Object.entries(ledger?.findings ?? {})
        .filter(([, { assumption }]) => assumption === one)
        .map(([name]) => name),
      tests: tests.filter(({ on }) => on.includes(one)).map(({ label }) => label),
    }));
  if (values.json === true) printJson({ assumptions: shown });
  else
    tell(
      ...shown.flatMap(({ assumption, state, since, findings, tests: own }): Line[] => [
        [
          painted(state === 'refuted' ? 'red' : state === 'confirmed' ? 'green' : 'yellow', state.padEnd(10)),
          ` ${assumption}${since === null ? '' : `  since ${since.slice(0, 10)}`}`,
        ],
        ...findings.map((name) => `  ${name}`),
        ...(id === undefined || own.length === 0
          ? []
          : [`  ${counted(own.length, 'test')} stood on it: ${own.join(' · ')}`]),
      ]),
    );
}

function testsIn(values: Values): { label: string; on: readonly string[] }[] {
  const file = text(values, 'receipt') ?? join(settingsOf(values).data.dir, receiptFile);
  if (!existsSync(file)) return [];
  const reading = readJsonFile(file);
  const parsed = 'problem' in reading ? undefined : receipt.safeParse(reading.value);
  return (parsed?.data?.worlds ?? []).flatMap(({ label, assumptions: on }) => (label === null ? [] : [{ label, on }]));
}
