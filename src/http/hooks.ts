// The hooks by which modules act on a request. The pipeline decides when each runs; `src/app/hooks.ts` names the functions.

import type { ApiError } from '../core/errors.js';
import type { BodyReader } from './body.js';
import type { Caller, Endpoint, HandlerContext } from './endpoint.js';
import type { ErrorHooks, Finding, RequestContext } from './request-context.js';
import type { Answer } from './response.js';

/** The result of reading a request's credentials. */
export interface Identity {
  caller: Caller | undefined;
  /** The reason for the missing caller; thrown after the limiter has counted the request. */
  refusal: ApiError | undefined;
  /** The owner of the rate windows in which the request counts. */
  bucketOwner: string;
  /** The problem of the credentials, for the journal. */
  finding?: Finding;
  /** The request has no credentials: if it brings a payment, it acts as the wallet that pays. */
  anonymous?: true;
}

/** The payment of a request, before it is verified. */
export interface Offer {
  /** Whether the payment replaces credentials. */
  readonly authenticates: boolean;
  /**
   * Verifies the payment against the price of the request.
   *
   * @throws ApiError PAYMENT_REQUIRED with the protocol's reason
   */
  verify(call: HandlerContext): Promise<VerifiedPayment | undefined>;
}

/** A payment that was verified. */
export interface VerifiedPayment {
  /**
   * Settles the payment, first in the handler's transaction.
   *
   * @returns the 402 if it cannot be settled; the transaction is committed before it is sent
   */
  settle(): ApiError | undefined;
  /** Gives the caller the credits that the operation is about to take. */
  cover(caller: Caller): void;
  /** The headers that tell the payer of the settlement. */
  headers(): Record<string, string>;
}

/** Runs the rest of a request under its fault, to the end of the response. */
export type FaultRunner = (readBody: BodyReader, run: (readBody: BodyReader) => Promise<Answer>) => Promise<void>;

/** The hooks, in the order in which they run. */
export interface Hooks extends ErrorHooks {
  /** Finds the caller; changes nothing. */
  authenticate(context: RequestContext): Identity | Promise<Identity>;
  /** Counts the request. @throws ApiError RATE_LIMITED */
  limit(context: RequestContext, endpoint: Endpoint, identity: Identity): void;
  /** Sets the headers of the limits without counting the request. */
  showLimits(context: RequestContext, identity: Identity): void;
  /** Selects the fault rule that fires on the request. */
  selectFault(context: RequestContext, endpoint: Endpoint): FaultRunner | undefined | Promise<FaultRunner | undefined>;
  /** Reads the payment of the request. @throws ApiError PAYMENT_REQUIRED if the endpoint requires one */
  pay(context: RequestContext, endpoint: Endpoint, isAnonymous: boolean): Offer | undefined;
  /** Checks that the caller may do what the endpoint does. @throws ApiError FORBIDDEN */
  authorize(context: RequestContext, endpoint: Endpoint, caller: Caller): void;
  /** Delays an error, so that requests that were sent at the same time arrive before the client sees it. */
  holdBack(context: RequestContext, status: number): Promise<void>;
  /** Records the request in the journal when its response is decided. */
  record(context: RequestContext): void;
}
