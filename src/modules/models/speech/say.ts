// Speech as OpenAI's SDKs ask for it, said by the platform's voices.

import { type VoiceModel, voiceModels } from '../../../config/voice.js';
import { ApiError, type FieldProblem } from '../../../core/errors.js';
import type { HandlerContext } from '../../../http/endpoint.js';
import { premadeVoices } from '../../voice/premade.js';
import type { SpeechCall } from '../../voice/speech.js';
import { modelOfKind } from '../model-kind.js';
import type { SpeechBody } from './schema.js';

type Asked = HandlerContext<unknown, unknown, SpeechBody>;

/** Which of the provider's voices stands for one of OpenAI's. */
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

/** The body in the words of the platform's own text to speech. */
export function speechBodyOf({ model, input, voice }: SpeechBody): SpeechCall['body'] {
  return {
    text: input,
    voiceId: voiceIdOf(voice),
    ...(isVoiceModel(model) && { modelId: model }),
    stability: 0.5,
    similarity_boost: 0.75,
  };
}

/** The request in those words. */
export function speechCallOf(call: Asked): SpeechCall {
  const { world, caller, now, requestId, operation, warn } = call;
  return { world, caller, now, requestId, operation, warn, body: speechBodyOf(call.body) };
}

/**
 * Tells of a model that is for something else, and of what makes no difference.
 *
 * @throws ApiError VALIDATION_ERROR, NOT_FOUND
 */
export function checkSpeech(call: Asked): void {
  const { model, speed, instructions } = call.body;
  if (!isVoiceModel(model)) modelOfKind(call, model, 'speech');
  if (typeof speed === 'number' && speed !== 1) call.warn('speed makes no difference here');
  if (typeof instructions === 'string') call.warn('instructions make no difference here');
}

/** What the platform's own speech says of `voiceId` and `text`, in the words of this request. */
export function inTheseWords(error: unknown): unknown {
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
