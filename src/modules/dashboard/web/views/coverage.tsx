// Coverage: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Coverage() {
  return (
    <PlainList
      title="Coverage"
      note="Which operations the client has met, and how they went."
      path="/coverage"
      field="operations"
      hint="Requests fill it."
    />
  );
}
