// Schemas of voices, speech and cloning jobs.

import * as z from 'zod';
import { voiceModels } from '../../config/voice.js';
import { parsedJson } from '../../core/json.js';
import { isTree } from '../../core/tree.js';
import { characters, confirmation, id, isoTime, jsonObject, success } from '../../http/wire.js';
import { jobStatuses } from './jobs.js';

const maxText = 5_000;
// A list of voices reads the settings of each.
const maxSettings = 10_000;

const cloneType = z.enum(['instant', 'professional']);
const name = z.string().trim().pipe(characters(1, 100)).meta({ minLength: 1, maxLength: 100 });
const description = z.string().pipe(characters(0, 1_000)).meta({ maxLength: 1_000 });

export const speechBody = z.lazy(() =>
  z.object({
    text: characters(1, maxText),
    voiceId: z.string().max(100).optional().meta({
      description: 'Id of a voice, or that of the provider; required unless the setting voice.defaultVoice names one',
    }),
    modelId: z.enum(voiceModels).optional().meta({ description: 'Default: eleven_multilingual_v2' }),
    stability: z.number().min(0).max(1).default(0.5),
    similarity_boost: z.number().min(0).max(1).default(0.75),
  }),
);

/** The body for settings that ignore the tuning of a voice: the fields of the tuning may hold anything. */
export const untunedSpeechBody = z.lazy(() =>
  speechBody.unwrap().extend({
    stability: z.unknown().optional().meta({ description: 'Ignored' }),
    similarity_boost: z.unknown().optional().meta({ description: 'Ignored' }),
  }),
);

export const transcriptForm = z.lazy(() =>
  z.object({
    languageCode: characters(1, 20).optional().meta({ description: 'Language of the speech; it has no effect' }),
  }),
);

export const transcriptAnswer = z.lazy(() =>
  z.object({
    transcript: z.string(),
    duration_ms: z.int().min(0).meta({ description: 'Of the audio' }),
  }),
);

export const cloneForm = z.lazy(() =>
  z.object({
    name,
    cloneType,
    description: description.optional(),
    settings: z
      .string()
      .max(maxSettings)
      .refine(isObjectText, { message: 'must be JSON: an object of settings' })
      .optional()
      .meta({ description: 'A JSON object' }),
  }),
);

export const updateBody = z.lazy(() =>
  z.object({
    name: name.optional(),
    description: description.nullish(),
    settings: jsonObject(maxSettings).optional(),
    isActive: z.boolean().optional(),
  }),
);

export const listQuery = z.lazy(() =>
  z.object({
    includeInactive: z.boolean().default(false).meta({ description: 'Include inactive voices' }),
    cloneType: cloneType.optional(),
    includePremade: z.boolean().default(false).meta({ description: 'Include the voices of the provider' }),
    limit: z.int().min(1).max(100).default(50),
    offset: z.int().min(0).max(1_000_000_000).default(0),
  }),
);

export const jobsQuery = z.lazy(() =>
  z.object({
    all: z.boolean().default(false).meta({ description: 'Include jobs that have ended' }),
  }),
);

export const voiceParams = z.lazy(() =>
  z.object({
    id: z
      .string()
      .refine((value) => z.uuid().safeParse(value).success || /^[A-Za-z0-9]{20}$/.test(value), {
        message: 'must be the id of a voice: a UUID, or the provider’s 20 letters',
      })
      .meta({ description: 'Id of the voice, or that of the provider' }),
  }),
);

const isObjectText = (text: string): boolean => isTree(parsedJson(text));

/** A voice in responses; its id at the provider has the provider's name, `elevenlabsVoiceId`. */
const voiceItem = z.lazy(() =>
  z
    .object({
      id,
      name: z.string(),
      description: z.string(),
      cloneType,
      category: z.enum(['cloned', 'premade']),
      status: z.enum(['processing', 'completed']),
      sampleCount: z.int(),
      totalAudioDurationSeconds: z.number(),
      audioQualityScore: z.number().nullable(),
      usageCount: z.int(),
      lastUsedAt: isoTime.nullable(),
      isActive: z.boolean(),
      isPublic: z.boolean(),
      createdAt: isoTime,
      updatedAt: isoTime,
    })
    .loose()
    .meta({ id: 'Voice' }),
);

const sample = z.lazy(() =>
  z.object({
    fileName: z.string(),
    format: z.string(),
    sizeBytes: z.int(),
    durationSeconds: z.number(),
  }),
);

const voiceDetails = z.lazy(() =>
  voiceItem
    .unwrap()
    .extend({
      organizationId: z.string().nullable(),
      userId: z.string().nullable(),
      settings: z.record(z.string(), z.unknown()),
      creationCost: z.number(),
      samples: z.array(sample),
    })
    .meta({ id: 'VoiceDetails' }),
);

const jobItem = z.lazy(() =>
  z
    .object({
      id,
      voiceId: id,
      voiceName: z.string(),
      jobType: cloneType,
      status: z.enum(jobStatuses),
      progress: z.int().min(0).max(100),
      errorMessage: z.string().nullable(),
      createdAt: isoTime,
      startedAt: isoTime.nullable(),
      completedAt: isoTime.nullable(),
    })
    .meta({ id: 'VoiceJob' }),
);

export const listAnswer = z.lazy(() =>
  z.object({
    success,
    voices: z.array(voiceItem),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
    hasMore: z.boolean(),
  }),
);

export const deleteAnswer = confirmation;
export const voiceAnswer = z.lazy(() => z.object({ success, voice: voiceDetails }));
export const jobsAnswer = z.lazy(() => z.object({ success, jobs: z.array(jobItem), total: z.int() }));

export const cloneAnswer = z.lazy(() =>
  z.object({
    success,
    id,
    name: z.string(),
    status: z.enum(jobStatuses).meta({ description: 'processing, unless the settings let it say what the job is' }),
    voice: voiceDetails,
    job: jobItem,
    creditsDeducted: z.number(),
    creditsRemaining: z.number(),
    estimatedCompletionTime: z.string(),
    polling: z.object({ endpoint: z.string(), intervalMs: z.int(), expectedDurationMs: z.int() }),
  }),
);
