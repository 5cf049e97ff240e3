// The third entry, `cloudemu/client`: a running emulator, its worlds and its controls over HTTP.

export type { RemoteControls } from './app/controls.js';
export {
  type ConnectOptions,
  connect,
  type RemoteEmulator,
  type RemoteWorld,
} from './client/connect.js';
export type { FinishOptions, WorldReport } from './client/report.js';
