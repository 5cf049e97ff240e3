// Settings that cannot be used.

/** Each problem is one line that names its source. */
export class ConfigError extends Error {
  readonly problems: readonly string[];
  /** The settings file that was read, if there was one. */
  readonly file: string | null;

  constructor(problems: readonly string[], file: string | null = null) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
    this.file = file;
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
  return new ConfigError(named, file);
}
