// Assumptions: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Assumptions() {
  return (
    <PlainList
      title="Assumptions"
      note="What is answered where the platform says nothing."
      path="/assumptions"
      field="assumptions"
      hint=""
    />
  );
}
