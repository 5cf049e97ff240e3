// The voices that a caller can use: those of the organization and the provider's own; paths and permissions of the endpoints.

import { premadeIds } from '../../config/voice.js';
import { ApiError, found, invalid } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import type { Caller } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { type CloneType, findVoice, listVoices, type Voice } from './store.js';

export interface PremadeVoice {
  /** Its id at the provider. */
  provider_id: string;
  name: string;
  description: string;
  clone_type: CloneType;
  /** The spectral line of its pitch: 38 Hz each. */
  pitch: number;
}

const voice = (name: keyof typeof premadeIds, description: string, pitch: number): PremadeVoice => ({
  provider_id: premadeIds[name],
  name,
  description,
  clone_type: 'professional',
  pitch,
});

export const premadeVoices: readonly PremadeVoice[] = [
  voice('Sarah', 'Soft and confident; American, young', 6),
  voice('Rachel', 'Calm narration; American, young', 7),
  voice('Aria', 'Expressive, for social media; American', 9),
  voice('Charlotte', 'Smooth, for characters; Swedish, young', 8),
  voice('Adam', 'Deep narration; American, middle-aged', 3),
  voice('George', 'Warm narration; British, middle-aged', 4),
  voice('Daniel', 'Authoritative, for the news; British', 5),
  voice('Brian', 'Deep narration; American, middle-aged', 2),
];

export const base = '/api/v1/voice';
export const read = { name: 'voice', level: 'read' } as const;
export const write = { name: 'voice', level: 'write' } as const;

interface Asking {
  world: World;
  caller: Caller;
  now: number;
}

/** A voice that can be shown: the organization's own, or one of the provider. */
export type AnyVoice = { cloned: Voice; premade?: never } | { premade: PremadeVoice; cloned?: never };

/** Whether a cloned voice can speak. */
export function isReady({ ready_at }: Voice, now: number): boolean {
  return ready_at !== null && ready_at <= now;
}

/** The id under which responses show a voice of the provider. */
export function premadeId({ random }: World, { provider_id }: PremadeVoice): string {
  return random.uuid('premade voice', provider_id);
}

/**
 * The voice that a path names.
 *
 * @throws ApiError NOT_FOUND, for another organization's voice too
 */
export function visible({ world, caller }: Asking, id: string): AnyVoice {
  return found(lookUp(world, caller, id), 'Voice not found: it may have been deleted');
}

/**
 * A voice of the caller's own organization.
 *
 * @throws ApiError NOT_FOUND; FORBIDDEN for one of the provider
 */
export function own(asking: Asking, id: string): Voice {
  const { cloned } = visible(asking, id);
  if (cloned === undefined)
    throw new ApiError('FORBIDDEN', { message: 'This voice is the provider’s: it cannot be changed or deleted' });
  return cloned;
}

/** The voice of a speech request. */
export interface Speaker {
  voice: AnyVoice;
  name: string;
  /** The id at the provider. */
  providerId: string;
  /** The spectral line of its pitch: 38 Hz each. */
  pitch: number;
}

const lowestPitch = 3;
const pitches = 14;

/**
 * The voice that a request uses for speech.
 *
 * @throws ApiError VALIDATION_ERROR for one that does not exist, is not ready or is switched off
 */
export function speakerOf(asking: Asking, id: string): Speaker {
  const { world, caller, now } = asking;
  const voice = lookUp(world, caller, id);
  if (voice === undefined) throw unknownVoice(asking, id);
  if (voice.cloned === undefined) {
    const { name, provider_id, pitch } = voice.premade;
    return { voice, name, providerId: provider_id, pitch };
  }
  const { cloned } = voice;
  if (!isReady(cloned, now)) throw refused(id, 'is still being cloned: wait until its job has completed');
  if (!cloned.is_active) throw refused(id, 'is switched off: set isActive to true to let it speak');
  const pitch = lowestPitch + Math.floor(world.random.fraction('voice pitch', cloned.id) * pitches);
  return { voice, name: cloned.name, providerId: cloned.provider_id, pitch };
}

function lookUp(world: World, { organizationId }: Caller, id: string): AnyVoice | undefined {
  const cloned = findVoice(world.db, organizationId, id);
  if (cloned !== undefined) return { cloned };
  const premade = premadeVoices.find((voice) => voice.provider_id === id || premadeId(world, voice) === id);
  return premade === undefined ? undefined : { premade };
}

function unknownVoice({ world, caller, now }: Asking, id: string): ApiError {
  const { organizationId } = caller;
  const cloned = listVoices(world.db, { organizationId, includeInactive: false, now });
  const all = [...cloned, ...premadeVoices];
  const byName = all.find(({ name }) => name.toLowerCase() === id.trim().toLowerCase());
  const ids = all.flatMap((voice) => ('id' in voice ? [voice.id, voice.provider_id] : [voice.provider_id]));
  const suggestion = byName?.provider_id ?? nearest(id, ids);
  return refused(id, `is not a voice: GET ${world.prefix}${base}/list?includePremade=true lists them`, suggestion);
}

function refused(id: string, message: string, suggestion?: string): ApiError {
  const problem = invalid({ path: 'voiceId', message, received: describe(id), suggestion });
  return new ApiError(problem.code, {
    ...problem.options,
    message: `Invalid voice ID: voiceId ${message}`,
    flat: 'Invalid voice ID. Please select a different voice.',
  });
}
