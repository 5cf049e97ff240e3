// Organizations as other views name them.

import type { ControlledOrganization } from '../../../organizations/control.js';
import { useData } from '../live.js';
import { hrefOf } from '../route.js';

/** The name of an organization by its id; the id itself where it is not known. */
export function useOrganizationNames(): (id: string) => string {
  const { value } = useData<{ organizations: ControlledOrganization[] }>('/organizations', ['control', 'request']);
  const names = new Map(value?.organizations.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
}

/** A link to an organization. */
export function Organization({ id, name }: { id: string; name: string }) {
  return (
    <a href={hrefOf({ view: 'accounts', item: `organizations/${id}` })} title={id}>
      {name}
    </a>
  );
}
