// `cloudemu import`: makes a scenario of a recording, proves it, and says how each part of it is known.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { flags } from '../../config/flags.js';
import { readJsonFile, writeJsonFile } from '../../config/json-file.js';
import type { Config } from '../../config/schema.js';
import { demandWritable } from '../../core/checkout-files.js';
import { ApiError } from '../../core/errors.js';
import { whyUnread, whyUnwritten } from '../../core/files.js';
import { parseInstant } from '../../core/instant.js';
import { typedCommand } from '../../core/typed-command.js';
import { counted } from '../../core/words.js';
import type { Exchange, Recording } from '../../tools/incidents/exchange.js';
import { type Fact, fact } from '../../tools/incidents/facts.js';
import type { Incident, Said } from '../../tools/incidents/incident.js';
import { readRecording } from '../../tools/incidents/read.js';
import { Unreadable } from '../../tools/incidents/unreadable.js';
import { scenarioDir, scenarioNames } from '../../tools/scenarios/library.js';
import type { ScenarioInput } from '../../tools/scenarios/schema.js';
import { overlaid } from '../../world/settings.js';
import { type Command, json, restOf, settingsFile, text, type Values } from '../command.js';
import { type Chosen, twiceIn } from '../import/choose.js';
import { type Conclusion, conclude, proofText } from '../import/conclude.js';
import { importRecordings } from '../import/from-recordings.js';
import { minimised } from '../import/minimise.js';
import { createProver, type Prover } from '../import/prove.js';
import { testFileOf, testKinds } from '../import/test-file.js';
import { hanging } from '../layout.js';
import { fail, type Line, painted, printJson, tell } from '../print.js';
import { startOptions } from '../start-options.js';
import { freshSettings } from '../tested-command.js';

const nameArg = { name: 'name', describe: 'Name of the incident', required: true };

export const importCommands: readonly Command[] = [
  {
    words: 'import check',
    describe: 'Prove the scenario of an incident again; exit code 1 where answers are not as recorded',
    args: [nameArg],
    flags: { ...settingsFile, ...json },
    examples: [['import check double', 'after an upgrade; the incident was imported with --keep']],
    run: check,
  },
  {
    words: 'import show',
    describe: 'Print how each part of the scenario of an incident is known: seen, inferred, assumed, unknown',
    args: [nameArg],
    flags: { ...settingsFile, ...json },
    examples: [['import show double', 'the statements, with the entries of the recording behind them']],
    run: show,
  },
  {
    words: 'import',
    describe: 'Make a scenario of recorded traffic with the platform, so that an incident becomes a test',
    args: [
      {
        name: 'file',
        describe: 'The recording: HAR, keploy, a cassette of VCR or vcrpy, a log of a web server, OTLP',
        required: true,
        isRepeated: true,
      },
    ],
    rest: 'command',
    restIsOptional: true,
    flags: {
      name: { type: 'string', describe: 'Name of the incident', byDefault: 'that of the file' },
      host: { type: 'string', describe: 'Host that is the platform', byDefault: 'the one with the most known paths' },
      from: { type: 'string', describe: 'Only requests from this time on (ISO 8601)' },
      to: { type: 'string', describe: 'Only requests up to this time (ISO 8601)' },
      caller: { type: 'number', describe: 'Only this caller, counted from 1', meant: 'a number from 1' },
      say: {
        type: 'string',
        describe: 'What the recording does not show: credits=12, took-effect:4=no; may be given several times',
        isRepeated: true,
      },
      profile: { ...flags.profile, byDefault: 'the one that answers like this' },
      keep: { type: 'boolean', describe: 'Keep the requests without secrets, for `import check`' },
      squeeze: { type: 'boolean', describe: 'Shorten gaps of more than ten minutes to a second' },
      test: { type: 'string', describe: 'Also write a test that calls your client', choices: testKinds },
      minimise: {
        type: 'boolean',
        describe: 'Leave only what the command behind -- needs to fail: it runs once for each circumstance',
      },
      ...settingsFile,
      ...json,
    },
    exits: '3: written, but nothing says what went wrong',
    examples: [
      ['import incident.har', 'writes scenarios/incidents/incident.json, and says what is known'],
      ['import incident.har --say took-effect:4=no', 'decides what the recording leaves open'],
      ['import incident.har --minimise -- npm test', 'leaves what the test fails for'],
    ],
    run: importFiles,
  },
];

const factsFile = z.object({ facts: z.array(fact.unwrap()) });
const writtenFile = z.object({ written: z.array(z.string()) });
const keptFile = z.object({ exchanges: z.array(z.unknown()), twice: z.array(z.int()) });

interface Places {
  scenario: string;
  other: string;
  facts: string;
  exchanges: string;
}

function placesOf(config: Config, name: string): Places {
  if (!scenarioNames.test(name))
    fail(2, `"${name}" cannot be the name of an incident: letters, digits, dots, dashes and underscores, at most 64`, {
      field: '--name',
    });
  const at = join(scenarioDir(config.data), 'incidents', name);
  const fileOf = (kind: string): string => `${at}${kind}.json`;
  return { scenario: fileOf(''), other: fileOf('.not'), facts: fileOf('.facts'), exchanges: fileOf('.exchanges') };
}

/** A text that is another one when somebody has changed what a file says. */
function markOf(file: string): string | undefined {
  const reading = readJsonFile(file);
  return 'value' in reading ? createHash('sha256').update(JSON.stringify(reading.value)).digest('hex') : undefined;
}

/** Ends the command where it would replace what somebody has written, such as what is expected. */
function demandUntouched({ scenario, other, facts }: Places): void {
  const reading = readJsonFile(facts);
  const { success, data } = writtenFile.safeParse('value' in reading ? reading.value : {});
  const changed = [scenario, other].find(
    (file) => existsSync(file) && !(success && data.written.includes(markOf(file) ?? '')),
  );
  if (changed === undefined) return;
  const why = `${relative(changed)} is not as \`cloudemu import\` has written it: it stays`;
  fail(2, `${why}. Give this incident another --name, or move that file away`, { field: '--name' });
}

async function importFiles(values: Values): Promise<void> {
  const files = filesIn(String(values.file));
  if (values.minimise === true && restOf(values).length === 0)
    fail(2, '--minimise needs a command behind --', { field: '--minimise' });
  const config = freshSettings(startOptions(values));
  const name =
    text(values, 'name') ??
    basename(files[0] ?? '')
      .replace(/\.[^.]*$/, '')
      .replace(/[^\w.-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 64);
  const places = placesOf(config, name);
  demandUntouched(places);
  const recordings: Recording[] = [];
  for (const file of files)
    recordings.push(
      await readRecording(file).catch((error: unknown) =>
        fail(2, error instanceof Unreadable ? error.message : `${file}: ${whyUnread(error)}`, { code: 'USAGE' }),
      ),
    );
  const entries = recordings.reduce((sum, one) => sum + one.exchanges.length, 0);
  const said = saidIn(values);
  const imported = await importRecordings(recordings, {
    config,
    name,
    profile: text(values, 'profile'),
    host: text(values, 'host'),
    from: instantOf(values, 'from'),
    to: instantOf(values, 'to'),
    caller: values.caller === undefined ? undefined : Number(values.caller),
    said,
    squeeze: values.squeeze === true,
  }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    return fail(2, `${files.join(', ')} cannot become a scenario: ${error.message}`, {
      code: 'USAGE',
      field: '<file>',
    });
  });
  if (imported === undefined)
    return fail(2, `No request in ${files.join(', ')} is one of the platform: --host names its host`, {
      code: 'USAGE',
      field: '<file>',
    });
  const { incident, exchanges, chosen, conclusion, prover } = imported;
  try {
    demandAsked(said, incident, entries);
    const smaller = values.minimise === true ? smallerOf(conclusion.scenario, restOf(values)) : undefined;
    const other = chosen.undecided.length === 0 ? undefined : await otherWorld(name, incident, chosen, prover);
    write(places, name, { ...conclusion, ...smaller, other }, chosen, values.keep === true ? exchanges : undefined);
    report(values, places, name, conclusion, exchanges, recordings, other && places.other, [
      ...testLines(values, config, name),
      ...(smaller?.says ?? []),
    ]);
  } finally {
    await prover.close();
  }
}

// Several names come with spaces between.
function filesIn(given: string): string[] {
  return existsSync(given) ? [given] : given.split(' ').filter((one) => one !== '');
}

function instantOf(values: Values, name: string): number | undefined {
  const given = text(values, name);
  if (given === undefined) return undefined;
  return (
    parseInstant(given) ??
    fail(2, `--${name} must be an ISO 8601 time with a zone, got "${given}"`, { field: `--${name}` })
  );
}

function saidIn(values: Values): Said {
  const tookEffect = new Map<number, boolean>();
  let credits: number | undefined;
  for (const one of (text(values, 'say') ?? '').split(',').filter((part) => part !== '')) {
    const [, amount] = /^credits=(\d+(?:\.\d+)?)$/.exec(one) ?? [];
    const [, entry, answer] = /^took-effect:(\d+)=(yes|no)$/.exec(one) ?? [];
    if (amount !== undefined) credits = Number(amount);
    else if (entry !== undefined) tookEffect.set(Number(entry), answer === 'yes');
    else
      fail(2, `--say must be credits=<number> or took-effect:<entry>=yes or =no, got "${one}"`, {
        field: '--say',
        received: one,
      });
  }
  return { tookEffect, credits };
}

/** Ends the command where an answer is to a question that this recording does not leave open. */
function demandAsked({ tookEffect }: Said, { open }: Incident, entries: number): void {
  const asked = open.flatMap(({ name, exchange }) => (name.startsWith('effect:') ? [exchange.index] : []));
  const idle = [...tookEffect.keys()].find((entry) => !asked.includes(entry));
  if (idle === undefined) return;
  const doubt = asked.length === 0 ? 'none' : `only entry ${asked.join(', ')}`;
  const why = `of ${entries}, counted from 0, ${doubt} may have taken effect without saying so`;
  fail(2, `--say took-effect:${idle} is about no entry in doubt: ${why}`, { field: '--say' });
}

function write(
  places: Places,
  name: string,
  { scenario, facts, steps, other }: Conclusion & { other: ScenarioInput | undefined },
  { picks }: Chosen,
  kept: readonly Exchange[] | undefined,
): void {
  try {
    const $facts = `${name}.facts.json`;
    writeJsonFile(places.scenario, { $facts, ...scenario });
    if (other !== undefined) writeJsonFile(places.other, { $facts, ...other });
    const written = [places.scenario, places.other].flatMap((file) => markOf(file) ?? []);
    writeJsonFile(places.facts, { facts, steps, written });
    if (kept !== undefined) writeJsonFile(places.exchanges, { exchanges: kept, twice: [...twiceIn(picks)] });
  } catch (error) {
    fail(1, `${places.scenario} ${whyUnwritten(error)}`, { code: 'FILE_UNUSABLE' });
  }
}

/** Where nothing shows whether a lost request took effect, both worlds are written. */
async function otherWorld(name: string, incident: Incident, chosen: Chosen, prover: Prover): Promise<ScenarioInput> {
  const picks = { ...chosen.picks };
  for (const point of chosen.undecided) picks[point.name] = picks[point.name] === 'no' ? 'yes' : 'no';
  const scenario = incident.scenarioWith(picks, chosen.more);
  const proof = await prover.prove(incident.exchanges, scenario, twiceIn(picks));
  const title = `Incident ${name}, if what was lost did not happen as in the other one`;
  return conclude(incident, { ...chosen, picks, scenario, proof }, title).scenario;
}

const kindIn = (values: Values) => testKinds.find((one) => one === values.test);

/** Writes the test that is asked for, but never over one that the user has filled in. */
function testLines(values: Values, config: Config, name: string): string[] {
  const kind = kindIn(values);
  if (kind === undefined) return [];
  const { file, text } = testFileOf(kind, name);
  const path = join(scenarioDir(config.data), '..', file);
  if (existsSync(path)) return [`${file} is there already, and stays.`];
  demandWritable(path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return [`Written: ${file}. Call your client in it.`];
}

/** The commands that lead on. */
function nextOf(values: Values, places: Places, name: string): string[] {
  const kind = kindIn(values);
  const command = kind === undefined ? ['npm', 'test'] : testFileOf(kind, name).command;
  // Such a test starts an emulator of its own.
  if (kind === 'vitest' || kind === 'node') return [command.join(' ')];
  const scenario = relative(places.scenario);
  return [
    ['run', scenario],
    ['explore', '--scenario', scenario],
  ].map((own) => typedCommand([...own, '--', ...command]));
}

/** The scenario with what a command needs to fail, and what is said of it. */
function smallerOf(scenario: ScenarioInput, command: readonly string[]) {
  const found = minimised(scenario, command);
  if (found === 'fails anyway')
    return fail(
      2,
      `The command fails also without the incident, so not because of it: \`cloudemu run -- ${command.join(' ')}\` shows why. Nothing was written.`,
      { field: '--minimise' },
    );
  if (found === 'does not fail')
    return { scenario, says: ['The command does not fail with this scenario: nothing was taken away.'] };
  const { before, after, runs } = found;
  const says = `${after} of ${counted(before, 'circumstance')} left after ${counted(runs, 'run')}: the command needs no other to fail.`;
  return { scenario: found.scenario, says: [says] };
}

const colours = { seen: 'green', inferred: 'bold', assumed: 'yellow', unknown: 'red' } as const;

const factLines = (facts: readonly Fact[]): Line[] =>
  facts.flatMap(({ kind, text, entries }) => {
    const from =
      entries.length === 0
        ? ''
        : ` (${entries.length === 1 ? 'entry' : 'entries'} ${entries.slice(0, 8).join(', ')}${entries.length > 8 ? ', …' : ''})`;
    return hanging([painted(colours[kind], kind.padEnd(9))], text + from);
  });

function report(
  values: Values,
  places: Places,
  name: string,
  conclusion: Conclusion,
  exchanges: readonly Exchange[],
  recordings: readonly Recording[],
  other: string | undefined,
  more: readonly string[],
): void {
  const { facts, broken, differences } = conclusion;
  const exitCode = differences.length > 0 ? 1 : broken.length === 0 ? 3 : 0;
  process.exitCode = exitCode;
  const next = nextOf(values, places, name);
  if (values.json === true) {
    printJson({
      ok: exitCode === 0,
      scenario: places.scenario,
      factsFile: places.facts,
      ...(other !== undefined && { other }),
      answers: exchanges.length,
      differences,
      broken,
      facts,
      next,
    });
    return;
  }
  tell(
    `${counted(exchanges.length, 'request')} of ${recordings.map(({ format }) => format).join(', ')}. ${proofText(exchanges.length, differences)}`,
    broken.length === 0 ? 'The client broke no rule.' : `The client broke ${broken.join(', ')}.`,
    '',
    ...factLines(facts),
    '',
    `Written: ${relative(places.scenario)}, ${relative(places.facts)}${other === undefined ? '' : `, ${relative(other)}`}`,
    ...more,
    ...next,
  );
}

const relative = (file: string): string =>
  file.startsWith(`${process.cwd()}/`) ? file.slice(process.cwd().length + 1) : file;

function show(values: Values): void {
  const places = placesOf(freshSettings(startOptions(values)), String(values.name));
  const { facts } = parsed(places.facts, factsFile);
  if (values.json === true) printJson({ facts });
  else tell(...factLines(facts));
}

function parsed<Output>(file: string, schema: z.ZodType<Output>): Output {
  const reading = readJsonFile(file);
  if ('problem' in reading)
    return fail(
      2,
      `${file}: ${reading.problem}. \`cloudemu import\` writes it${file.endsWith('.exchanges.json') ? ' with --keep' : ''}`,
      { code: 'USAGE' },
    );
  const { success, data } = schema.safeParse(reading.value);
  return success ? data : fail(2, `${file} is not what \`cloudemu import\` writes`, { code: 'USAGE' });
}

async function check(values: Values): Promise<void> {
  const config = freshSettings(startOptions(values));
  const places = placesOf(config, String(values.name));
  const { exchanges: kept, twice } = parsed(places.exchanges, keptFile);
  const exchanges = kept as Exchange[];
  const scenario = parsed(places.scenario, z.record(z.string(), z.unknown())) as ScenarioInput;
  const prover = await createProver(overlaid(config, scenario.settings ?? {}));
  const { differences } = await prover.prove(exchanges, scenario, new Set(twice)).finally(() => prover.close());
  process.exitCode = differences.length === 0 ? 0 : 1;
  if (values.json === true) return printJson({ ok: differences.length === 0, answers: exchanges.length, differences });
  tell(
    proofText(exchanges.length, differences),
    ...differences.flatMap(({ entry, recorded, came }) =>
      hanging([`entry ${entry}  `], `recorded: ${recorded}; came: ${came}`),
    ),
  );
}
