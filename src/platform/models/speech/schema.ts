// The wire shape of speech as OpenAI's SDKs ask for it.

import * as z from 'zod';
import { characters } from '../../../http/wire.js';
import { modelName } from '../chat-schema.js';

const voiceId = z.string().min(1).max(100);
const format = z
  .enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'])
  .refine((value) => value === 'mp3', { message: 'must be mp3: speech is made in no other format here' });

export const speechBody = z.lazy(() =>
  z.object({
    model: modelName.default('tts-1'),
    input: characters(1, 4_096),
    voice: z
      .union([voiceId, z.object({ id: voiceId })])
      .default('alloy')
      .meta({ description: 'Voice name of OpenAI, or id of a voice' }),
    response_format: format.nullish().meta({ enum: ['mp3'] }),
    format: format.nullish().meta({ enum: ['mp3'], description: 'Another name of response_format' }),
    stream_format: z.literal('audio').nullish(),
    speed: z.number().min(0.25).max(4).nullish(),
    instructions: z.string().max(4_096).nullish(),
  }),
);

export type SpeechBody = z.output<typeof speechBody>;
