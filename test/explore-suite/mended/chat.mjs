import { PlatformError, send } from './http.mjs';

/** Reads a streamed reply to its end. One that stalls or breaks is not asked for again: it is paid for. */
export function reply(cloud, question) {
  const body = { model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: question }] };
  return send(cloud, 'POST', '/v1/chat/completions', body, async (response) => {
    const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
    if (events.at(-1) !== 'data: [DONE]') throw new PlatformError('the reply broke off');
    return events
      .slice(0, -1)
      .map((line) => JSON.parse(line.slice(6)).choices[0]?.delta.content ?? '')
      .join('');
  });
}
