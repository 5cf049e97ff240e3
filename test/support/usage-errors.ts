// The usage error of a command line, if it has one.

import { parseLine } from '../../src/cli/command-line.js';
import { sentenceOf } from '../../src/cli/error-document.js';
import { commands } from './commands.js';

/** The sentence about what is wrong with a command line; help and the version are never wrong. */
export function usageErrorIn(argv: readonly string[]): string | undefined {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  if (argv.length === 0 || argv[0] === 'help' || own.some((word) => /^(--help|-h|--version)$/.test(word)))
    return undefined;
  const outcome = parseLine(argv, commands);
  return 'mistake' in outcome ? sentenceOf(outcome.mistake) : undefined;
}
