import { send } from './http.mjs';

const voiceId = 'EXAVITQu4vr4xnSDxMaL';

/** Speaks the parts of a text, each once. Speech whose bytes are lost is not asked for again: it is paid for. */
export async function narrate(cloud, parts) {
  const spoken = [];
  for (const text of parts) spoken.push(await send(cloud, 'POST', '/v1/voice/tts', { text, voiceId }, readAudio));
  return spoken;
}

// A refusal may come with 200, and is no speech.
function readAudio(response) {
  return response.headers.get('content-type').startsWith('audio/') ? response.arrayBuffer() : response.json();
}
