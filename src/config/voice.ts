// Voices: settings of speech, transcripts and cloning.

import * as z from 'zod';
import { duration } from '../core/duration-schemas.js';
import { nearest } from '../core/nearest.js';
import { readRegex, regexProblem } from '../core/safe-regex.js';
import { timingNames } from './deployment.js';

export const voiceModels = ['eleven_multilingual_v2', 'eleven_turbo_v2_5', 'eleven_flash_v2_5', 'eleven_v3'] as const;
export type VoiceModel = (typeof voiceModels)[number];

/** The ids of the provider's own voices, by name. */
export const premadeIds = {
  Sarah: 'EXAVITQu4vr4xnSDxMaL',
  Rachel: '21m00Tcm4TlvDq8ikWAM',
  Aria: '9BWtsMINqrJLrRacOk9x',
  Charlotte: 'XB0fDUnXU5powFXDhCwa',
  Adam: 'pNInz6obpgDQGcFmaJgB',
  George: 'JBFqnCBsd6RMkjVDRZzb',
  Daniel: 'onwK4e9ZLuTAKqWW03F9',
  Brian: 'nPczCjzI2devNBz1zQrb',
} as const;

// Voices that are cloned later have such ids, in each world others: only what none of them can have is refused.
const cloneId = /^(?:[A-Za-z0-9]{20}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

const voiceId = z
  .string()
  .min(1)
  .max(100)
  .superRefine((id, context) => {
    const ids: string[] = Object.values(premadeIds);
    const ofName = Object.entries(premadeIds).find(([name]) => name.toLowerCase() === id.trim().toLowerCase());
    const suggestion = ofName?.[1] ?? nearest(id, ids);
    if (ids.includes(id) || (suggestion === undefined && cloneId.test(id))) return;
    const message = 'must be the id of a voice, as GET /api/v1/voice/list?includePremade=true shows it';
    context.addIssue({ code: 'custom', message, params: { suggestion } });
  });

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
    file: z.string().min(1).max(1_000).describe('An audio file, relative to the settings file'),
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
      defaultVoice: voiceId
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
            .union([z.enum(timingNames), stages])
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
