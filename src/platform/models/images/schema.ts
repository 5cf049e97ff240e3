// The wire shapes of pictures: those of OpenAI's SDKs, and those of the platform's own clients beside them.

import * as z from 'zod';
import { characters, unchecked } from '../../../http/wire.js';
import { modelName } from '../chat-schema.js';

export const imagesBody = z.lazy(() =>
  z.object({
    prompt: characters(1, 32_000),
    model: modelName.nullish().meta({ description: 'Default: gpt-image-1' }),
    n: z
      .int()
      .min(1)
      .max(10)
      .nullish()
      .meta({ description: 'Pictures; together at most 67,108,864 pixels, as four of 4096x4096 have' }),
    numImages: z.int().min(1).max(4).nullish().meta({ description: 'The platform’s own name of n' }),
    size: z
      .string()
      .regex(/^(auto|\d{1,4}x\d{1,4})$/, { error: 'must be auto or width x height, such as 1024x1024' })
      .nullish()
      .meta({ description: 'Default: 1024x1024' }),
    aspectRatio: z
      .string()
      .regex(/^\d{1,2}:\d{1,2}$/, { error: 'must be width:height, such as 16:9' })
      .nullish()
      .meta({ description: 'Aspect ratio in place of size, at about a million pixels' }),
    response_format: z.enum(['b64_json', 'url']).nullish().meta({ description: 'Default: b64_json' }),
    output_format: z.enum(['png', 'jpeg', 'webp']).nullish().meta({ description: 'Format; only PNG is supported' }),
    stream: z.literal(false).nullish(),
    quality: z.string().max(100).nullish(),
    style: z.string().max(100).nullish(),
    stylePreset: z.string().max(100).nullish(),
    background: z.string().max(100).nullish(),
    moderation: z.string().max(100).nullish(),
    output_compression: z.int().min(0).max(100).nullish(),
    ...unchecked('partial_images', 'sourceImage'),
    user: z.string().max(10_000).nullish(),
  }),
);

export type ImagesBody = z.output<typeof imagesBody>;

export const imagesAnswer = z.lazy(() =>
  z.object({
    created: z.int().meta({ description: 'Unix seconds' }),
    data: z.array(z.object({ b64_json: z.string().optional(), url: z.string().optional() })),
    images: z.array(
      z.object({
        url: z.string().meta({ description: 'Its URL on this machine; no sign-in is needed' }),
        mimeType: z.literal('image/png'),
        fileSize: z.int(),
        width: z.int(),
        height: z.int(),
      }),
    ),
    numImages: z.int(),
    output_format: z.literal('png'),
    size: z.string(),
  }),
);
