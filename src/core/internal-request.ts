// Requests that the command sends for its own purposes.

/**
 * Marks a request to the platform that no client has sent: it counts in no rate window, no fault applies to it, and
 * it is not in the journal. It is accepted only from senders that may reach the control plane.
 */
export const internalHeader = 'x-emulator-aside';
