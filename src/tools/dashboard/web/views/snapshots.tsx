// Snapshots: taken, put back, carried elsewhere, and compared row by row.

import { useSignal } from '@preact/signals';
import type { ListedSnapshot } from '../../../snapshots/schema.js';
import { get, pageOf, post, remove } from '../api.js';
import { commandLine, program, target, worldFlag } from '../command-line.js';
import { Actions } from '../components/actions.js';
import { FilePicker, readJson } from '../components/file-picker.js';
import { Field, Form, type Texts } from '../components/form.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Empty, KeyValues, Section } from '../components/parts.js';
import { attempt } from '../components/toast.js';
import { useData } from '../live.js';
import { go } from '../route.js';
import { set } from '../set.js';
import { instantText, shellQuoted } from '../text.js';
import { Comparison } from './snapshot-comparison.js';

export function Snapshots() {
  const { value, error } = useData<{ snapshots: ListedSnapshot[] }>('/snapshots', ['control']);
  const all = value?.snapshots ?? [];
  return (
    <ListView
      title="Snapshots"
      note="The whole world under a name: data, clock, limits, faults. Not the journal."
      error={error}
      filter={all.length > 0 ? 'Filter snapshots' : undefined}
      textOf={({ name }) => name}
      tools={<Import />}
      rows={value?.snapshots}
      columns={columns}
      isWide
      keyOf={({ name }) => name}
      empty={<NoSnapshots hasSome={all.length > 0} />}
      detail={(snapshot) => <SnapshotParts snapshot={snapshot} all={all} />}
    >
      <Take count={all.length} />
    </ListView>
  );
}

const columns: readonly Column<ListedSnapshot>[] = [
  { title: 'Name', width: 'minmax(0, 2fr)', cell: ({ name }) => <strong>{name}</strong> },
  {
    title: 'Virtual time',
    width: 'minmax(0, 2fr)',
    cell: ({ now, problem }) => (now === null ? <span class="bad-text">{problem}</span> : instantText(now)),
  },
  {
    title: 'Taken',
    width: 'minmax(0, 2fr)',
    minor: true,
    cell: ({ takenAt }) => <span class="faint">{takenAt === null ? '–' : `${instantText(takenAt)} UTC`}</span>,
  },
];

function NoSnapshots({ hasSome }: { hasSome: boolean }) {
  if (hasSome) return <Empty title="No snapshot has this name" />;
  return (
    <Empty title="No snapshots">
      <p>Take one now, let the client work, then compare: every row that was added, removed or changed is shown.</p>
    </Empty>
  );
}

function Take({ count }: { count: number }) {
  const texts = useSignal<Texts>({});
  const usual = `snapshot-${count + 1}`;
  const chosen = texts.value.name || usual;
  return (
    <Form
      label="Take"
      act={{
        label: 'Take a snapshot',
        command: `snapshot take ${shellQuoted(chosen)}`,
        run: async () => {
          await post('/snapshots', { name: chosen });
          set(texts, {});
        },
        done: `The snapshot ${chosen} is taken`,
      }}
    >
      <Field label="Name" name="name" texts={texts} placeholder={usual} />
    </Form>
  );
}

function Import() {
  const take = async (file: File): Promise<void> => {
    const read = async (): Promise<void> => {
      const content = await readJson(file, '`cloudemu snapshot export` has written');
      go({ item: (await post<{ name: string }>('/snapshots/import', content)).name });
    };
    await attempt(read, `${file.name} is imported`);
  };
  return (
    <FilePicker
      label="Import a file"
      what="File of a snapshot"
      title={commandLine('snapshot import <file>')}
      onPick={take}
    />
  );
}

interface PartsProps {
  snapshot: ListedSnapshot;
  all: readonly ListedSnapshot[];
}

function SnapshotParts({ snapshot: { name, now, takenAt, problem }, all }: PartsProps) {
  const path = `/snapshots/${encodeURIComponent(name)}`;
  const isSound = problem === null;
  return (
    <>
      {!isSound && <p class="problem flush">{problem}</p>}
      <KeyValues
        entries={[
          ['Virtual time', now === null ? null : instantText(now)],
          ['Taken', takenAt === null ? null : `${instantText(takenAt)} UTC`],
        ]}
      />
      <Actions
        label="Snapshot"
        actions={[
          {
            label: 'Restore',
            command: `snapshot restore ${name}`,
            run: () => post(`${path}/restore`),
            done: `The world is as it was at ${name}`,
            disabled: !isSound,
          },
          {
            label: 'Export',
            command: `snapshot export ${name} --file ${name}.json`,
            run: async () => save(`${name}.json`, await get(`${path}/export`)),
            done: `${name}.json is saved`,
            disabled: !isSound,
          },
          {
            label: 'Export without secrets',
            command: `snapshot export ${name} --file ${name}.json --without-secrets`,
            run: async () => save(`${name}.json`, await get(`${path}/export`, { withoutSecrets: true })),
            done: `${name}.json is saved, without values of environment variables`,
            disabled: !isSound,
          },
          {
            label: 'Delete',
            command: `snapshot remove ${name}`,
            run: async () => {
              await remove(path);
              go({ item: '' });
            },
            done: `${name} is deleted`,
            isDangerous: true,
          },
        ]}
      />
      {isSound && (
        <Section title="Fork">
          <Fork name={name} />
        </Section>
      )}
      {isSound && (
        <Section title="Compare">
          <Comparison name={name} others={all.filter((one) => one.problem === null && one.name !== name)} />
        </Section>
      )}
    </>
  );
}

/** A world of its own that goes on from a snapshot, while this one goes on as it is. */
function Fork({ name }: { name: string }) {
  const texts = useSignal<Texts>({});
  const chosen = texts.value.id?.trim() || `${name.toLowerCase().replace(/[^a-z0-9-]+/g, '-')}-fork`;
  const file = `${name}.json`;
  return (
    <Form
      label="Fork"
      act={{
        isPrimary: false,
        label: 'Go on in a new world',
        command: [
          `snapshot export ${name} --file ${file}${worldFlag}`,
          `world create --id ${shellQuoted(chosen)}`,
          `snapshot import ${file} --world ${shellQuoted(chosen)}`,
          `snapshot restore ${name} --world ${shellQuoted(chosen)}`,
        ].join(`${target} && ${program} `),
        isOfAll: true,
        run: async () => {
          const document = await get(`/snapshots/${encodeURIComponent(name)}/export`);
          await post('/worlds', { id: chosen });
          await post('/snapshots/import', document, chosen);
          await post(`/snapshots/${encodeURIComponent(name)}/restore`, {}, chosen);
          location.assign(`${pageOf(chosen)}#/timeline`);
        },
        done: `The world ${chosen} goes on from ${name}`,
      }}
    >
      <Field label="New world" name="id" texts={texts} placeholder={chosen} />
    </Form>
  );
}

function save(file: string, content: unknown): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content)], { type: 'application/json' }));
  link.download = file;
  link.click();
  URL.revokeObjectURL(link.href);
}
