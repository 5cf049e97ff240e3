// `cloudemu drift`: asks the platform and the emulator the same questions, and keeps with dates what each answer says of the
// emulator's assumptions.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { readJsonFile } from '../../config/json-file.js';
import type { Config } from '../../config/schema.js';
import { wallNow } from '../../core/clock.js';
import { counted } from '../../core/words.js';
import { assumptions } from '../../http/assumptions.js';
import { isLoopbackName } from '../../http/origins.js';
import { surfaceOf } from '../../platform/surface.js';
import { type Facts, relations } from '../../tools/drift/facts.js';
import { type Judged, judged } from '../../tools/drift/judge.js';
import * as ledgers from '../../tools/drift/ledger.js';
import { lifecyclesOf } from '../../tools/drift/lifecycles.js';
import { matters, type Needs, needsFile, needsOf } from '../../tools/drift/needs.js';
import { nounsOf, sumOf } from '../../tools/drift/nouns.js';
import type { Changed } from '../../tools/drift/overlay.js';
import { type Level, levels, questionsOf, timesOf } from '../../tools/drift/questions.js';
import { receipt } from '../../tools/receipt/receipt.js';
import { type Command, durationOf, json, numberOf, restOf, settingsFile, text, type Values } from '../command.js';
import type { Asked } from '../drift/ask.js';
import { allOf, askEmulator, isChanging, type Plan, sample, stateIn } from '../drift/emulator-side.js';
import { alone, fileOf, type Observed, observedFile, save, stored } from '../drift/files.js';
import { tryFields } from '../drift/needs.js';
import { writeOverlay } from '../drift/overlay.js';
import { askPlatform, clean, type Platform, refuseUnclean } from '../drift/platform-side.js';
import { settingsOf as exploredSettings, mostJobs } from '../explore/given.js';
import { hanging } from '../layout.js';
import { fail, type Line, painted, printJson, tell } from '../print.js';
import { type StartOptions, startOptions } from '../start-options.js';
import { freshSettings, receiptFile } from '../tested-command.js';

const usualImage = 'ghcr.io/elizaos/eliza:latest';

const profile = { type: 'string', describe: 'Profile of the platform', byDefault: 'that of the settings' } as const;
const level = {
  type: 'string',
  describe:
    '0: what is refused without a key; 1: also reads that change nothing; 2: also what the contract refuses; 3: also things that are made and removed again',
  byDefault: '1',
  choices: levels,
} as const;
const image = {
  type: 'string',
  describe: 'With level 3: the image of a container that is made',
  byDefault: usualImage,
} as const;
const usual = { profile, level, image, ...settingsFile, ...json };
const platform = {
  against: { type: 'string', describe: 'URL of the platform' },
  'key-from': { type: 'string', describe: 'Name of the variable that holds a key of the platform' },
  'max-requests': { type: 'number', describe: 'Requests that are sent at most', byDefault: '400', meant: 'a number' },
} as const;

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
      ...platform,
      budget: {
        type: 'number',
        describe: 'Credits that level 3 may spend; what costs more at worst is not asked',
        byDefault: '0',
        meant: 'a number of credits',
      },
      write: {
        type: 'boolean',
        describe: 'Write settings with which the emulator says what the platform said into drift/overlay.json',
      },
      yes: { type: 'boolean', describe: 'For levels 2 and 3, which send refusals and make things on purpose' },
      ...usual,
    },
    exits: '3: too much could not be asked, 4: something was left behind',
    examples: [
      ['drift run --against https://api.example.com --key-from CLOUD_KEY', 'reads alone, at most two a second'],
      [
        'drift run --against https://api.example.com --key-from CLOUD_KEY --level 3 --budget 1 --yes',
        'also prices, refunds, deletion and windows, for at most one credit',
      ],
    ],
    run,
  },
  {
    words: 'drift clean',
    describe: 'Remove from the platform what a run that was killed has made there',
    flags: { ...platform, ...settingsFile, ...json },
    exits: '4: something was left behind',
    examples: [['drift clean --against https://api.example.com --key-from CLOUD_KEY', 'after a kill or a power cut']],
    run: cleanUp,
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
    words: 'drift needs',
    describe: 'Find out which fields of answers your tests need: each one is null in a run; others may differ',
    rest: 'command',
    flags: {
      budget: { type: 'string', default: '5m', describe: 'Time for all runs', isDuration: true },
      jobs: { type: 'string', describe: 'Number of runs at a time', byDefault: 'one for each core' },
      profile,
      ...settingsFile,
      ...json,
    },
    exits: '3: nothing could be tried',
    examples: [['drift needs -- npm test', 'writes drift/needs.json, by which `drift run` and `drift check` judge']],
    run: needs,
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

function optionsIn(values: Values): StartOptions {
  const options = startOptions(values);
  const given = text(values, 'profile');
  return { ...options, flags: { ...options.flags, ...(given !== undefined && { profile: given }) } };
}

const settingsOf = (values: Values): Config => freshSettings(optionsIn(values));

function planOf(config: Config, level: Level, image = usualImage): Plan {
  const surface = surfaceOf(config);
  const nouns = nounsOf(config);
  const read = surface.find(({ id }) => id === 'account.balance');
  const lives = Number(level) < 3 ? [] : lifecyclesOf(nouns, image, read);
  return { config, surface, nouns, questions: questionsOf(config, level), lives };
}

const planIn = (values: Values): Plan =>
  planOf(settingsOf(values), (text(values, 'level') ?? '1') as Level, text(values, 'image'));

function plan(values: Values): void {
  const planned = planIn(values);
  const questions = allOf(planned);
  const asked = new Set(questions.map(({ operation }) => operation));
  const requests = questions.reduce((sum, one) => sum + timesOf(one), 0);
  const lives = planned.lives.map(({ noun, price }) => ({ noun: noun.name, price }));
  const price = sumOf(...lives.map((one) => one.price));
  if (values.json === true) printJson({ requests, price, lives, questions });
  else
    tell(
      ...questions.map(({ id, method, path, price: own = 0, level: needs }) => {
        const cost =
          own > 0 ? (needs === '3' ? `, at worst ${own} credits` : `, ${own} credits if it is accepted`) : '';
        return `${method.padEnd(6)} ${path}  ${id}${cost}`;
      }),
      '',
      ...lives.map((one) => `${one.noun}: at worst ${counted(one.price, 'credit')}`),
      `${counted(questions.length, 'question')} about ${counted(asked.size, 'operation')}, ${requests} requests${lives.length > 0 ? ' and looks at what is made' : ''}; at worst ${counted(price, 'credit')}.`,
    );
}

async function run(values: Values): Promise<void> {
  const to = platformIn(values);
  // A damaged one ends the command before anything is asked, which may cost credits.
  stored('accepted.json', ledgers.acceptedFile);
  stored('ledger.json', ledgers.ledgerFile);
  stored('observed.json', observedFile);
  stored('needs.json', needsFile);
  const planned = planIn(values);
  if (isChanging(planned)) {
    if (to.key === undefined) fail(2, 'Levels 2 and 3 need --key-from', { field: '--key-from' });
    if (values.yes !== true)
      fail(
        2,
        'Level 2 sends what the contract refuses, and level 3 makes things and removes them again: look at `cloudemu drift plan`, and add --yes',
        { field: '--yes' },
      );
    refuseUnclean(to);
  }
  const questions = to.key === undefined ? planned.questions.filter(({ as }) => as !== 'key') : planned.questions;
  const keyless = planned.questions.length - questions.length;
  await alone(() => ask(values, { ...planned, questions }, to, keyless));
}

async function ask(values: Values, planned: Plan, to: Platform, keyless: number): Promise<void> {
  const { config, surface } = planned;
  const { asked: theirs, read, left } = await askPlatform(planned, to);
  const state = stateIn(read, surface, config.profile);
  const { asked: ours, documented } = await askEmulator(planned, state);
  const questions = allOf(planned);
  // What could not be read is not in the emulator's world, on which its numbers rest.
  const isStateKnown = questions.every(
    ({ id, as, of, level: needs }) => as !== 'key' || of === 'nowhere' || Number(needs) > 1 || !theirs.couldNot.has(id),
  );
  const judge = (our: Asked): Judged =>
    isStateKnown
      ? judged(questions, our, theirs.facts, documented)
      : judged(questions, { ...our, facts: withoutNumbers(our.facts) }, withoutNumbers(theirs.facts), documented);
  const compared = judge(ours);
  const at = new Date(wallNow()).toISOString();
  const before = stored('ledger.json', ledgers.ledgerFile);
  const ledger = ledgers.after(before?.profile === config.profile ? before : ledgers.emptyLedger(config.profile), {
    at,
    profile: config.profile,
    version: theirs.version,
    ...compared,
  });
  const accepted = stored('accepted.json', ledgers.acceptedFile) ?? {};
  save('ledger.json', ledger);
  const written =
    values.write === true
      ? await writeOverlay(
          config,
          ledger,
          async (other) => judge((await askEmulator({ ...planned, config: other }, state)).asked).differences,
        )
      : [];
  save('observed.json', observedAfter(config.profile, theirs.facts, at));
  const priced = planned.lives.filter(({ price }) => price > 0);
  const isPaid = priced.length === 0 || priced.some(({ steps }) => theirs.facts.has(steps.create?.id ?? ''));
  conclude(values, {
    ledger,
    accepted,
    asked: theirs.facts.size,
    couldNot: theirs.couldNot,
    isEnough: theirs.facts.size >= (questions.length - theirs.without.size) * 0.8 && theirs.isAnyRead && isPaid,
    left,
    keyless,
    isEmulator: theirs.isEmulator,
    ...(values.write === true && { written }),
  });
}

function platformIn(values: Values): Platform {
  const given =
    text(values, 'against') || fail(2, '--against is required: the URL of the platform', { field: '--against' });
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const wrong = (message: string): never => fail(2, message, { field: '--against', received: given });
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    return wrong(`--against must be a URL such as https://api.example.com, got "${given}"`);
  if (url.protocol === 'http:' && !isLoopbackName(url.hostname))
    return wrong('--against must begin with https://, as the key would be sent in clear');
  const name = text(values, 'key-from');
  const key = name === undefined ? undefined : process.env[name];
  if (name !== undefined && (key === undefined || key === ''))
    return fail(2, `--key-from names the variable ${name}, which is not set`, { field: '--key-from', received: name });
  if (/[^!-~]/.test(key ?? ''))
    return fail(2, `The variable ${name} holds more than a key: a space, a line break or the like`, {
      field: '--key-from',
    });
  const [most, budget] = [Number(values['max-requests'] ?? 400), Number(values.budget ?? 0)];
  if (!(budget >= 0)) return fail(2, '--budget must be a number of credits from 0 on', { field: '--budget' });
  return { base: given.replace(/\/+$/, ''), host: url.hostname, key, most, budget };
}

async function cleanUp(values: Values): Promise<void> {
  const to = platformIn(values);
  if (to.key === undefined) fail(2, '`drift clean` needs --key-from', { field: '--key-from' });
  const config = settingsOf(values);
  const { runs, left } = await alone(() =>
    clean((name) => planOf(name === config.profile ? config : settingsOf({ ...values, profile: name }), '1'), to),
  );
  process.exitCode = left.length > 0 ? 4 : 0;
  if (values.json === true) printJson({ runs, left });
  else if (runs === 0) tell('No run has left anything behind.');
  else tell(...leftText(left), ...(left.length === 0 ? ['What was made is removed.'] : []));
}

const leftText = (left: readonly string[]): Line[] =>
  left.flatMap((one) => hanging([painted('red', 'LEFT BEHIND  ')], one));

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

async function needs(values: Values): Promise<void> {
  const deadline = performance.now() + durationOf('--budget', String(values.budget));
  const jobs = numberOf('--jobs', text(values, 'jobs'), 'runs', mostJobs) ?? availableParallelism();
  const config = exploredSettings(optionsIn(values));
  const { words, fields, needed, runs } = await tryFields(config, restOf(values), jobs, deadline);
  const found: Needs = {
    profile: config.profile,
    at: new Date(wallNow()).toISOString(),
    command: [...words],
    operations: needsOf(fields, (field) => needed.get(field)),
  };
  if (needed.size > 0) save('needs.json', found);
  process.exitCode = needed.size > 0 ? 0 : 3;
  const untried = fields.length - needed.size;
  if (values.json === true) printJson({ ...found, fields: fields.length, runs, untried });
  else
    tell(
      ...Object.entries(found.operations).flatMap(([operation, one]) =>
        hanging([`${operation}  `], one.needed.length > 0 ? `needs ${one.needed.join(', ')}` : 'needs no field'),
      ),
      `${[...needed.values()].filter(Boolean).length} of ${counted(fields.length, 'field')} needed, by ${counted(runs, 'run')}.`,
      ...(untried > 0
        ? [`There was no time for ${counted(untried, 'field')}, which count as needed: --budget gives more.`]
        : []),
    );
}

interface Concluded {
  ledger: ledgers.Ledger;
  accepted: ledgers.Accepted;
  asked: number;
  couldNot: ReadonlyMap<string, string>;
  isEnough: boolean;
  /** The names of what was left behind. */
  left?: readonly string[];
  /** How many questions were left out, as they need a key. */
  keyless?: number;
  /** That the platform is none. */
  isEmulator?: boolean;
  /** Settings that were written. */
  written?: readonly Changed[];
  /** That the platform was asked long ago. */
  warning?: string | undefined;
}

function conclude(
  values: Values,
  { ledger, accepted, asked, couldNot, isEnough, left = [], keyless = 0, isEmulator, written, warning }: Concluded,
): void {
  const wrong = ledgers.wrongWith(accepted, ledger, new Date(wallNow()).toISOString().slice(0, 10));
  const needed = stored('needs.json', needsFile);
  const isIdle = (finding: ledgers.Finding): boolean =>
    needed !== undefined && needed.profile === ledger.profile && !matters(finding, needed);
  const failing = ledgers.confirmed(ledger, accepted).filter(([, finding]) => !isIdle(finding));
  process.exitCode = left.length > 0 ? 4 : failing.length > 0 || wrong.length > 0 ? 1 : isEnough ? 0 : 3;
  const findings = Object.entries(ledger.findings);
  if (values.json === true) {
    printJson({
      asked,
      couldNotAsk: [...couldNot].map(([question, why]) => ({ question, why })),
      findings: findings.map(([finding, one]) => {
        const { operation, place, platform, emulator, assumption, runs } = one;
        return {
          finding,
          operation,
          place,
          platform,
          emulator,
          ...(assumption === null ? { defect: true } : { assumption }),
          runs,
          ...(accepted[finding] !== undefined && { accepted: accepted[finding]?.reason }),
          ...(needed !== undefined && { needed: !isIdle(one) }),
        };
      }),
      ledger: ledger.assumptions,
      wrong,
      left,
      ...(keyless > 0 && { leftOut: keyless }),
      ...(isEmulator === true && { isEmulator }),
      ...(written !== undefined && { overlay: written }),
      ...(warning !== undefined && { warning }),
    });
    return;
  }
  tell(
    ...findings.flatMap(([name, finding]) =>
      isIdle(finding) ? idleText(name, finding) : findingText(name, finding, accepted[name]?.reason),
    ),
    ...couldNotText(couldNot),
    ...wrong.map((one) => painted('red', one)),
    ...leftText(left),
    `${counted(asked, 'question')} answered, ${counted(couldNot.size, 'question')} could not be asked, ${counted(findings.length, 'difference')}.`,
    ...(keyless > 0 ? [`Without --key-from, ${counted(keyless, 'question')} that need a key were left out.`] : []),
    ...overlayText(written),
    ...(isEmulator === true
      ? [painted('yellow', 'This is an emulator, by its header X-Emulator: it proves nothing about the platform.')]
      : []),
    ...(warning === undefined
      ? []
      : [painted('yellow', `The platform was ${warning}: \`cloudemu drift run\` asks again.`)]),
    ...(isEnough
      ? []
      : failing.length > 0
        ? ['That is too little to say that the rest is the same.']
        : ['That is too little to say that both are the same: nothing is proved.']),
  );
}

function overlayText(written: readonly Changed[] | undefined): Line[] {
  if (written === undefined) return [];
  if (written.length === 0) return ['No setting makes the emulator say what the platform said in two runs.'];
  return [
    ...written.map(({ path, value }): Line => [painted('green', 'SETTING  '), `${path} = ${JSON.stringify(value)}`]),
    `Try it: cloudemu start --config ${relative(process.cwd(), fileOf('overlay.json'))}`,
  ];
}

const mostNamed = 3;

/** The questions that were not answered, those with one reason together. */
function couldNotText(couldNot: ReadonlyMap<string, string>): Line[] {
  const reasons = [...new Set(couldNot.values())];
  return reasons.flatMap((why) => {
    const own = [...couldNot].flatMap(([question, one]) => (one === why ? [question] : []));
    const more = own.length > mostNamed ? ` and ${own.length - mostNamed} more` : '';
    return hanging([painted('yellow', 'COULD NOT ASK  ')], `${own.slice(0, mostNamed).join('; ')}${more}: ${why}`);
  });
}

const idleText = (name: string, { platform, emulator }: ledgers.Finding): Line[] =>
  hanging(['NOT NEEDED  '], `${name}: ${saysText(platform, emulator)}`);

function saysText(platform: string, emulator: string): string {
  const plain = (kinds: string): string => kinds.replace(/(^| or )=/g, '$1').replaceAll(' is true', ' is right');
  return `the platform says ${plain(platform)}, the emulator ${plain(emulator)}`;
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
    `  ${saysText(platform, emulator)}`,
    `  ${whose}; ${reason ?? seen}`,
  ];
}

async function check(values: Values): Promise<void> {
  const config = settingsOf(values);
  const observed = stored('observed.json', observedFile);
  if (observed === undefined)
    fail(2, `There is no ${fileOf('observed.json')}: \`cloudemu drift run\` writes it`, { code: 'FILE_UNUSABLE' });
  if (observed?.profile !== config.profile)
    fail(
      2,
      `${fileOf('observed.json')} is of the profile ${observed?.profile}, not ${config.profile}: name it with --profile`,
      {
        field: '--profile',
        received: config.profile,
      },
    );
  const isSeen = ({ id }: { id: string }): boolean => observed?.questions[id] !== undefined;
  const all = { ...planOf(config, '2'), lives: planOf(config, '3').lives };
  const planned = {
    ...all,
    questions: all.questions.filter(isSeen),
    lives: all.lives.filter(({ steps }) => Object.values(steps).some(isSeen)),
  };
  const { asked, documented } = await askEmulator(planned, sample);
  const questions = allOf(planned).filter(isSeen);
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
    warning: ledgers.ageWarning(
      questions
        .map(({ id }) => observed?.questions[id]?.last ?? '')
        .sort()
        .at(-1),
      wallNow(),
    ),
  });
}

const isRelation = (place: string): boolean => (relations as readonly string[]).includes(place);

/** Answers without numbers, but for prices and windows, which follow the state of the account: no file holds it. */
function withoutNumbers(all: ReadonlyMap<string, Facts>): Map<string, Facts> {
  const plain = (kinds: readonly string[]): string[] => [
    ...new Set(kinds.map((kind) => (kind.startsWith('=') ? 'int' : kind))),
  ];
  return new Map(
    [...all].map(([id, facts]) => [
      id,
      Object.fromEntries(
        Object.entries(facts).map(([place, kinds]) => [place, isRelation(place) ? kinds : plain(kinds)]),
      ),
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
  const known = ledger?.assumptions ?? ledgers.knownStates();
  const now = wallNow();
  const shown = Object.keys(assumptions)
    .filter((one) => id === undefined || one === id)
    .map((one) => ({
      assumption: one,
      state: known[one]?.state ?? 'untested',
      since: known[one]?.since ?? null,
      last: known[one]?.last ?? null,
      findings: Object.entries(ledger?.findings ?? {})
        .filter(([, { assumption }]) => assumption === one)
        .map(([name]) => name),
      tests: tests.filter(({ on }) => on.includes(one)).map(({ label }) => label),
    }));
  const version = ledger?.version;
  if (values.json === true) printJson({ ...(version !== undefined && { version }), assumptions: shown });
  else
    tell(
      ...(version === undefined ? [] : [`The platform has the version ${version}.`]),
      ...shown.flatMap(({ assumption, state, since, last, findings, tests: own }): Line[] => [
        [
          painted(state === 'refuted' ? 'red' : state === 'confirmed' ? 'green' : 'yellow', state.padEnd(10)),
          ` ${[assumption, ...(since === null ? [] : [`since ${since.slice(0, 10)}`]), ledgers.ageWarning(last ?? undefined, now) ?? []].flat().join('  ')}`,
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
