// Snapshots: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Snapshots() {
  return (
    <PlainList
      title="Snapshots"
      note="Kept states of this world."
      path="/snapshots"
      field="snapshots"
      hint="cloudemu snapshot take keeps the state of now."
    />
  );
}
