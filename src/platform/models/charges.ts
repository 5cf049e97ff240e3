// Charges for the answers of models: reserves the upper estimate, and charges the tokens that were used.

import { ApiError } from '../../core/errors.js';
import type { Micros } from '../../core/money.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { chargeCaller, insufficientCredits, type Price } from '../credits/ledger.js';
import { type ReservedFor, reserve, settleReservation } from '../credits/reservations.js';
import type { Conversation } from './conversation.js';
import { type Model, type Tokens, tokenPrice } from './models.js';

type Asking = Pick<HandlerContext, 'world' | 'caller' | 'operation' | 'requestId' | 'now'>;

/** A charge of tokens that is under way. */
export interface Bill {
  /** Ends it: what was not used returns. */
  settle(tokens: Tokens): void;
}

/** The most tokens that an answer may have. */
export function outputLimit(
  { config }: World,
  { contextWindow, maxOutput }: Model,
  { maxTokens, inputTokens }: Pick<Conversation, 'maxTokens' | 'inputTokens'>,
): number {
  return Math.min(maxTokens ?? config.models.maxTokens, maxOutput, Math.max(0, contextWindow - inputTokens));
}

/** The most that the answers to a conversation can cost. */
export function upperEstimate(world: World, model: Model, conversation: Conversation): Price {
  const output = outputLimit(world, model, conversation) * conversation.count;
  return tokenPrice(world, model, { input: conversation.inputTokens, output });
}

/** @throws ApiError CONTEXT_LENGTH where a conversation leaves no room for an answer */
export function checkLength({ id, contextWindow }: Model, { inputTokens }: Pick<Conversation, 'inputTokens'>): void {
  if (inputTokens < contextWindow) return;
  throw new ApiError('CONTEXT_LENGTH', {
    message: `The conversation has ${inputTokens} tokens, and the context window of ${id} holds ${contextWindow}`,
    details: { tokens: inputTokens, contextWindow },
  });
}

/**
 * Refuses a request whose upper estimate the balance does not cover, before a model answers.
 *
 * @throws ApiError INSUFFICIENT_CREDITS
 */
export function requireCovered({ world, caller }: Asking, amount: Micros): void {
  const balance = findOrganization(world.db, caller.organizationId)?.balance ?? 0;
  if (balance < amount) throw insufficientCredits(amount, balance);
}

/**
 * Charges for tokens whose number is known, in the handler's transaction.
 *
 * @param reason the reason in the ledger
 * @throws ApiError INSUFFICIENT_CREDITS
 */
export function chargeTokens(asking: Asking, model: Model, tokens: Tokens, reason: string): void {
  const price = tokenPrice(asking.world, model, tokens);
  if (price.amount > 0) chargeCaller(asking, price, reason);
}

/**
 * Takes the upper estimate in the handler's transaction, for an answer that takes its time.
 *
 * @throws ApiError INSUFFICIENT_CREDITS
 */
export function openBill(asking: Asking, model: Model, upper: Price, reason: string): Bill {
  const { world, caller, now } = asking;
  const { epoch } = world;
  if (upper.amount === 0) return { settle() {} };
  const seq = reserve(world, caller.organizationId, upper.amount, what(asking, reason, `at most ${upper.rule}`, now));
  return {
    settle(tokens) {
      // When the world's data were replaced, the reservation went with them; one that ended returns it when it is opened.
      if (world.isClosed || world.epoch !== epoch) return;
      const { amount, rule } = tokenPrice(world, model, tokens);
      settleReservation(world, seq, amount, what(asking, reason, rule, world.clock.now()));
    },
  };
}

function what({ operation, requestId }: Asking, reason: string, priceRule: string, at: number): ReservedFor {
  return { reason, priceRule, operation, requestId, at };
}
