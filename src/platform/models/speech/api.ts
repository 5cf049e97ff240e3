// Speech as OpenAI's SDKs request it, spoken by the platform's voices.

import { type VoiceModel, voiceModels } from '../../../config/voice.js';
import { ApiError, type FieldProblem } from '../../../core/errors.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../../http/endpoint.js';
import { bytes } from '../../../http/response.js';
import { premadeVoices } from '../../voice/access.js';
import {
  type CannedFile,
  makeSpeech,
  modelOf,
  type SpeechCall,
  settleSpeech,
  speechPrice,
} from '../../voice/speech.js';
import { modelErrors } from '../errors.js';
import { modelOfKind } from '../models.js';
import type { SpeechBody } from './schema.js';
import * as schema from './schema.js';

export const speechEndpoints: Endpoint[] = [
  endpoint({
    id: 'audio.speech',
    method: 'POST',
    path: '/api/v1/audio/speech',
    summary: 'Turn text into speech, with the fields of OpenAI’s SDKs, as an MP3 file',
    permission: { name: 'voice', level: 'write' },
    body: schema.speechBody,
    example: { model: 'tts-1', voice: 'alloy', input: 'Hello, world' },
    responses: { 200: { description: 'The audio', contentTypes: ['audio/mpeg'] } },
    errors: ['INSUFFICIENT_CREDITS', 'NOT_FOUND'],
    priceSettings: ['textToSpeech', 'textToSpeechByModel'],
    price: ({ world, body }) =>
      speechPrice(world.config, body.input, modelOf({ world, body: speechBodyOf(body) })).amount,
    assumptions: ['audio.speech', 'audio.limits', 'voice.speech', 'voice.price', 'money', 'x402.payment'],
    besideError: modelErrors,
    prepare: say,
    handle(call) {
      try {
        settleSpeech(speechCallOf(call));
      } catch (error) {
        throw inTheseWords(error);
      }
      const { content, type } = call.prepared;
      return bytes(content, type, { 'Cache-Control': 'no-cache' });
    },
  }),
];

async function say(call: HandlerContext<unknown, unknown, schema.SpeechBody>): Promise<CannedFile> {
  checkSpeech(call);
  try {
    return await makeSpeech(speechCallOf(call));
  } catch (error) {
    throw inTheseWords(error);
  }
}

type Asked = HandlerContext<unknown, unknown, SpeechBody>;

/** The provider's voice for each of OpenAI's. */
const names: Record<string, string> = {
  alloy: 'Sarah',
  ash: 'Daniel',
  ballad: 'George',
  cedar: 'Adam',
  coral: 'Charlotte',
  echo: 'Adam',
  fable: 'George',
  marin: 'Aria',
  nova: 'Rachel',
  onyx: 'Brian',
  sage: 'Rachel',
  shimmer: 'Aria',
  verse: 'Daniel',
};

/** The body as one of the platform's own text to speech. */
function speechBodyOf({ model, input, voice }: SpeechBody): SpeechCall['body'] {
  return {
    text: input,
    voiceId: voiceIdOf(voice),
    ...(isVoiceModel(model) && { modelId: model }),
    stability: 0.5,
    similarity_boost: 0.75,
  };
}

/** The request as one of the platform's own text to speech. */
function speechCallOf(call: Asked): SpeechCall {
  const { world, caller, now, requestId, operation, warn } = call;
  return { world, caller, now, requestId, operation, warn, body: speechBodyOf(call.body) };
}

/**
 * Tells of a model that is for something else, and of what makes no difference.
 *
 * @throws ApiError VALIDATION_ERROR, NOT_FOUND
 */
function checkSpeech(call: Asked): void {
  const { model, speed, instructions } = call.body;
  if (!isVoiceModel(model)) modelOfKind(call, model, 'speech');
  if (typeof speed === 'number' && speed !== 1) call.warn('speed makes no difference here');
  if (typeof instructions === 'string') call.warn('instructions make no difference here');
}

/** An error of the platform's own text to speech, with the field names of this request. */
function inTheseWords(error: unknown): unknown {
  if (!(error instanceof ApiError) || !Array.isArray(error.options.details)) return error;
  const details = (error.options.details as FieldProblem[]).map(({ path, ...problem }) => ({
    path: path === 'voiceId' ? 'voice' : path,
    ...problem,
  }));
  const message = error.message.replace('voiceId', 'voice');
  return new ApiError(error.code, { ...error.options, message, details });
}

function voiceIdOf(voice: SpeechBody['voice']): string {
  const id = typeof voice === 'string' ? voice : voice.id;
  const name = Object.hasOwn(names, id) ? names[id] : undefined;
  return premadeVoices.find((premade) => premade.name === name)?.provider_id ?? id;
}

function isVoiceModel(model: string): model is VoiceModel {
  return (voiceModels as readonly string[]).includes(model);
}
