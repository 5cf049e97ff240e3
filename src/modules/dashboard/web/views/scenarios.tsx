// Scenarios: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Scenarios() {
  return (
    <PlainList
      title="Scenarios"
      note="How worlds can begin."
      path="/scenarios"
      field="scenarios"
      hint="cloudemu scenario save keeps this world as one."
    />
  );
}
