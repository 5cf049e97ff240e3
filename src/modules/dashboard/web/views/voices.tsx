// Voices and jobs: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Voices() {
  return (
    <PlainList
      title="Voices and jobs"
      note="Cloning jobs of voices."
      path="/jobs"
      field="jobs"
      hint="Clone a voice, and its job appears here."
    />
  );
}
