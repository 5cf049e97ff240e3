import { send } from './http.mjs';

const voiceId = 'EXAVITQu4vr4xnSDxMaL';

/** Speaks the parts of a text, each once. Speech whose bytes are lost is not asked for again: it is paid for. */
export async function narrate(cloud, parts) {
  const spoken = [];
  for (const text of parts)
    spoken.push(await send(cloud, 'POST', '/v1/voice/tts', { text, voiceId }, (response) => response.arrayBuffer()));
  return spoken;
}
