// The wire shapes of videos.

import * as z from 'zod';
import { characters, unchecked } from '../../../http/wire.js';
import { modelName } from '../chat-schema.js';

const longestSeconds = 60;
export const resolutions = { '480p': 480, '720p': 720, '1080p': 1_080 } as const;
export const ratios = { '16:9': 16 / 9, '9:16': 9 / 16, '1:1': 1, '4:3': 4 / 3, '3:4': 3 / 4 } as const;

const ratio = z
  .enum(Object.keys(ratios) as [keyof typeof ratios])
  .nullish()
  .meta({ id: 'AspectRatio' });

export const videoBody = z.lazy(() =>
  z.object({
    prompt: characters(1, 4_000),
    model: modelName.default('fal-ai/veo3'),
    duration: z
      .union([
        z.int().min(1).max(longestSeconds),
        z.string().regex(/^([1-9]|[1-5]\d|60)s?$/, { error: `seconds from 1 to ${longestSeconds}, such as 8 or "8s"` }),
      ])
      .default(8)
      .meta({ description: 'Seconds' }),
    aspect_ratio: ratio.meta({ description: 'Default: 16:9' }),
    aspectRatio: ratio,
    resolution: z.enum(Object.keys(resolutions) as [keyof typeof resolutions]).default('720p'),
    ...unchecked('image_url', 'referenceUrl', 'negative_prompt', 'generate_audio', 'seed'),
  }),
);

export type VideoBody = z.output<typeof videoBody>;

export const videoAnswer = z.lazy(() =>
  z.object({
    success: z.literal(true),
    video: z.object({
      url: z.string().meta({ description: 'Its URL on this machine; no sign-in is needed' }),
      content_type: z.literal('video/mp4'),
      file_name: z.string(),
      file_size: z.int(),
      width: z.int(),
      height: z.int(),
      duration: z.int().meta({ description: 'Seconds' }),
    }),
    model: z.string(),
    has_nsfw_concepts: z.array(z.boolean()),
    timings: z.record(z.string(), z.number()),
    requestId: z.string(),
  }),
);
