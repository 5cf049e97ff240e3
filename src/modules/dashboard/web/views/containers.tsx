// Containers: what became of each, and what can be done to it.

import { useSignal } from '@preact/signals';
import type { ControlledContainer } from '../../../containers/control.js';
import { type Column, List } from '../components/list.js';
import { Badge, Detail, Empty, Filter, Problem, toneOf, Unread, ViewHead, When } from '../components/parts.js';
import { Sample } from '../components/sample.js';
import { now, useData } from '../live.js';
import { go, route } from '../route.js';
import { set } from '../set.js';
import { distanceText } from '../text.js';
import { ContainerParts } from './container-parts.js';

export function Containers() {
  const { value, error } = useData<{ containers: ControlledContainer[] }>('/containers', [
    'container',
    'clock',
    'second',
  ]);
  const filter = useSignal('');
  const words = filter.value.toLowerCase();
  const rows = (value?.containers ?? []).filter((one) =>
    [one.name, one.project_name, one.id, one.status, one.mode, one.image.uri].join(' ').toLowerCase().includes(words),
  );
  const open = value?.containers.find(
    ({ id, project_name }) => route.value.item === id || route.value.item === project_name,
  );
  return (
    <>
      <ViewHead
        title="Containers"
        note="Each deployment against its plan, its log, its metrics, and what you can do to it."
      >
        <Filter value={filter.value} placeholder="Filter containers" onInput={(text) => set(filter, text)} />
      </ViewHead>
      <Problem text={error} />
      <div class="split wide-detail">
        <List
          label="Containers"
          rows={rows}
          columns={open === undefined ? columns : columns.slice(0, 2)}
          keyOf={({ id }) => id}
          open={open?.id}
          onOpen={({ id }) => go({ item: id })}
          empty={value === undefined ? <Unread error={error} /> : <NoContainers />}
        />
        {open !== undefined && (
          <Detail title={open.project_name} onClose={() => go({ item: '' })}>
            <ContainerParts key={open.id} container={open} />
          </Detail>
        )}
      </div>
    </>
  );
}

const columns: readonly Column<ControlledContainer>[] = [
  { title: 'Project', width: 'minmax(0, 2fr)', cell: ({ project_name }) => <strong>{project_name}</strong> },
  { title: 'Status', width: '6.25rem', cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge> },
  {
    title: 'Next change',
    width: '7rem',
    cell: ({ nextTransitionAt }) =>
      nextTransitionAt === null || now.value === undefined ? (
        <span class="faint">–</span>
      ) : (
        <span class="ahead-text">{distanceText(Date.parse(nextTransitionAt), now.value)}</span>
      ),
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
