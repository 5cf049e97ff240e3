// How long sessions and requests of the gateway relay live, in virtual milliseconds.

/** A session, after the agent was last heard of. */
export const sessionLifeMs = 90_000;
/** A request, after it was queued. */
export const requestLifeMs = 120_000;
/** Whoever asks an agent waits for its answer. */
export const patienceMs = 30_000;
/** The longest that a poll of an agent may wait. */
export const longestPollMs = 25_000;
