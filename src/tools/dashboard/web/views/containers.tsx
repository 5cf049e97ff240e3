// Containers: what became of each, and what can be done to it.

import type { ControlledContainer } from '../../../../platform/containers/control.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Ahead, Empty, Status, When } from '../components/parts.js';
import { Sample } from '../components/sample.js';
import { useData } from '../live.js';
import { ContainerParts } from './container-parts.js';
import { useOrganizationNames, withOwners } from './organization.js';

export function Containers() {
  const topics = ['container', 'clock', 'second'] as const;
  const { value, error } = useData<{ containers: ControlledContainer[] }>('/containers', topics);
  const nameOf = useOrganizationNames();
  return (
    <ListView
      title="Containers"
      note="Each deployment against its plan, its log, its metrics, and what you can do to it."
      error={error}
      filter="Filter containers"
      textOf={({ name, project_name, id, status, mode, image, organizationId }) =>
        [name, project_name, id, status, mode, image.uri, nameOf(organizationId)].join(' ')
      }
      rows={value?.containers}
      columns={withOwners(columns, value?.containers, nameOf)}
      isWide
      keyOf={({ id }) => id}
      aliasOf={({ project_name }) => project_name}
      empty={<NoContainers />}
      titleOf={({ project_name }) => project_name}
      detail={(container) => <ContainerParts container={container} />}
    />
  );
}

const columns: readonly Column<ControlledContainer>[] = [
  { title: 'Project', width: 'minmax(0, 2fr)', cell: ({ project_name }) => <strong>{project_name}</strong> },
  { title: 'Status', width: '6.25rem', cell: ({ status }) => <Status of={status} /> },
  {
    title: 'Next change',
    width: '7rem',
    cell: ({ nextTransitionAt }) => <Ahead at={nextTransitionAt} />,
  },
  {
    title: 'Since',
    width: '8.5rem',
    minor: true,
    cell: ({ since }) => <When at={since} />,
  },
  { title: 'Image', width: 'minmax(0, 3fr)', minor: true, cell: ({ image }) => <code>{image.uri}</code> },
  { title: 'Error', width: 'minmax(0, 3fr)', minor: true, cell: ({ error }) => <span class="bad-text">{error}</span> },
];

function NoContainers() {
  return (
    <Empty title="No containers">
      <p>A client deploys one. It appears here at once, with all that its plan leads to:</p>
      <Sample
        path="/api/v1/containers"
        args={`-d '{"name": "Web", "project_name": "web", "ecr_image_uri": "registry.local/web:v1"}'`}
      />
      <p>The image need not exist. One with the tag fail-crash-loop fails in that way.</p>
    </Empty>
  );
}
