// The endpoint that makes videos.

import { toMicros } from '../../../core/money.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../../http/endpoint.js';
import { ok } from '../../../http/response.js';
import { chargeCaller } from '../../credits/ledger.js';
import { modelErrors, refusals, refuseIfOrdered } from '../errors.js';
import { type FileRecipe, fileName, fileUrl } from '../files/address.js';
import { type Model, modelOfKind } from '../models.js';
import { makeFilm } from './film.js';
import * as schema from './schema.js';

type VideoCall = HandlerContext<unknown, unknown, schema.VideoBody>;

export const videoEndpoints: Endpoint[] = [
  endpoint({
    id: 'videos.generate',
    method: 'POST',
    path: '/api/v1/generate-video',
    summary: 'Generate a video from a prompt',
    permission: { name: 'video', level: 'write' },
    limit: 'video',
    body: schema.videoBody,
    example: { prompt: 'Waves at a lighthouse', model: 'fal-ai/veo3' },
    responses: { 200: { description: 'The address of the video', schema: schema.videoAnswer } },
    errors: ['INSUFFICIENT_CREDITS', 'NOT_FOUND', ...refusals],
    priceSettings: ['video'],
    price: ({ world }) => toMicros(world.config.prices.video),
    assumptions: ['videos.films', 'videos.limits', 'videos.model', 'money', 'x402.payment'],
    besideError: modelErrors,
    handle(call) {
      const { world, requestId, body } = call;
      const model = modelOfKind(call, body.model, 'video');
      refuseIfOrdered(call, model, body.prompt);
      const { video: price } = world.config.prices;
      chargeCaller(call, { amount: toMicros(price), rule: `video ${price}` }, `Video by ${model.id}`);
      return ok({
        success: true,
        video: presentFilm(call, model),
        model: body.model,
        has_nsfw_concepts: [false],
        timings: { inference: 0 },
        requestId,
      });
    },
  }),
];

function presentFilm({ world, body, baseUrl }: VideoCall, model: Model) {
  const { prompt, duration } = body;
  const key = world.random.hex('video', model.id, prompt).slice(0, 32);
  const seconds = typeof duration === 'number' ? duration : Number.parseInt(duration, 10);
  const recipe = { kind: 'mp4', key, ...sidesOf(body), seconds } as const;
  return {
    url: fileUrl(world, baseUrl, recipe),
    content_type: 'video/mp4',
    file_name: fileName(world, recipe),
    file_size: makeFilm(recipe).length,
    width: recipe.width,
    height: recipe.height,
    duration: recipe.seconds,
  };
}

// The resolution is the shorter side; both are even, as the format has it.
function sidesOf({ resolution, aspect_ratio, aspectRatio }: schema.VideoBody): Pick<FileRecipe, 'width' | 'height'> {
  const ratio = schema.ratios[aspect_ratio ?? aspectRatio ?? '16:9'];
  const short = schema.resolutions[resolution];
  const long = Math.round((short * Math.max(ratio, 1 / ratio)) / 2) * 2;
  return ratio >= 1 ? { width: long, height: short } : { width: short, height: long };
}
