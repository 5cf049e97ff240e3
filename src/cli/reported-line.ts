// A command line as reports repeat it: CI keeps them for everybody, so that secrets in it are masked.

import { createSecretFinder, isSecretHeader, mask, secrecyOf } from '../core/secrets.js';

/**
 * The words of a command without the secrets among them.
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
