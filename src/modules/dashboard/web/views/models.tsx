// Models: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Models() {
  return (
    <PlainList
      title="Models"
      note="What models answer next."
      path="/replies"
      field="replies"
      hint="Without an ordered reply a model names what it was asked."
    />
  );
}
