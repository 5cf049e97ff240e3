// The requests of the contract tests that are generated from the declarations, by supertest.

import supertest from 'supertest';
import type { Answer, Platform } from './emulator.js';

/** A request with the seeded key; objects are sent as JSON, texts as they are, forms as forms. */
export async function call(
  { url, apiKey }: Pick<Platform, 'url' | 'apiKey'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const form = body instanceof FormData ? new Response(body) : undefined;
  const sent = form === undefined ? text(body) : Buffer.from(await form.arrayBuffer());
  const type = form?.headers.get('content-type') ?? (sent === undefined ? undefined : 'text/plain;charset=UTF-8');
  const request = supertest(url)
    [method.toLowerCase() as 'post'](path)
    .set({ authorization: `Bearer ${apiKey}`, ...(type != null && { 'content-type': type }), ...headers })
    .buffer(true);
  const response = await (sent === undefined ? request : request.serialize((raw: unknown) => raw as string).send(sent));
  return {
    status: response.status,
    headers: new Headers(Object.entries(response.headers as Record<string, string>)),
    body: response.body,
    text: response.text,
  };
}

// Fetch sends it so.
function text(body: unknown): string | undefined {
  return typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
}
