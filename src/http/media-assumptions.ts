// What is guessed of vectors, pictures, videos, speech for SDKs, and knowledge.

import type { Assumption } from './assumption.js';

export const mediaAssumptions = {
  'embeddings.vectors': {
    level: 'body',
    text: 'Vectors are unit vectors made of words, pairs of words and parts of words, the same in every world: equal for equal texts, near for similar ones. dimensions takes their beginning, as unit vectors again. Tokens are estimated; model may be missing.',
    setting: 'models.catalogue',
  },
  'images.pictures': {
    level: 'body',
    text: 'Pictures are PNG files of patterns that follow from seed, model and prompt, in the size that is asked for: as b64_json unless response_format is url, and under images at a local address. A reply with an error that is ordered for the model refuses the prompt.',
    setting: 'prices.image',
  },
  'images.limits': {
    level: 'detail',
    text: 'A prompt has up to 32,000 characters, as OpenAI’s; n is 1 to 10, numImages 1 to 4. aspectRatio is any ratio, stylePreset any text.',
  },
  'videos.limits': {
    level: 'detail',
    text: 'A prompt has up to 4,000 characters; duration is 1 to 60 seconds, resolution 480p, 720p or 1080p, aspect_ratio one of five.',
  },
  'videos.model': {
    level: 'detail',
    text: 'A model of videos that is not in the catalogue answers, with a warning, instead of 400.',
    setting: 'models.unknown',
  },
  'audio.limits': {
    level: 'detail',
    text: 'input has up to 4,096 characters, as OpenAI’s.',
  },
  'knowledge.limits': {
    level: 'detail',
    text: 'A query has up to 10,000 characters and 1 to 100 results, 5 without limit.',
  },
  'files.address': {
    level: 'operation',
    text: 'What was made lies at /api/v1/generated of this world, for everybody and for ever: the name says what is in it, and is signed. Range is answered with a part.',
  },
  'knowledge.documents': {
    level: 'operation',
    text: 'Documents belong to the organization, each for one agent or for all. POST /api/v1/knowledge takes {content, filename, type, characterId, metadata}, /knowledge/upload-file a form of up to 10 files, 5 MB each, 10 MB in all; both answer 201. Texts of txt, md, html, json, csv and docx are read, and can be found at once.',
  },
  'knowledge.query': {
    level: 'body',
    text: 'Fragments of up to 800 characters are ranked by the likeness of their embeddings to the query’s and by the query’s words that they have; similarity and score are the same number, from 0 to 1. characterId leaves only that agent’s documents. Free of charge.',
  },
  'videos.films': {
    level: 'operation',
    text: 'A video is an MP4 file (H.264, 24 frames, no sound) of still colour bars: 8 seconds of 720p, 16:9, unless duration, resolution or aspect_ratio say otherwise. Its comment follows from seed, model and prompt. It is there at once, at a local address.',
    setting: 'prices.video',
  },
  'audio.speech': {
    level: 'operation',
    text: 'POST /api/v1/audio/speech takes {model, voice, input} as OpenAI’s SDKs send it and answers an MP3 file; its names of voices stand for the provider’s own. Other formats are refused; speed and instructions make no difference. It costs what text to speech costs.',
  },
} as const satisfies Record<string, Assumption>;
