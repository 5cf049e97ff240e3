// Requests that the command sends for its own sake.

/**
 * Marks a request to the platform that no client has sent: it counts in no window, meets no fault, and is not in the
 * journal. It holds only for those who may reach the control plane.
 */
export const asideHeader = 'x-emulator-aside';
