// OpenAPI documents as bytes: each is made once for the settings that it follows from, whoever asks for it and how often.

import { memoizeBy } from '../core/memoize-last.js';

/** A document has 0.7 MB. */
const mostKept = 8;

// The placeholder of the base URL.
const mark = 'http://base-url.invalid';

/**
 * Serves the documents of settings.
 *
 * @param keyOf equal for settings that have the same document
 * @param make makes a document for a base URL, which it names as a whole
 */
export function createDocuments<Settings>(
  keyOf: (settings: Settings) => string,
  make: (settings: Settings, baseUrl: string) => object,
): (settings: Settings, baseUrl: string) => Buffer {
  const partsOf = memoizeBy(mostKept, keyOf, (settings: Settings): Buffer[] => {
    const document = make(settings, mark);
    return JSON.stringify(document)
      .split(JSON.stringify(mark))
      .map((part) => Buffer.from(part));
  });
  return (settings, baseUrl) => {
    const url = Buffer.from(JSON.stringify(baseUrl));
    const parts = partsOf(settings);
    return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [url, part])));
  };
}
