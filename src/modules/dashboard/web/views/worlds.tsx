// Worlds: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Worlds() {
  return (
    <PlainList
      title="Worlds"
      note="Isolated worlds beside each other."
      path="/worlds"
      field="worlds"
      hint="cloudemu world create makes one."
    />
  );
}
