// What modules do to a request: the pipeline knows when, and not what.

import type { ApiError } from '../core/errors.js';
import type { BodyReader } from './body.js';
import type { Caller, Endpoint, HandlerContext } from './endpoint.js';
import type { ErrorHooks, Finding, RequestContext } from './request-context.js';
import type { Answer } from './response.js';

/** The outcome of looking at a request's credentials. */
export interface Identity {
  caller: Caller | undefined;
  /** Why there is none: thrown once the limiter has counted the request. */
  refusal: ApiError | undefined;
  /** Whose rate windows the request counts in. */
  bucketOwner: string;
  /** What is wrong with the credentials, for the journal. */
  finding?: Finding;
  /** The request has no credentials: if it brings a payment, it acts as the wallet that pays. */
  anonymous?: true;
}

/** What a request brings to pay with. */
export interface Offer {
  /** Whether the payment replaces credentials. */
  readonly authenticates: boolean;
  /**
   * Verifies it against what the request asks for.
   *
   * @throws ApiError PAYMENT_REQUIRED with the protocol's reason
   */
  verify(call: HandlerContext): Promise<VerifiedPayment | undefined>;
}

/** A payment that was verified. */
export interface VerifiedPayment {
  /**
   * Settles it, first in the handler's transaction.
   *
   * @returns the 402 when it cannot be settled: it is to be sent after the transaction, which stays
   */
  settle(): ApiError | undefined;
  /** Gives the caller the credits that the operation is about to take. */
  cover(caller: Caller): void;
  /** The headers that tell the payer of the settlement. */
  headers(): Record<string, string>;
}

/** Runs the rest of a request as its fault wants it, to the end of its answer. */
export type FaultRunner = (readBody: BodyReader, run: (readBody: BodyReader) => Promise<Answer>) => Promise<void>;

/** The hooks, in the order in which a request meets them. */
export interface Hooks extends ErrorHooks {
  /** Finds out who sends it. */
  authenticate(context: RequestContext): Identity | Promise<Identity>;
  /** Counts it; without an endpoint, in the bucket `other`. @throws ApiError RATE_LIMITED */
  limit(context: RequestContext, endpoint: Endpoint | undefined, identity: Identity): void;
  /** Sets the headers of the limits and counts nothing. */
  showLimits(context: RequestContext, identity: Identity): void;
  /** Selects the fault rule that acts on it. */
  selectFault(context: RequestContext, endpoint: Endpoint): FaultRunner | undefined | Promise<FaultRunner | undefined>;
  /** Reads the payment that it brings. @throws ApiError PAYMENT_REQUIRED where everybody pays */
  pay(context: RequestContext, endpoint: Endpoint, isAnonymous: boolean): Offer | undefined;
  /** Checks that the caller may do what the endpoint does. @throws ApiError FORBIDDEN */
  authorize(context: RequestContext, endpoint: Endpoint, caller: Caller): void;
  /** Waits before an error is sent. */
  holdBack(context: RequestContext, status: number): Promise<void>;
  /** Writes it down when its answer is decided. */
  record(context: RequestContext): void;
}
