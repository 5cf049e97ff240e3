// Limits: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Limits() {
  return (
    <PlainList
      title="Limits"
      note="What every caller may still send, and until when."
      path="/limits"
      field="windows"
      hint="Windows begin with the first request of a caller."
    />
  );
}
