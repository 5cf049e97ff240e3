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
