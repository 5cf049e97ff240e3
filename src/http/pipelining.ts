// Pipelined requests: those of a connection that are under way at the same time are few, and no more are read meanwhile.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection are under way at a time. Their responses wait for each other in memory. */
const mostUnderWay = 16;

interface Line {
  underWay: Set<ServerResponse>;
  waiting: (() => void)[];
}

/**
 * Makes a listener take the requests of a connection a few at a time; those of a client that has left are dropped. Each
 * response that was begun closes: Node lets those that wait for others never hear that their connection has gone, and
 * whatever is released when a response closes would be kept for ever.
 */
export function fewAtATime(take: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();

  function lineOf(socket: Socket): Line {
    let line = lines.get(socket);
    if (line === undefined) {
      const added: Line = { underWay: new Set(), waiting: [] };
      line = added;
      lines.set(socket, line);
      socket.once('close', () => {
        added.waiting.length = 0;
        // Node closes the one that was being sent.
        for (const res of added.underWay) if (res.socket === null) close(res);
      });
    }
    return line;
  }

  function begin(req: IncomingMessage, res: ServerResponse, line: Line): void {
    line.underWay.add(res);
    res.once('close', () => {
      line.underWay.delete(res);
      line.waiting.shift()?.();
      if (line.waiting.length === 0) req.socket.resume();
    });
    take(req, res);
  }

  return (req, res) => {
    const line = lineOf(req.socket);
    if (line.underWay.size < mostUnderWay) return begin(req, res, line);
    line.waiting.push(() => begin(req, res, line));
    req.socket.pause();
  };
}

// Closes a response as Node does; `_closed` tells Node not to close it again.
function close(res: ServerResponse): void {
  Object.assign(res, { destroyed: true, _closed: true }).emit('close');
}
