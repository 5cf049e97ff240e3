// A hosted agent behind which a process of the user's own answers: what its requests are, and what its answers cost.

import { ApiError } from '../../core/errors.js';
import { parsedJson } from '../../core/json.js';
import { real } from '../../core/real-time.js';
import { isTree } from '../../core/tree.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { forwardedHeaders } from '../../http/forward.js';
import { pageOrigin } from '../../http/origins.js';
import type { JsonAnswer, LaterAnswer, SseEvent } from '../../http/response.js';
import { askUpstream, type UpstreamListener, type UpstreamRequest } from '../../http/upstream-answer.js';
import { closing, replaced } from '../../world/topics.js';
import type { World } from '../../world/world.js';
import { findHostedAgent, type HostedAgent } from '../hosted-agents/store.js';
import { checkLength, openBill, outputLimit, requireCovered, upperEstimate } from '../models/charges.js';
import { countTokens } from '../models/tokens.js';
import { withoutPlatformCredentials } from '../sessions/sessions.js';
import { modelOf, type ReadTalk, silence } from './talk.js';

/** The URL of the process that answers for an agent, or undefined where the settings name none. */
export function upstreamOf({ config }: World, { name }: Pick<HostedAgent, 'name'>): string | undefined {
  const { upstreams } = config.hostedAgents;
  const upstream = Object.hasOwn(upstreams, name) ? upstreams[name] : undefined;
  return typeof upstream === 'number' ? `http://127.0.0.1:${upstream}` : upstream;
}

/** A message, whose answer costs as that of a model. */
interface Spoken {
  talk: ReadTalk;
  /** The text in an answer; undefined: it is an error. */
  textIn(body: Record<string, unknown>): unknown;
}

interface PassedOn {
  spoken?: Spoken | undefined;
  /** By default the JSON of the request. */
  body?: Buffer | undefined;
}

/**
 * Lets the process behind an agent answer, within the handler's transaction.
 *
 * @returns undefined where there is none
 * @throws ApiError INSUFFICIENT_CREDITS and CONTEXT_LENGTH for a message; NOT_FOUND for a path with dots; FORBIDDEN for a
 *   page of another origin
 * @example passOn(call, agent) ?? ok({ status: 'ok' })
 */
export function passOn(
  call: HandlerContext,
  agent: HostedAgent,
  { spoken, body = jsonOf(call) }: PassedOn = {},
): LaterAnswer | undefined {
  const { world, isHead, received } = call;
  const url = upstreamOf(world, agent);
  if (url === undefined) return undefined;
  demandNoForeignPage(call);
  const { upstreamTimeout: patience } = world.config.hostedAgents;
  const request: Omit<UpstreamRequest, 'gone'> = {
    url,
    patience,
    setting: 'hostedAgents.upstreamTimeout',
    method: isHead ? 'HEAD' : received.method,
    path: pathIn(received.path) + received.search,
    headers: headersOf(call, body),
    body,
  };
  const listener = spoken === undefined ? {} : billOf(call, spoken);
  return {
    kind: 'later',
    async ready(gone) {
      const over = createEnd(world, agent);
      const ended = (): void => {
        over.release();
        listener.ended?.();
      };
      const signal = AbortSignal.any([gone, over.signal]);
      const answer = await askUpstream({ ...request, gone: signal }, { ...listener, ended });
      return over.signal.aborted && answer instanceof ApiError ? stopped() : answer;
    },
  };
}

// Any page may sign itself up here and name its agent as the settings do: the process is for programs of this machine.
function demandNoForeignPage({ world, received }: HandlerContext): void {
  const { server } = world.config;
  if (pageOrigin(received, server) !== 'foreign') return;
  const origin = JSON.stringify(String(received.headers.origin).slice(0, 100));
  throw new ApiError('FORBIDDEN', {
    message: `Insufficient permissions: the page of another origin, ${origin}, may not reach the process behind this agent: list it in the setting server.corsOrigins`,
    details: { reason: 'foreign-origin' },
  });
}

// The path after that of the agent: /bridge, /api/health.
function pathIn(path: string): string {
  const segments = path.split('/').slice(6);
  if (segments.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    throw new ApiError('NOT_FOUND', { message: 'The path of an agent must not have . or .. in it' });
  return `/${segments.join('/')}`;
}

function jsonOf({ received: { headers, json } }: HandlerContext): Buffer | undefined {
  const isSent = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return isSent && json !== undefined ? Buffer.from(JSON.stringify(json)) : undefined;
}

// The signatures and payments of wallets are for the platform.
const ofWallets = ['x-wallet-address', 'x-wallet-signature', 'x-timestamp', 'x-payment', 'payment-signature'];
// The body was decoded, and answers are read here: neither is compressed.
const notPassed = ['accept-encoding', 'content-encoding', ...ofWallets];

function headersOf({ world, received }: HandlerContext, body: Buffer | undefined) {
  const { headers, socket } = received;
  const sent = forwardedHeaders({ headers: withoutPlatformCredentials(world, headers), socket }, {});
  for (const name of notPassed) delete sent[name];
  if (body === undefined) delete sent['content-type'];
  return sent;
}

// Whatever the process counts itself, tokens are those of the emulator's estimate, as for other models.
function billOf(call: HandlerContext, { talk, textIn }: Spoken): UpstreamListener {
  const { world } = call;
  const { agent, conversation } = talk;
  const model = modelOf(world, agent);
  checkLength(model, conversation);
  const upper = upperEstimate(world, model, conversation);
  requireCovered(call, upper.amount);
  const bill = openBill(call, model, upper, 'Message to an agent');
  const most = outputLimit(world, model, conversation);
  let isAnswered = false;
  let text = '';
  return {
    json({ status, body }: JsonAnswer) {
      const said = status < 400 && isTree(body) ? textIn(body) : undefined;
      isAnswered = typeof said === 'string';
      if (typeof said === 'string') text = said;
    },
    event({ event, data }: SseEvent) {
      const said = parsedJson(data);
      if (!isTree(said)) return;
      const piece = said.chunk ?? said.text;
      if (typeof piece !== 'string' || (event !== 'chunk' && event !== 'done')) return;
      isAnswered = true;
      text = event === 'done' ? piece : text + piece;
    },
    ended() {
      bill.settle(isAnswered ? { input: conversation.inputTokens, output: countTokens(text, most) } : none);
    },
  };
}

const none = { input: 0, output: 0 };

/** Tells when no answer is wanted any more: the agent has stopped, its data were replaced, or its world ends. */
function createEnd(world: World, { id }: HostedAgent): { signal: AbortSignal; release(): void } {
  const over = new AbortController();
  const stop = (): void => over.abort();
  // Runs after the transaction that reports a change, not within it.
  const look = (): void =>
    real.queueMicrotask(() => {
      if (world.isClosed || isReleased) return;
      const agent = findHostedAgent(world.db, id);
      if (agent === undefined || silence(agent, world.clock.now()) !== undefined) stop();
    });
  let isReleased = false;
  const deaf = [world.bus.on(`hosted-agent:${id}`, look), world.bus.on(replaced, stop), world.bus.on(closing, stop)];
  return {
    signal: over.signal,
    release() {
      isReleased = true;
      for (const stopHearing of deaf) stopHearing();
    },
  };
}

function stopped(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message: 'The agent has stopped, or its world was replaced, while this answer was under way',
  });
}
