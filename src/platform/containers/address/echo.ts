// The built-in application of a container that has no upstream: its health path returns 200, every other path an echo.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { escapeHtml } from '../../../core/visible.js';
import { wantsPage } from '../../../http/accept.js';
import { endAfterBody } from '../../../http/unread-body.js';
import type { ContainerRecord } from '../store.js';
import type { Spec } from '../wire/schema.js';

const maxBody = 8 * 1_024;

/** Serves a request in place of the container's image. */
export async function echo(
  req: IncomingMessage,
  res: ServerResponse,
  record: ContainerRecord,
  spec: Spec,
): Promise<void> {
  const { pathname, search } = new URL(`http://container${req.url?.startsWith('/') === true ? req.url : '/'}`);
  if (pathname === spec.health_check_path) {
    return send(req, res, 'application/json', JSON.stringify({ status: 'ok' }));
  }
  const { cookie: _cookie, authorization: _authorization, ...headers } = req.headers;
  const seen = {
    container: record.name,
    project_name: record.project_name,
    image: spec.ecr_image_uri,
    method: req.method,
    path: pathname,
    query: search,
    headers,
    body: await readStart(req),
    note: 'This is the emulator’s stand-in for your image. Set containers.upstreams.<project_name> to a local port to answer yourself.',
  };
  const json = JSON.stringify(seen, null, 2);
  if (!wantsPage(req.headers.accept)) return send(req, res, 'application/json', `${json}\n`);
  send(
    req,
    res,
    'text/html; charset=utf-8',
    `<!doctype html><title>${escapeHtml(record.name)}</title><pre>${escapeHtml(json)}</pre>\n`,
  );
}

function send(req: IncomingMessage, res: ServerResponse, type: string, body: string): void {
  res.writeHead(200, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body), 'Cache-Control': 'no-store' });
  endAfterBody(req, res, body);
}

// The start is enough for an echo; the rest is read and dropped, so that the connection stays usable.
async function readStart(req: IncomingMessage): Promise<string> {
  const start: Buffer[] = [];
  let length = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    if (length < maxBody) start.push(chunk.subarray(0, maxBody - length));
    length += chunk.length;
  }
  return Buffer.concat(start).toString('utf8');
}
