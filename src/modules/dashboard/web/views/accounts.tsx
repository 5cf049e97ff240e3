// Accounts and keys: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Accounts() {
  return (
    <PlainList
      title="Accounts and keys"
      note="Test keys of the world."
      path="/keys"
      field="keys"
      hint="cloudemu key create makes one."
    />
  );
}
