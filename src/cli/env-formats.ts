// Variables in the words of a shell or a file: each value quoted so that it arrives as it is.

interface Format {
  /** The line that sets a variable. */
  line: (name: string, value: string) => string;
  /** How a person uses what is printed. */
  use: string;
}

export const envFormats = {
  sh: {
    line: (name, value) => `export ${name}='${value.replaceAll("'", "'\\''")}'`,
    use: 'eval "$(cloudemu env)"',
  },
  fish: {
    line: (name, value) => `set -gx ${name} '${value.replace(/[\\']/g, '\\$&')}'`,
    use: 'cloudemu env --format fish | source',
  },
  powershell: {
    // PowerShell takes typographic quotes for plain ones.
    line: (name, value) => `$env:${name} = '${value.replace(/['‘’‚‛]/g, '$&$&')}'`,
    use: 'cloudemu env --format powershell | Invoke-Expression',
  },
  dotenv: { line: (name, value) => `${name}=${dotenvValue(value)}`, use: 'cloudemu env --format dotenv > .env' },
  github: { line: (name, value) => `${name}=${value}`, use: 'cloudemu env --format github >> "$GITHUB_ENV"' },
} as const satisfies Record<string, Format>;

export type EnvFormat = keyof typeof envFormats;

// Parsers differ in what they make of `#` and `$` outside of quotes, and none knows an escaped quote.
function dotenvValue(value: string): string {
  if (/^[\w.:/@%+,=~-]*$/.test(value)) return value;
  return value.includes("'") ? `"${value}"` : `'${value}'`;
}
