// Folding: texts that differ only in case fold to the same key, which search and sorting by name compare.

/**
 * The key of a text. SQLite folds ASCII only, so keys are made here and stored beside the text.
 *
 * @example fold('STRASSE') === fold('Straße') // true
 */
export function fold(text: string): string {
  // By way of upper case ß becomes ss; the two small sigmas are one letter; composed and decomposed accents are one too.
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
