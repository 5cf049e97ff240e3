// A command that is run against a new emulator: settings and flags of that emulator, what the scenario expects of the
// command (how long it may take, with what it may fail), and how reports show it.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { operationIds } from '../app/emulator.js';
import { flags } from '../config/flags.js';
import { writeJsonFile } from '../config/json-file.js';
import { loadConfig } from '../config/load.js';
import { noScenario } from '../config/names.js';
import type { Config } from '../config/schema.js';
import { demandWritable, readFoundText } from '../core/checkout-files.js';
import { parseDuration } from '../core/duration.js';
import { whyUnwritten } from '../core/files.js';
import { makeDataDir } from '../core/own-directory.js';
import { createSecretFinder, isSecretHeader, mask, secrecyOf } from '../core/secrets.js';
import { isTree } from '../core/tree.js';
import { failureIn, signsOf, signsOfErrors } from '../tools/explore/output.js';
import type { Receipt } from '../tools/receipt/receipt.js';
import { createLibrary } from '../tools/scenarios/library.js';
import { documentOfSetting } from '../tools/scenarios/named.js';
import type { ScenarioInput } from '../tools/scenarios/schema.js';
import { note, tellError } from './print.js';
import type { StartOptions } from './start-options.js';

const { profile, clock, frozen, timing, strict } = flags;
// No data directory keeps one.
const seed = { ...flags.seed, byDefault: 'that of the scenario, else a random one' };

/** The flags of `start` that mean something for an emulator of the moment. */
export const worldFlags = { profile, seed, clock, frozen, timing, strict };

/** The seed where nothing else gives one and runs must be alike. */
export const usualSeed = 'explore';

/** The number of requests that its journal keeps: the most that the setting allows. */
export const keptRequests = 10_000;

/** The settings of an emulator of the moment: in memory, on a free port, for this machine. */
export function freshSettings({ config: file, flags: given }: StartOptions): Config {
  const flags = { ...given, port: 0, ephemeral: true, quiet: true };
  const { config, warnings } = loadConfig({ file, env: process.env, flags, operations: operationIds });
  for (const warning of warnings) note(`warning: ${warning}`);
  return {
    ...config,
    server: { ...config.server, host: 'localhost', publicUrl: null },
    worlds: { ...config.worlds, persist: false },
    data: { ...config.data, journal: keptRequests },
  };
}

/**
 * The document of a scenario, by its name or its file: what checks it are the worlds that begin with it.
 *
 * @throws ConfigError if it is not there, or cannot be read
 */
export function scenarioDocument({ data }: Config, scenario: string | null | undefined): ScenarioInput {
  if (scenario === null || scenario === undefined || scenario === noScenario) return {};
  const document = documentOfSetting(createLibrary(data), scenario);
  return isTree(document) ? document : {};
}

/** The expectations that the scenario of the settings, which was checked, has of the command. */
export function expectedCommand(config: Config, words: readonly string[]) {
  const { command = {}, seed, faults = [], worlds = {} } = scenarioDocument(config, config.scenario);
  const all = [['default', { faults }] as const, ...Object.entries(worlds)];
  const signs = all.flatMap(([label, { faults: rules = [], ...addition }]) => [
    ...rules.map(({ effect }) => ({ label, signs: signsOf(effect as Parameters<typeof signsOf>[0]) })),
    ...('containers' in addition ? (addition.containers ?? []) : []).map(({ mode }) => ({
      label,
      signs: signsOf(undefined, mode ?? ''),
    })),
  ]);
  const shows = (output: string, codes: ReadonlySet<string>): boolean => {
    const later = signsOfErrors(codes);
    return signs.some((one) => failureIn(output, one.label, [...one.signs, ...later]) === 'platform');
  };
  const mayFail = command.mayFailWithFault === true;
  return {
    /** Time after which it is killed. */
    limitMs: command.within === undefined ? undefined : parseDuration(command.within),
    /**
     * Whether what it printed shows the error of a fault, or one of those that came after it, and nothing worse;
     * undefined: it must not fail.
     */
    mayFail: mayFail ? shows : undefined,
    /** Variables with which it prints what `mayFail` reads. */
    causes: mayFail ? showingCauses(words) : {},
    /** Each test gets a world of its own, with this seed; undefined: none does without a fixture. */
    seedOfTests: command.worldPerTest === true ? String(config.seed ?? seed ?? usualSeed) : undefined,
  };
}

/**
 * The codes of errors that came after the first fault, to requests that met none: they may follow from it.
 *
 * @param requests the latest first
 */
export function laterErrors(requests: readonly { errorCode: string | null; fault: string | null }[]): string[] {
  const first = requests.findLastIndex(({ fault }) => fault !== null);
  return requests
    .slice(0, Math.max(0, first))
    .flatMap(({ errorCode, fault }) => (errorCode === null || fault !== null ? [] : [errorCode]));
}

/** The advice for a command that has sent no request. */
export function silenceText({ baseUrl, apiKey }: Config['env']): string {
  const [url = 'CLOUDEMU_URL'] = baseUrl;
  const key = apiKey[0] === undefined ? '' : ` with the key in ${apiKey[0]}`;
  return `No request came: let the command send its requests to the URL in ${url}${key}, which it was given.`;
}

/**
 * The variable with which `node --test` prints the causes of errors, whatever starts it: up to Node 22 its reporter without a
 * terminal leaves them out, and nothing would show that a client's typed error passes on that of a connection. A project that
 * chooses a reporter keeps it.
 */
export function showingCauses(command: readonly string[]): { NODE_OPTIONS?: string } {
  const reporter = '--test-reporter';
  const { NODE_OPTIONS = '' } = process.env;
  if ([...command, NODE_OPTIONS, manifest()].some((text) => text.includes(reporter))) return {};
  return { NODE_OPTIONS: `${NODE_OPTIONS} ${reporter}=spec`.trim() };
}

// The package.json of the working directory, whose scripts npm runs.
function manifest(): string {
  try {
    return readFoundText('package.json');
  } catch {
    return '';
  }
}

/** Writes a report, if one is asked for, and makes its directory; says why it cannot. */
export function writeReport(file: string | undefined, textOf: () => string): boolean {
  if (file === undefined) return true;
  return attempt(file, () => {
    demandWritable(file);
    if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, textOf());
  });
}

/** Writes a file; says why it cannot, and returns whether it could. */
export function attempt(file: string, write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    tellError(1, `${file} ${whyUnwritten(error)}`, { code: 'FILE_UNUSABLE' });
    return false;
  }
}

/**
 * The words of a command without the secrets among them, as reports repeat it: CI keeps them for everybody.
 *
 * @param prefixes what keys begin with
 * @example reportedWords(['deploy', '--token=abc', '--password', 'def'], []) // deploy --token=******** --password ********
 */
export function reportedWords(words: readonly string[], prefixes: readonly string[]): string[] {
  const finder = createSecretFinder(prefixes);
  return words.map((word, index) => {
    const [, option] = /^--?([\w.-]+)$/.exec(words[index - 1] ?? '') ?? [];
    if (option !== undefined && !word.startsWith('-') && secrecyOf(option) !== 'none') return mask;
    const [, start, name = '', value] = /^(-{0,2}([\w.-]+)=)(.*)$/s.exec(word) ?? [];
    if (start !== undefined && value !== '' && secrecyOf(name) !== 'none') return start + mask;
    const [, begun, header = ''] = /^(([\w-]+):\s*)./.exec(word) ?? [];
    if (begun !== undefined && isSecretHeader(header.toLowerCase())) return begun + mask;
    return finder.clean(word);
  });
}

// The receipt of a run, `.cloudemu/receipt.json`: what a command has really exercised.

export const receiptFile = 'receipt.json';

export const receiptFlag = {
  receipt: {
    type: 'string',
    describe: 'Write the receipt of what was exercised to this file',
    byDefault: '.cloudemu/receipt.json',
  },
} as const;

/**
 * Writes a receipt, and says why it cannot.
 *
 * @param asked the file that somebody named; undefined: the usual one in the data directory
 * @returns false if a file that was asked for is not there
 */
export function writeReceipt(receipt: Receipt, asked: string | undefined, dataDir: string): boolean {
  const file = asked ?? join(dataDir, receiptFile);
  const isWritten = attempt(file, () => {
    if (asked === undefined) makeDataDir(dataDir);
    writeJsonFile(file, receipt);
  });
  return isWritten || asked === undefined;
}
