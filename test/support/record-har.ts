// A fetch that records what it does as HAR, as clients of Node are recorded.

import { Agent, fetch, type Response } from 'undici';

interface Pair {
  name: string;
  value: string;
}

export interface RecordingFetch {
  fetch: (
    url: string,
    init?: { method?: string; headers?: Record<string, string>; body?: string },
  ) => Promise<Response | undefined>;
  /** What was recorded up to now. */
  har(): { log: { creator: object; entries: object[] } };
}

const pairs = (headers: Iterable<[string, string]>): Pair[] => [...headers].map(([name, value]) => ({ name, value }));

/** A fetch that records; a request without an answer gives undefined. */
export function recordFetch(): RecordingFetch {
  const entries: object[] = [];
  // Clients of other tests in this process have connections of their own.
  const dispatcher = new Agent();
  return {
    async fetch(url, { method = 'GET', headers = {}, body } = {}) {
      const sentAt = Date.now();
      const begun = performance.now();
      const request = {
        method,
        url,
        headers: pairs(Object.entries(headers)),
        ...(body !== undefined && { postData: { mimeType: 'application/json', text: body } }),
      };
      const add = (response: object): void =>
        void entries.push({
          startedDateTime: new Date(sentAt).toISOString(),
          time: performance.now() - begun,
          request,
          response,
        });
      try {
        const answer = await fetch(url, { dispatcher, method, headers, ...(body !== undefined && { body }) });
        const text = await answer.clone().text();
        add({
          status: answer.status,
          headers: pairs(answer.headers),
          content: { mimeType: answer.headers.get('content-type') ?? '', text, size: text.length },
        });
        return answer;
      } catch (error) {
        const { code = 'failed' } = ((error as Error).cause ?? {}) as { code?: string };
        add({ status: 0, _error: code, headers: [], content: { size: 0, mimeType: '' } });
        return undefined;
      }
    },
    har: () => ({ log: { creator: { name: 'undici', version: '7' }, entries } }),
  };
}
