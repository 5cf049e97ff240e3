// Usage errors of a command line, with hints at the correct usage.

import { parseDuration } from '../core/duration.js';
import { nearest } from '../core/nearest.js';
import type { Command, Flag } from './command.js';
import { numeral } from './start-options.js';
import { commandsMeant, optionMeant } from './synonyms.js';

type Shape = Pick<Command, 'words' | 'bare' | 'args' | 'valueIs' | 'rest' | 'flags'>;

/** The command line with the command that a group's name alone means, and flags of one letter by their names. */
export function spelledOut(given: readonly string[], commands: readonly Shape[]): readonly string[] {
  const argv = withKnownNumber(given, commands);
  const [group, next] = argv;
  if (asksForHelp(argv)) return argv;
  const bare = commands.find((command) => command.bare === true && command.words.split(' ')[0] === group);
  const whole =
    bare === undefined || next?.startsWith('-') === false ? argv : [...bare.words.split(' '), ...argv.slice(1)];
  const shorts = Object.entries(commandOf(whole, commands)?.flags ?? {});
  return whole.map((word) => {
    const meant = shorts.find(([, { short }]) => short !== undefined && word === `-${short}`);
    return meant === undefined ? word : `--${meant[0]}`;
  });
}

// `containers` means the group `container`, and `fault` the group `faults`: singular and plural are one noun.
function withKnownNumber(argv: readonly string[], commands: readonly Shape[]): readonly string[] {
  const [noun = '', ...rest] = argv;
  const known = new Set(commands.map(({ words }) => words.split(' ')[0]));
  if (known.has(noun) || !/^[a-z]{2,}$/.test(noun)) return argv;
  const others = [`${noun}s`, noun.replace(/s$/, ''), noun.replace(/y$/, 'ies'), noun.replace(/ies$/, 'y')];
  const meant = others.find((other) => other !== noun && known.has(other));
  return meant === undefined ? argv : [meant, ...rest];
}

/** The command that a command line begins with. */
export function commandOf<Known extends Shape>(argv: readonly string[], commands: readonly Known[]): Known | undefined {
  return commands.find(({ words }) => words === argv.slice(0, words.split(' ').length).join(' '));
}

/** Whether help is wanted, and nothing else. */
export function asksForHelp(argv: readonly string[]): boolean {
  // Words after `--` may be a command with flags of its own.
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  return own.some((word) => word === '--help' || word === '-h');
}

/** The first usage error in a command line, or undefined. Asking for the help of what there is, or the version, is none. */
export function usageErrorIn(argv: readonly string[], commands: readonly Shape[]): string | undefined {
  if (argv[0] === '--version') return undefined;
  if (asksForHelp(argv)) return helpForNothing(argv, commands);
  if (/^(-v|-V|version)$/.test(argv[0] ?? '')) return `There is no command "${argv[0]}"; did you mean --version?`;
  if (argv[0]?.startsWith('-') === true) return flagBeforeCommand(argv, commands);
  const command = commandOf(argv, commands);
  if (command === undefined) return unknownCommand(argv, commands);
  const rest = argv.slice(command.words.split(' ').length);
  if (command.rest === undefined) return usageErrorInRest(command, rest);
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
  const problem = usageErrorInRest(command, rest.slice(0, end));
  if (problem !== undefined || end < rest.length - 1) return problem;
  return `${command.words} needs a ${command.rest} after --: \`${usageOf(command)}\``;
}

// Help exists for commands, for groups, and for the whole program; any other word is unknown.
function helpForNothing(argv: readonly string[], commands: readonly Shape[]): string | undefined {
  const [group = ''] = argv;
  const isKnown = group.startsWith('-') || commands.some(({ words }) => words.split(' ')[0] === group);
  return isKnown ? undefined : unknownCommand([group], commands);
}

function flagBeforeCommand(argv: readonly string[], commands: readonly Shape[]): string {
  const name = flagName(argv[0] ?? '');
  const having = commands.filter(({ flags }) => Object.hasOwn(flags, name));
  // If many commands have the flag, nobody knows which of them is meant.
  const owner = having.find(({ words }) => words === 'start') ?? (having.length === 1 ? having[0] : undefined);
  const meant = withCommandFirst(argv, commands) ?? [owner?.words, ...argv];
  const hint =
    meant[0] === undefined ? '`cloudemu --help` lists them' : `did you mean \`cloudemu ${meant.join(' ')}\`?`;
  return `${argv[0]} is a flag where a command is expected; ${hint}`;
}

function withCommandFirst(argv: readonly string[], commands: readonly Shape[]): string[] | undefined {
  const known = commands
    .flatMap(({ words, bare }) => [words.split(' '), ...(bare === true ? [words.split(' ').slice(0, 1)] : [])])
    .sort((a, b) => b.length - a.length);
  for (const at of argv.keys()) {
    const words = known.find((one) => one.every((word, index) => argv[at + index] === word));
    if (words !== undefined) return [...words, ...argv.slice(0, at), ...argv.slice(at + words.length)];
  }
  return undefined;
}

function unknownCommand(argv: readonly string[], commands: readonly Shape[]): string {
  const wordsAt = (depth: number): string => argv.slice(0, depth).join(' ');
  const groupAt = (depth: number): string[] =>
    commands.map(({ words }) => words).filter((words) => depth === 0 || words.startsWith(`${wordsAt(depth)} `));
  // The number of words that name a group.
  let depth = 0;
  while (depth < argv.length && groupAt(depth + 1).length > 0) depth++;
  const next = argv[depth];
  if (depth > 0 && (next === undefined || next.startsWith('-'))) {
    const inside = groupAt(depth).map((words) => `\`cloudemu ${words}\``);
    return `${wordsAt(depth)} alone does nothing: ${inside.join(' or ')}`;
  }
  const said = wordsAt(depth + 1);
  const known = new Set(
    groupAt(depth).map((words) =>
      words
        .split(' ')
        .slice(0, depth + 1)
        .join(' '),
    ),
  );
  const start = depth === 0 ? '' : `${wordsAt(depth)} `;
  const near = nearest(
    next ?? '',
    [...known].map((words) => words.slice(start.length)).concat(depth === 0 ? ['help'] : []),
  );
  // The word behind a scenario's name is a flag; `scenario delete mine` means something else.
  const isName = argv[depth + 1]?.startsWith('-') !== false;
  const suggestion =
    commandMeant(said) ?? (near !== undefined ? start + near : isName ? commandMeant(`${start}*`) : undefined);
  return `There is no command "${said}"${suggestion === undefined ? '' : `; did you mean ${suggestion}?`} (\`cloudemu ${depth === 0 ? '' : `${argv[0]} `}--help\` lists them)`;
}

function commandMeant(said: string): string | undefined {
  return Object.hasOwn(commandsMeant, said) ? `\`cloudemu ${commandsMeant[said]}\`` : undefined;
}

function usageErrorInRest(command: Shape, rest: readonly string[]): string | undefined {
  const { words, args = [], flags } = command;
  let taken = 0;
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? '';
    if (word === '--') continue;
    if (!/^-./.test(word) || rest.slice(0, i).includes('--')) {
      const arg = args[taken++] ?? args.find(({ isRepeated }) => isRepeated);
      if (arg === undefined) return extraArgument(command, word);
      if (word === '') return `${words} needs ${arg.name}, got an empty one`;
      const problem = usageErrorInChoice(arg.name, arg.choices, word) ?? withoutUnit(arg, words, word);
      if (problem !== undefined) return problem;
      continue;
    }
    const [, no = '', name = '', value] = /^--(no-)?([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    const arg = args[taken];
    if (flag === undefined && arg !== undefined && /^-\.?\d/.test(word)) {
      const { name: argument, meant, least } = arg;
      if (meant !== undefined) return `${words} takes ${meant}, got "${word}"`;
      if (least !== undefined && least >= 0 && numeral.test(word))
        return `${words}: ${argument} must be at least ${least}, got ${word}`;
      const line = ['cloudemu', words, ...rest.slice(0, i), '--', word].join(' ');
      return `${words} has no flag ${word}; a value that begins with "-" is written behind --: \`${line}\``;
    }
    if (flag === undefined || (no !== '' && flag.type !== 'boolean'))
      return args.some((arg) => arg.name === name) && no === ''
        ? `${words} takes ${name} without a name: \`${usageOf(command, { [name]: value ?? rest[i + 1] })}\``
        : unknownFlag(words, flags, word);
    if (flag.type === 'boolean') {
      if (no !== '' && value !== undefined) return `--no-${name} takes no value, got "${value}"`;
      if (value !== undefined && !isBoolean(value)) return `--${name} must be true or false, got "${value}"`;
      if (no === '' && value === undefined && isBoolean(rest[i + 1])) i++;
      continue;
    }
    const next = value ?? rest[++i];
    if (next === undefined || next === '' || (value === undefined && next.startsWith('-') && !numeral.test(next))) {
      const written =
        next?.startsWith('-') === true && !Object.hasOwn(flags, flagName(next))
          ? `; to pass a value that begins with "-", write --${name}=${next}`
          : '';
      return `--${name} needs a value${next === '' ? ', got an empty one' : written}`;
    }
    const other = otherFlag(words, name, next);
    if (other !== undefined) return `--${name} ${other}`;
    if (flag.type === 'number' && !numeral.test(next))
      return `--${name} must be ${flag.meant ?? 'a number'}, got "${next}"`;
    // JSON has no number for it.
    if (flag.type === 'number' && !Number.isFinite(Number(next)))
      return `--${name} must be a number of at most ${flag.most ?? Number.MAX_VALUE}, got "${next}"`;
    const problem = usageErrorInChoice(`--${name}`, flag.choices, next) ?? withoutUnit(flag, `--${name}`, next);
    if (problem !== undefined) return problem;
  }
  const missing = args.find(({ required }, i) => required && i >= taken);
  return missing === undefined ? undefined : `${words} needs ${missing.name}: \`${usageOf(command)}\``;
}

// In JSON a number is milliseconds; who types one thinks of seconds or minutes.
function withoutUnit({ isDuration }: { isDuration?: true }, name: string, value: string): string | undefined {
  if (isDuration !== true || !/^(?=.*[1-9])\d+(\.\d+)?$/.test(value)) return undefined;
  const [seconds, milliseconds] = ['s', 'ms'].map((unit) =>
    name.startsWith('--') ? `${name} ${value}${unit}` : `\`cloudemu ${name} ${value}${unit}\``,
  );
  return `${name} needs a unit, got "${value}": ${seconds} or ${milliseconds}`;
}

// The message about a value that was meant for another flag.
function otherFlag(words: string, name: string, value: string): string | undefined {
  if (words === 'clock advance' && name === 'to' && /[a-z]/.test(value) && parseDuration(value) !== undefined)
    return `must be an instant, got "${value}"; did you mean \`cloudemu clock advance ${value}\`?`;
  if (words === 'reset' && name === 'scenario' && value !== 'null')
    return `must be null, got "${value}"; did you mean \`cloudemu scenario apply ${value}\`?`;
  if (words !== 'faults add') return undefined;
  if (name === 'error' && /^[2-5]\d\d$/.test(value))
    return `must be a code such as RATE_LIMITED, got "${value}"; did you mean --status ${value}?`;
  if (name === 'status' && /^[a-z]+(_[a-z]+)+$/i.test(value))
    return `must be a number, got "${value}"; did you mean --error ${value.toUpperCase()}?`;
  return undefined;
}

function usageErrorInChoice(name: string, choices: readonly string[] | undefined, word: string): string | undefined {
  if (choices === undefined || choices.includes(word)) return undefined;
  const suggestion = nearest(word, choices);
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return `${name} must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}, got "${word}"${hint}`;
}

function usageOf({ words, args = [], rest }: Shape, given: Record<string, string | undefined> = {}): string {
  const named = args.map(({ name, required }) => given[name] || (required ? `<${name}>` : `[${name}]`));
  return ['cloudemu', words, ...named, ...(rest === undefined ? [] : ['--', `<${rest}>`])].join(' ');
}

function unknownFlag(words: string, flags: Record<string, Flag>, word: string): string {
  const [said = word] = word.split('=');
  const name = flagName(word);
  const longer = Object.keys(flags).filter((flag) => name.length > 1 && flag.startsWith(name));
  const known = Object.keys(flags);
  const command = commandMeant(`${words} ${said}`);
  if (command !== undefined) return `${words} has no flag ${said}; did you mean ${command}?`;
  const suggestion =
    optionMeant(name, known) ?? nearest(name, [...known, 'help']) ?? (longer.length === 1 ? longer[0] : undefined);
  const hint = suggestion === undefined ? '' : `; did you mean --${suggestion}?`;
  return `${words} has no flag ${said}${hint} (\`cloudemu ${words} --help\` lists them)`;
}

function extraArgument({ words, args = [], valueIs = '', rest, flags }: Shape, word: string): string {
  const mayBe = (name: string): boolean =>
    Object.hasOwn(flags, name) && (flags[name]?.type !== 'number' || numeral.test(word));
  const naming = /^[\w./-]+$/.test(word) ? [valueIs, 'id', 'name'].find(mayBe) : undefined;
  const suggestion = nearest(word, Object.keys(flags)) ?? (naming === undefined ? undefined : `${naming} ${word}`);
  const takes = args.length === 0 ? 'no argument' : args.length === 1 ? 'one argument' : `${args.length} arguments`;
  const hint = suggestion === undefined ? '' : `; did you mean --${suggestion}?`;
  const place = rest === undefined || suggestion !== undefined ? '' : `; the ${rest} belongs after --`;
  return `${words} takes ${takes}, got "${word}"${hint}${place}`;
}

function flagName(word: string): string {
  return word.replace(/^-+(no-)?/, '').replace(/=.*$/s, '');
}

function isBoolean(word: string | undefined): boolean {
  return word === 'true' || word === 'false';
}
