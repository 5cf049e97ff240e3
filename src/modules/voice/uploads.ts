// Audio uploads: their limits, and the refusal of other files.

import { type FieldProblem, invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import type { UploadDeclaration, UploadedFile } from '../../http/endpoint.js';
import { type Audio, inspectAudio } from './audio/inspect.js';

const mega = 1_024 * 1_024;
const maxFileBytes = 25 * mega;

/** One recording. */
export const recording: UploadDeclaration = {
  fields: ['audio'],
  maxFiles: 1,
  maxFileBytes,
  maxBytes: maxFileBytes,
};

/** Samples of a voice. */
export const voiceSamples: UploadDeclaration = {
  fields: ['file0', 'file1'],
  pattern: /^file/,
  maxFiles: 10,
  maxFileBytes,
  maxBytes: 100 * mega,
};

/**
 * Inspects uploaded files, in their order.
 *
 * @throws ApiError VALIDATION_ERROR with an entry for each file that is not audio
 */
export async function audioIn(files: readonly UploadedFile[]): Promise<{ file: UploadedFile; audio: Audio }[]> {
  const problems: FieldProblem[] = [];
  const found: { file: UploadedFile; audio: Audio }[] = [];
  for (const file of files) {
    const audio = await inspectAudio(file.path);
    if ('problem' in audio) problems.push(problemOf(file, files, audio.problem));
    else found.push({ file, audio });
  }
  if (problems.length > 0) throw invalid(...problems);
  return found;
}

function problemOf(file: UploadedFile, all: readonly UploadedFile[], message: string): FieldProblem {
  const { field, name, bytes } = file;
  const number = all.filter((other) => other.field === field).indexOf(file);
  const path = field.slice(0, 100) + (number === 0 ? '' : `[${number}]`);
  return { path, message, received: `${describe(name)}, ${bytes} bytes` };
}
