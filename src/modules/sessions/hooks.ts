// Error pages for browsers.

import type { ApiError } from '../../core/errors.js';
import { hasErrorPages } from '../../http/endpoint.js';
import type { RequestContext } from '../../http/request-context.js';
import type { TextAnswer } from '../../http/response.js';
import { wantsPage } from './html.js';
import { errorPage as pageOf } from './pages.js';

/** The page of an error, where the endpoint has pages and a browser requests one. */
export function errorPage({ world, endpoint, ctx }: RequestContext, error: ApiError): TextAnswer | undefined {
  const isForPeople = endpoint !== undefined && wantsPage(ctx.get('accept')) && hasErrorPages(endpoint);
  return isForPeople ? pageOf(world, error) : undefined;
}
