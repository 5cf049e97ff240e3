// Waiting on the wall clock, and ending a connection without a whole response.

import { afterWall, nextTurn } from '../../core/clock.js';
import { elapsed } from '../../core/real-time.js';
import { callerOf, type RequestContext, readRest } from '../../http/request-context.js';
import type { WholeBody } from '../../http/unread-body.js';
import { closing } from '../../world/topics.js';

/** How a connection ends without (the rest of) a response. */
export type Break = 'reset' | 'close' | 'hang';

/** How long sent bytes have to be read, before a reset makes the client's system drop them. */
export const readingMs = 50;
/**
 * How long a failure is held back: requests that the client sent at the same time arrive meanwhile, so that every later
 * request is a reaction to it. Verdicts rely on it.
 */
export const arrivingMs = 30;
const arrivingTurns = 5;

/** Delays the first failure of an operation in a second, and so the first refusal of an expired credential. */
export async function letArrive(context: RequestContext, status: number): Promise<void> {
  if (status !== 429 && status < 500 && context.findings?.includes('expired-credential') !== true) return;
  const kind = context.endpoint?.id ?? '';
  if (context.connections?.isFirstRefusal(callerOf(context), kind, elapsed()) !== true) return;
  if ((await pause(context, arrivingMs)) !== 'over') return;
  // A process that stood still runs its timers first: what has arrived meanwhile is accepted and read in these turns.
  for (let turn = 0; turn < arrivingTurns; turn++) await nextTurn();
}

/** How a pause has ended: its time is over, the client has left, or the world ends. */
export type PauseEnd = 'over' | 'left' | 'ended';

/** Waits on the wall clock; not longer than the client stays and the world is there. */
export function pause({ ctx, world }: RequestContext, ms: number): Promise<PauseEnd> {
  const { socket } = ctx.req;
  if (socket.destroyed) return Promise.resolve('left');
  return new Promise((resolve) => {
    const end = (how: PauseEnd): void => {
      cancelTimer?.();
      stopHearing();
      socket.off('close', left);
      resolve(how);
    };
    const left = (): void => end('left');
    const cancelTimer = ms === Infinity ? undefined : afterWall(ms, () => end('over'));
    const stopHearing = world.bus.on(closing, () => end('ended'));
    socket.on('close', left);
  });
}

/**
 * Sends nothing (more), ever, or ends the connection; resolves when that is done. `beforehand` receives the body, where
 * it had not been read.
 */
export async function breakOff(
  context: RequestContext,
  how: Break,
  beforehand?: (body: WholeBody | undefined) => void,
): Promise<void> {
  const { ctx } = context;
  ctx.respond = false;
  context.outcome = 'lost';
  const body = await readRest(context);
  if (body === undefined) await requestRead(context);
  beforehand?.(body);
  if (how === 'hang') {
    await pause(context, Infinity);
    return void ctx.req.socket.destroy();
  }
  await pause(context, arrivingMs);
  if (how === 'reset') ctx.req.socket.resetAndDestroy();
  else ctx.req.socket.destroySoon();
}

// Closing a socket with unread bytes makes the system send a reset, whatever was intended.
function requestRead({ ctx }: RequestContext): Promise<void> {
  const { req } = ctx;
  if (req.readableEnded || req.destroyed || req.socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    req
      .once('end', resolve)
      .once('close', resolve)
      .once('error', () => resolve());
    req.resume();
  });
}
