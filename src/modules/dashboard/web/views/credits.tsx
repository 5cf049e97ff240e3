// Credits: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Credits() {
  return (
    <PlainList
      title="Credits"
      note="Every movement of credits."
      path="/ledger"
      field="ledger"
      hint="Credits move when something is deployed, spoken or chatted."
    />
  );
}
