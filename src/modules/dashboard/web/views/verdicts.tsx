// Verdicts: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Verdicts() {
  return (
    <PlainList
      title="Verdicts"
      note="What the client does well, and what it does not."
      path="/verdicts"
      field="verdicts"
      hint="They judge what the journal holds."
    />
  );
}
