// Voices: settings of speech, transcripts and cloning.

import * as z from 'zod';
import { duration } from '../core/duration.js';
import { readRegex, regexProblem } from '../core/safe-regex.js';

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
        text: wanted.optional().describe('The text to speak: `*` matches any text, or a /regular expression/'),
        voice: text.optional().describe('The voice’s id, its id at the provider, or its name; `*` matches any text'),
        model: z.enum(voiceModels).optional().describe('The model of the request'),
      })
      .prefault({})
      .describe('Conditions on the request; all of them must match'),
    file: z.string().min(1).max(1_000).describe('An audio file, relative to the working directory'),
  }),
);

const cannedTranscript = z.lazy(() =>
  z.strictObject({
    match: z
      .strictObject({
        name: text.optional().describe('Name of the uploaded file; `*` matches any text'),
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .optional()
          .describe('SHA-256 of the file’s bytes, in lower-case hex'),
      })
      .prefault({})
      .describe('Conditions on the request; all of them must match'),
    text: z.string().max(100_000).describe('The transcript that is returned'),
  }),
);

const stages = z.lazy(() =>
  z.strictObject({
    pending: duration.describe('Time before cloning begins'),
    processing: duration.describe('Time until the voice is ready'),
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
        .describe('Voice of requests that name none; null: a request must name one'),
      defaultModel: z.enum(voiceModels).default('eleven_multilingual_v2').describe('Model of requests that name none'),
      checkTuning: z
        .boolean()
        .default(true)
        .describe('Require stability and similarity_boost to be numbers from 0 to 1; otherwise ignore them'),
      chunked: z.boolean().default(false).describe('Send speech in chunks, without a Content-Length'),
      speech: z
        .array(cannedSpeech)
        .max(1_000)
        .default([])
        .describe('Audio files to return in place of generated speech; the first match applies'),
      transcripts: z
        .array(cannedTranscript)
        .max(1_000)
        .default([])
        .describe(
          'Transcripts of uploaded audio; the first match applies. Audio that the emulator generated has its own',
        ),
      cloning: z
        .strictObject({
          timing: z
            .union([z.enum(['instant', 'fast', 'realistic']), stages])
            .nullable()
            .default(null)
            .describe('Duration of cloning jobs; null: the same as containers.timing, if that is a name'),
          status: z
            .enum(['processing', 'job'])
            .default('processing')
            .describe('Status in the response to a clone: always processing, or the status of its job'),
          failure: z
            .enum(cloningFailures)
            .nullable()
            .default(null)
            .describe('Failure of every cloning job; null: none'),
        })
        .prefault({})
        .describe('Cloning jobs'),
      legacyKeys: z.boolean().default(false).describe('Accept API keys on the legacy paths, in addition to sessions'),
    })
    .prefault({})
    .describe('Text to speech, speech to text, cloned voices'),
);

/** Segments after /api that other paths use. */
const taken = ['v1', 'auth', 'credits', 'health', 'marketplace', 'quotas'];

export const legacyVoiceProvider = z
  .string()
  .regex(/^[a-z][a-z0-9]{1,29}$/)
  .refine((name) => !taken.includes(name), { message: `must be none of ${taken.join(', ')}` })
  .default('elevenlabs')
  .describe('The voice provider’s name, used in the legacy paths and in the field that holds its voice id');
