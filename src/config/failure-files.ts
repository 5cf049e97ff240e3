// Catalogues of failure modes: each mode is a file in a folder of fixtures/failures.

import { basename } from 'node:path';
import type * as z from 'zod';
import { ApiError, invalid } from '../core/errors.js';
import { filesIn, fixturePath } from '../core/files.js';
import { nearest } from '../core/nearest.js';
import { describe, problemsOf } from '../core/problems.js';
import { readJsonFile } from './json-file.js';

/** @param what what its modes are, for messages: `a failure mode` */
export function failureFiles<Failure>(folder: string, schema: z.ZodType<Failure>, what: string) {
  const modes = (): string[] =>
    filesIn(fixturePath('failures', folder))
      .filter((file) => file.endsWith('.json'))
      .map((file) => basename(file, '.json'))
      .sort();
  return {
    /** The names of all modes, sorted. */
    modes,
    /**
     * The definition of a mode, read again each time: the file may have been edited. The name must be known.
     *
     * @throws ApiError INTERNAL_ERROR that says what is wrong with the file
     */
    read(mode: string): Failure {
      const file = fixturePath('failures', folder, `${mode}.json`);
      const reading = readJsonFile(file);
      const result = 'problem' in reading ? undefined : schema.safeParse(reading.value);
      if (result?.success === true) return result.data;
      const problems =
        'problem' in reading
          ? [reading.problem]
          : problemsOf(result?.error.issues ?? [], reading.value, schema).map((one) => `${one.path} ${one.message}`);
      throw new ApiError('INTERNAL_ERROR', { message: `${file} cannot be used: ${problems.join('; ')}` });
    },
    /**
     * Checks a mode that a request or setting names.
     *
     * @param place where it was named, for the message
     * @throws ApiError VALIDATION_ERROR with the nearest mode
     */
    require(mode: string, place: string): string {
      const known = modes();
      if (known.includes(mode)) return mode;
      const message = `must be ${what}: ${known.join(', ')}`;
      throw invalid({ path: place, message, received: describe(mode), suggestion: nearest(mode, known) });
    },
  };
}
