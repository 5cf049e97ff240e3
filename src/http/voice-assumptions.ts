// What is guessed of voices and audio: speech, transcripts, cloning.

import type { Assumption } from './assumption.js';

export const voiceAssumptions = {
  'voice.speech': {
    level: 'body',
    text: 'Speech is an MP3 file of tones: about 15 characters a second, the pitch of the voice, the text in its ID3 tag. Stability and similarity_boost are checked, unless voice.checkTuning is off, and make no difference.',
    setting: 'voice.speech',
  },
  'voice.transcripts': {
    level: 'body',
    text: 'Speech to text of a file that text to speech has made answers its text; for other audio (mp3, wav, ogg, webm, m4a, flac, up to 25 MB) a text of the settings, or words made up to its length. The file’s bytes decide what it is, not its name or type.',
    setting: 'voice.transcripts',
  },
  'voice.ids': {
    level: 'detail',
    text: 'A voice goes by its UUID or by the provider’s id. In a path, what is neither is 400 and what is unknown 404; for speech an unknown voice, one under way and one that is switched off are 400.',
  },
  'voice.record': {
    level: 'body',
    text: 'A voice has a status (processing or completed) and the numbers of its samples beside the documented fields. The provider’s own voices belong to nobody and cannot be changed.',
    setting: 'service.legacyVoiceProvider',
  },
  'voice.list': {
    level: 'detail',
    text: 'The organization’s cloned voices that are ready, newest first; with includeInactive those too that are switched off, with includePremade then the provider’s own.',
  },
  'voice.clone': {
    level: 'body',
    text: 'Answers 201 with the voice, its job, the charge and how to poll. The voice can be read at once, is listed when its job completes, and gone and refunded when it fails. At most 10 samples, 25 MB each, 100 MB in all.',
    setting: 'voice.cloning.*',
  },
  'voice.jobs': {
    level: 'detail',
    text: 'Jobs of the organization that are pending or processing, newest first; all=true lists those too that have ended.',
    setting: 'voice.cloning.timing',
  },
  'voice.update': {
    level: 'body',
    text: 'Takes name, description, settings and isActive, each optional, and answers the whole voice. To switch one on that is still being cloned is 409.',
  },
  'voice.delete': {
    level: 'detail',
    text: 'A deleted voice is gone at once; one that is still being cloned returns its charge.',
  },
  'voice.price': {
    level: 'detail',
    text: 'Begun thousands of characters and begun minutes count whole; a clone that fails returns its whole charge.',
    setting: 'prices.*',
  },
} as const satisfies Record<string, Assumption>;
