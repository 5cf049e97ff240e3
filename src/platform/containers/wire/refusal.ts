// Errors outside the pipeline: those of a container's address, and of what cannot be read as a request.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ApiError } from '../../../core/errors.js';
import { errorBody } from '../../../http/reply.js';
import { endAfterBody } from '../../../http/unread-body.js';
import { iso } from '../../../http/wire.js';
import { emulatorFacts } from '../../../world/given.js';
import type { World } from '../../../world/world.js';
import { limitsOf } from '../../limits/hooks.js';

interface Refusal {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Responds to a request with an error. */
export function refuse(world: World, error: ApiError, req: IncomingMessage, res: ServerResponse): void {
  const { status, headers, body } = refusalOf(world, error, req.socket);
  endAfterBody(req, res.writeHead(status, headers), req.method === 'HEAD' ? undefined : body);
}

/** Writes an error to a bare socket, and closes it. */
export function refuseSocket(world: World, error: ApiError, socket: Duplex): void {
  const { status, headers, body } = refusalOf(world, error, socket);
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
}

// A refusal has an id and shows what remains of the limits, as every response does; the limits do not count it.
function refusalOf(world: World, error: ApiError, socket: Duplex): Refusal {
  const requestId = world.requestId(world.usage.nextRequest());
  const body = world.redactor.text(JSON.stringify(errorBody(world.config, error, requestId)));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    ...limitsOf(world, (socket as Socket).remoteAddress),
    'X-Request-Id': requestId,
    'X-Emulator': emulatorFacts.of(world).mark,
    'X-Emulator-Now': iso(world.clock.now()),
    'X-Emulator-Assumption': 'errors.envelope',
    ...(world.id !== 'default' && { 'X-Emulator-World': world.id }),
    ...error.options.headers,
  };
  return { status: error.status, headers, body };
}
