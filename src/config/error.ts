// Settings that cannot be used.

/** What a program reads of the first problem. */
export interface SettingFacts {
  /** The flag as it is typed, or the path of the setting. */
  field?: string | undefined;
  received?: string | undefined;
  suggestion?: string | undefined;
  /** What is not there, if that is the problem. */
  missing?: 'scenario';
}

/** Each problem is one line that names its source. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  /** The settings file that was read, if there was one. */
  readonly file: string | null;
  readonly facts: SettingFacts;

  constructor(problems: readonly string[], file: string | null = null, facts: SettingFacts = {}) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
    this.file = file;
    this.facts = facts;
  }
}

/** The error in the words of who set it: what was read of a setting later knows no more of it than its path. */
export function asSet(
  error: ConfigError,
  setting: string,
  { nameOf, file }: { nameOf: (path: string) => string; file: string | null },
): ConfigError {
  const named = error.problems.map((line) =>
    line.startsWith(`${setting}: `) ? nameOf(setting) + line.slice(setting.length) : line,
  );
  return new ConfigError(named, file, error.facts);
}
