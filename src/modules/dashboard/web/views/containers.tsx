// Containers: as the control plane lists them.

import { PlainList } from '../components/plain.js';

export function Containers() {
  return (
    <PlainList
      title="Containers"
      note="Deployments and what became of them."
      path="/containers"
      field="containers"
      topics={['container']}
      hint="Deploy one, and it appears here."
    />
  );
}
