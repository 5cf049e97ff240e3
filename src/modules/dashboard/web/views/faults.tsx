// Faults: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Faults() {
  return (
    <PlainList
      title="Faults"
      note="The rules that make requests fail, and how often each has."
      path="/faults"
      field="faults"
      hint="Open a request in the timeline and arm a fault from it."
    />
  );
}
