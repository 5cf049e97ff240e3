// The provider's own voices, which every organization may use.

import type { CloneType } from './store.js';

export interface PremadeVoice {
  /** Its id at the provider. */
  provider_id: string;
  name: string;
  description: string;
  clone_type: CloneType;
  /** The spectral line of its pitch: 38 Hz each. */
  pitch: number;
}

const voice = (provider_id: string, name: string, description: string, pitch: number): PremadeVoice => ({
  provider_id,
  name,
  description,
  clone_type: 'professional',
  pitch,
});

export const premadeVoices: readonly PremadeVoice[] = [
  voice('EXAVITQu4vr4xnSDxMaL', 'Sarah', 'Soft and confident; American, young', 6),
  voice('21m00Tcm4TlvDq8ikWAM', 'Rachel', 'Calm narration; American, young', 7),
  voice('9BWtsMINqrJLrRacOk9x', 'Aria', 'Expressive, for social media; American', 9),
  voice('XB0fDUnXU5powFXDhCwa', 'Charlotte', 'Smooth, for characters; Swedish, young', 8),
  voice('pNInz6obpgDQGcFmaJgB', 'Adam', 'Deep narration; American, middle-aged', 3),
  voice('JBFqnCBsd6RMkjVDRZzb', 'George', 'Warm narration; British, middle-aged', 4),
  voice('onwK4e9ZLuTAKqWW03F9', 'Daniel', 'Authoritative, for the news; British', 5),
  voice('nPczCjzI2devNBz1zQrb', 'Brian', 'Deep narration; American, middle-aged', 2),
];

export function findPremade(providerId: string): PremadeVoice | undefined {
  return premadeVoices.find(({ provider_id }) => provider_id === providerId);
}
