// The command that calls a control operation, as far as the operation's schemas do not tell.

/** A flag of the command line. */
export interface Flag {
  type: 'string' | 'number' | 'boolean';
  describe: string;
  /** The meaning of a value in words, where its type does not say it: "a number of seconds". */
  meant?: string | undefined;
  /** It is a duration: a number without a unit is refused. */
  isDuration?: true | undefined;
  /** The largest that a number may be. */
  most?: number | undefined;
  /** It may be given several times: its values are joined with commas. */
  isRepeated?: true;
  /** One letter that means the same: `f` for -f. */
  short?: string;
  default?: string | undefined;
  /** The behaviour without the flag, where that is more than a value. */
  byDefault?: string | undefined;
  /** The only values that there are. */
  choices?: readonly string[];
  /** Some of the values that there are, for completion. */
  suggestions?: readonly string[] | undefined;
}

/** Answers that have a form of their own on a terminal. */
export type PrintStyle =
  | 'comparison'
  | 'container'
  | 'container-details'
  | 'history'
  | 'history-point'
  | 'image'
  | 'indented-json'
  | 'request'
  | 'request-count'
  | 'requests'
  | 'rerun'
  | 'saved-scenario'
  | 'scenario'
  | 'snapshot'
  | 'text'
  | 'timeline'
  | 'why';

/** How the fields of an operation are called on the command line. */
export interface Naming {
  /** Other names, by path: `{ 'clock.start': 'clock' }`. Paths that have one are fields of their own in any case. */
  names?: Record<string, string> | undefined;
  /** Only these, by path. */
  only?: readonly string[] | undefined;
}

export interface CommandDeclaration extends Naming {
  /** Its words, then its arguments: `<name>`, or `[name]` where it may be left out. */
  line: string;
  /** Whether the name of the group alone runs this command; a list does in any case. */
  bare?: true;
  /** By default the summary of the operation. */
  describe?: string;
  /** A command line each, with what it is good for. */
  examples: readonly (readonly [line: string, meaning: string])[];
  /** The argument that is a whole body as JSON, or the name of its file; flags are laid over it. */
  document?: string;
  /** The flag that a value without a name is meant for: usage errors suggest it. */
  valueIs?: string;
  /** How its answer is printed, if not as fields or a table. */
  prints?: PrintStyle;
  /** The field that a document sets if it is a plain word. */
  wordIs?: string;
  /** Why it does nothing when nothing was said. */
  needs?: string;
  /** Fields that it must be given, by path, though the operation has other uses without them. */
  requires?: readonly string[];
  /** Default values of fields. */
  presets?: Record<string, string>;
  /** Makes the values of fields that must have one and were not given. */
  makes?: Record<string, (given: Readonly<Record<string, unknown>>) => string>;
  /** The columns that a person is shown of a list. */
  columns?: string;
  /** The body of an error contains the result: it is printed like a response. */
  showsRefusal?: true;
  /** The answer follows from the settings alone: where no emulator runs, one is started for the question. */
  needsNone?: true;
  /** Where its result contains what clients have sent: the name of a list, or `whole`; with --json it is marked. */
  untrusted?: string;
  /** Additional flags of the command. */
  flags?: Record<string, Flag>;
}
