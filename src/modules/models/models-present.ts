// The wire shape of models.

import * as z from 'zod';
import { modelKinds } from '../../config/models.js';
import type { Model } from './models.js';

export const modelParams = z.lazy(() => z.object({ id: z.string() }));

export const modelRecord = z.lazy(() =>
  z.object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    type: z.enum(modelKinds),
    context_window: z.int(),
    max_output_tokens: z.int().optional(),
    pricing: z.object({ input: z.number(), output: z.number(), unit: z.literal('1K tokens') }),
  }),
);

export const modelList = z.lazy(() => z.object({ object: z.literal('list'), data: z.array(modelRecord) }));

export function presentModel(model: Model): z.output<typeof modelRecord> {
  const { id, created, owner, kind, contextWindow, maxOutput, input, output } = model;
  return {
    id,
    object: 'model',
    created,
    owned_by: owner,
    type: kind,
    context_window: contextWindow,
    ...(kind === 'chat' && { max_output_tokens: maxOutput }),
    pricing: { input, output, unit: '1K tokens' },
  };
}
