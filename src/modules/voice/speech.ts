// Speech for a text: the settings' own file, or tones whose length depends on the text and whose pitch on the voice.

import type { VoiceModel } from '../../config/voice.js';
import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { charge } from '../credits/ledger.js';
import { type Speaker, speakerOf } from './access.js';
import { type CannedFile, cannedSpeech } from './canned.js';
import { speak } from './mp3/speak.js';
import { speechPrice } from './pricing.js';
import type { speechBody } from './schema.js';
import { countUse } from './store.js';

export type SpeechCall = Pick<
  HandlerContext<unknown, unknown, typeof speechBody._output>,
  'world' | 'caller' | 'now' | 'requestId' | 'operation' | 'body' | 'warn'
>;

/** The model of a request. */
export function modelOf({ world, body }: Pick<SpeechCall, 'world' | 'body'>): VoiceModel {
  return body.modelId ?? world.config.voice.defaultModel;
}

/**
 * Makes the audio, before anything is charged.
 *
 * @throws ApiError VALIDATION_ERROR for a voice that cannot speak
 */
export async function makeSpeech(call: SpeechCall): Promise<CannedFile> {
  const { text } = call.body;
  const speaker = speakerIn(call);
  const model = modelOf(call);
  const canned = await cannedSpeech(call.world, { text, speaker, model });
  if (canned !== undefined && 'content' in canned) return canned;
  if (canned !== undefined) call.warn(canned.problem);
  const content = await speak({ text, voice: speaker.name, model, pitch: speaker.pitch });
  return { content, type: 'audio/mpeg' };
}

/**
 * Charges for the speech, and counts it.
 *
 * @throws ApiError INSUFFICIENT_CREDITS; VALIDATION_ERROR when the voice was deleted meanwhile
 */
export function settleSpeech(call: SpeechCall): void {
  const { world, caller, now, requestId, operation, body } = call;
  const { cloned } = speakerIn(call).voice;
  const price = speechPrice(world.config, body.text, modelOf(call));
  charge(world, caller.organizationId, price.amount, {
    type: 'charge',
    reason: `Text to speech of ${[...body.text].length} characters`,
    priceRule: price.rule,
    operation,
    requestId,
    subject: cloned?.id ?? null,
    at: now,
  });
  if (cloned !== undefined) countUse(world.db, cloned.seq, now);
}

function speakerIn(call: SpeechCall): Speaker {
  const id = call.body.voiceId ?? call.world.config.voice.defaultVoice;
  if (id === null) throw invalid({ path: 'voiceId', message: 'is required', received: describe(undefined) });
  return speakerOf(call, id);
}
