// The paths of the dashboard, which need no other part of it.

/** Whether a path of the control plane is the dashboard's: its page, an asset, or where the control token is taken. */
export function isDashboardPath(path: string): boolean {
  return /^\/_emulator\/?$|^\/_emulator\/(reference\/?|session)$|^\/_emulator\/assets\//.test(path);
}
