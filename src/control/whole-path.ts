// The paths of control operations.

/** The path of a method with that of the control plane before it, unless it is whole. */
export const wholePath = (path: string): string => (path.startsWith('/w/') ? path : `/_emulator${path}`);
