// Organizations as other views name them.

import type { ControlledOrganization } from '../../../../platform/organizations/control.js';
import type { Column } from '../components/list.js';
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

/** The organization whose something is. */
export function OwnerOf({ id }: { id: string }) {
  return <Organization id={id} name={useOrganizationNames()(id)} />;
}

/** Columns, after the first one with whose each row is where the rows are of several organizations. */
export function withOwners<Row extends { organizationId: string }>(
  [first, ...others]: readonly Column<Row>[],
  rows: readonly Row[] = [],
  nameOf: (id: string) => string,
): readonly Column<Row>[] {
  const isOfOne = rows.every(({ organizationId }) => organizationId === rows[0]?.organizationId);
  if (first === undefined || isOfOne) return first === undefined ? [] : [first, ...others];
  const cell = (row: Row): string => nameOf(row.organizationId);
  return [first, { title: 'Organization', width: 'minmax(0, 2fr)', minor: 480, cell }, ...others];
}
