// Voices: settings of speech, transcripts and cloning.

import * as z from 'zod';
import { readRegex, regexProblem } from '../core/safe-regex.js';
import { duration } from './duration.js';

export const voiceModels = ['eleven_multilingual_v2', 'eleven_turbo_v2_5', 'eleven_flash_v2_5', 'eleven_v3'] as const;
export type VoiceModel = (typeof voiceModels)[number];

/** How a cloning job can fail. */
export const cloningFailures = ['audio-quality', 'too-short', 'provider-error'] as const;
export type CloningFailure = (typeof cloningFailures)[number];

const text = z.string().min(1).max(5_000);

/** A text, or a part of one. */
const wanted = text.superRefine((value, context) => {
  const regex = readRegex(value);
  const problem = regex === undefined ? undefined : regexProblem(regex);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

const cannedSpeech = z.lazy(() =>
  z.strictObject({
    match: z
      .strictObject({
        text: wanted.optional().describe('What is said: `*` is any text, or a /regular expression/'),
        voice: text.optional().describe('An id, the provider’s id or the name of the voice; `*` is any text'),
        model: z.enum(voiceModels).optional().describe('The model that is to speak'),
      })
      .prefault({})
      .describe('What a request must say; all of it must fit'),
    file: z.string().min(1).max(1_000).describe('An audio file, relative to the working directory'),
  }),
);

const cannedTranscript = z.lazy(() =>
  z.strictObject({
    match: z
      .strictObject({
        name: text.optional().describe('The name under which the file is uploaded; `*` is any text'),
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .optional()
          .describe('Of the file’s bytes, in lower-case hex'),
      })
      .prefault({})
      .describe('What a request must say; all of it must fit'),
    text: z.string().max(100_000).describe('What is answered as its transcript'),
  }),
);

const stages = z.lazy(() =>
  z.strictObject({
    pending: duration.describe('Before it begins'),
    processing: duration.describe('Until the voice is there'),
  }),
);

export const voice = z.lazy(() =>
  z
    .strictObject({
      defaultVoice: z
        .string()
        .min(1)
        .max(100)
        .nullable()
        .default(null)
        .describe('Who speaks where a request names no voice; null: it must name one'),
      defaultModel: z
        .enum(voiceModels)
        .default('eleven_multilingual_v2')
        .describe('What speaks where a request names no model'),
      checkTuning: z
        .boolean()
        .default(true)
        .describe('stability and similarity_boost must be numbers from 0 to 1; otherwise they are ignored'),
      chunked: z.boolean().default(false).describe('Speech is sent in chunks, without a Content-Length'),
      speech: z
        .array(cannedSpeech)
        .max(1_000)
        .default([])
        .describe('Files of your own that are answered instead of made-up speech: the first that fits'),
      transcripts: z
        .array(cannedTranscript)
        .max(1_000)
        .default([])
        .describe(
          'Texts of your own for uploaded audio: the first that fits; files that were made here tell their own',
        ),
      cloning: z
        .strictObject({
          timing: z
            .union([z.enum(['instant', 'fast', 'realistic']), stages])
            .nullable()
            .default(null)
            .describe('What cloning jobs take; null: as deployments, where those have a word for it'),
          status: z
            .enum(['processing', 'job'])
            .default('processing')
            .describe('What the answer to a clone calls it: processing in any case, or what its job is'),
          failure: z.enum(cloningFailures).nullable().default(null).describe('How every cloning job fails'),
        })
        .prefault({})
        .describe('Jobs that clone voices'),
      legacyKeys: z.boolean().default(false).describe('The legacy paths take API keys too, not sessions only'),
    })
    .prefault({})
    .describe('Text to speech, speech to text, cloned voices'),
);

/** Segments after /api that are taken by others. */
const taken = ['v1', 'auth', 'credits', 'health', 'marketplace', 'quotas'];

export const legacyVoiceProvider = z
  .string()
  .regex(/^[a-z][a-z0-9]{1,29}$/)
  .refine((name) => !taken.includes(name), { message: `must be none of ${taken.join(', ')}` })
  .default('elevenlabs')
  .describe('The voice provider, as the legacy paths and the field of its ids name it');
