// Headers of a response that a fault rule gives it.

import type { RequestContext } from './request-context.js';

/** Puts the headers that a fault rule gives a response in the place of those that it has. */
export function withOwnHeaders<Headers extends object>({ ownHeaders }: RequestContext, headers: Headers): Headers {
  if (ownHeaders === undefined) return headers;
  const names = new Set(Object.keys(ownHeaders).map((name) => name.toLowerCase()));
  for (const name of Object.keys(headers)) if (names.has(name.toLowerCase())) delete headers[name as keyof Headers];
  return Object.assign(headers, ownHeaders);
}
