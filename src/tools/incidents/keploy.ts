// Reads the test cases and mocks of keploy: documents of YAML, one for each request.

import { isTree, type Tree } from '../../core/tree.js';
import type { RecordedExchange, Recording } from './exchange.js';
import { flatHeaders, numberOf, textOf } from './fields.js';

/** Whether the documents of a file are keploy's. */
export function isKeploy(documents: readonly unknown[]): boolean {
  return documents.some((one) => isTree(one) && one.kind === 'Http' && isTree(one.spec) && isTree(one.spec.req));
}

/** The requests of keploy, in the order of their documents. */
export function readKeploy(documents: readonly unknown[]): Recording {
  const exchanges = documents.flatMap((document, index): RecordedExchange[] => {
    const spec = isTree(document) && document.kind === 'Http' ? document.spec : undefined;
    return isTree(spec) && isTree(spec.req) && isTree(spec.resp) ? [exchangeOf(spec, spec.req, spec.resp, index)] : [];
  });
  return { format: 'keploy', exchanges, limits: ['keploy records no request that got no answer'] };
}

function exchangeOf(spec: Tree, request: Tree, response: Tree, index: number): RecordedExchange {
  const begun = Date.parse(textOf(request.timestamp ?? spec.reqTimestampMock));
  const ended = Date.parse(textOf(response.timestamp ?? spec.resTimestampMock));
  return {
    index,
    sentAt: Number.isNaN(begun) ? null : begun,
    ms: Number.isNaN(begun) || Number.isNaN(ended) ? null : Math.max(0, ended - begun),
    method: textOf(request.method).toUpperCase(),
    url: textOf(request.url),
    headers: flatHeaders(request.header),
    // What was large lies in a file of its own.
    body: request.body_ref === undefined ? textOf(request.body) : null,
    status: numberOf(response.status_code) ?? 0,
    answer: flatHeaders(response.header),
    text: response.body_skipped === true || response.body_ref !== undefined ? null : textOf(response.body),
  };
}
