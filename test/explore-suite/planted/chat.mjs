import { headersOf } from './http.mjs';

/** Reads a streamed reply to its end. */
export async function reply(cloud, question) {
  const response = await fetch(`${cloud.url}/v1/chat/completions`, {
    method: 'POST',
    headers: headersOf(cloud),
    body: JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: question }] }),
  });
  if (!response.ok) throw new Error(`no reply: ${response.status} ${await response.text()}`);
  let text = '';
  // Bug (hang): nothing ends the wait for a stream that has stalled.
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) text += chunk;
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)).choices[0]?.delta.content ?? '')
    .join('');
}
