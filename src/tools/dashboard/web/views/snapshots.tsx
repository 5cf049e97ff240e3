// Snapshots: taken, put back, carried elsewhere, and compared row by row.

import { useSignal } from '@preact/signals';
import type { SnapshotComparison } from '../../../snapshots/compare.js';
import type { ListedSnapshot } from '../../../snapshots/schema.js';
import { pageOf, worldId } from '../api.js';
import { type Action, Command, commandsOf } from '../components/actions.js';
import { instantOr } from '../components/fields.js';
import { FilePicker, readJson } from '../components/file-picker.js';
import { Field, inputOf, OperationForm, type Texts } from '../components/form.js';
import { Problem, Section, Unread } from '../components/parts.js';
import { ResourceView } from '../components/resource-view.js';
import { ChangedRows } from '../components/row-changes.js';
import { attempt } from '../components/toast.js';
import { useData } from '../live.js';
import { call, commandLine, commandOf, flagOfWorld, type Input } from '../operation.js';
import { go } from '../route.js';
import { shellQuoted } from '../text.js';

export function Snapshots() {
  const { value } = useData<{ snapshots: ListedSnapshot[] }>('/snapshots', ['control']);
  const all = value?.snapshots ?? [];
  return (
    <ResourceView<ListedSnapshot>
      title="Snapshots"
      note="The whole world under a name: data, clock, limits, faults. Not the journal."
      operation="snapshots.list"
      topics={['control']}
      id="name"
      columns={[
        { title: 'Name', width: 'minmax(0, 2fr)', cell: ({ name }) => <strong>{name}</strong> },
        { title: 'Virtual time', width: 'minmax(0, 2fr)', cell: ({ now, problem }) => problem ?? instantOr(now) },
        { title: 'Taken, UTC', width: 'minmax(0, 2fr)', minor: true, cell: ({ takenAt }) => instantOr(takenAt) },
      ]}
      tools={<Import />}
      isWide
      making={{
        label: 'Take a snapshot',
        operation: 'snapshots.take',
        fields: 'name',
        known: { name: { placeholder: 'before' } },
        done: 'The snapshot is taken',
        next: () => {},
      }}
      hint={
        <p>Take one now, let the client work, then compare: every row that was added, removed or changed is shown.</p>
      }
      known={({ takenAt }) => ({ takenAt: takenAt && `${instantOr(takenAt)} UTC` })}
      actions={({ problem }, name) => actionsOf(name, problem !== null)}
      more={({ name, problem }) =>
        problem === null && (
          <>
            <Section title="Fork">
              <Fork name={name} />
            </Section>
            <Section title="Compare">
              <Comparison name={name} others={all.filter((one) => one.problem === null && one.name !== name)} />
            </Section>
          </>
        )
      }
    />
  );
}

function actionsOf(name: string, disabled: boolean): Action[] {
  const exported = (label: string, more: { withoutSecrets?: true }, flag: string): Action => ({
    label,
    operation: 'snapshots.export',
    input: { name, ...more },
    next: (content) => save(`${name}.json`, content),
    command: commandLine(`snapshot export ${name} --file ${name}.json${flag}`),
    done: `${name}.json is saved`,
    disabled,
  });
  return [
    {
      label: 'Restore',
      operation: 'snapshots.restore',
      input: { name },
      done: `The world is as it was at ${name}`,
      disabled,
    },
    exported('Export', {}, ''),
    exported('Export without secrets', { withoutSecrets: true }, ' --without-secrets'),
    {
      label: 'Delete',
      operation: 'snapshots.remove',
      input: { name },
      next: () => go({ item: '' }),
      done: `${name} is deleted`,
      isDangerous: true,
    },
  ];
}

function Import() {
  const take = async (file: File): Promise<void> => {
    const read = async (): Promise<void> => {
      const content = await readJson(file, '`cloudemu snapshot export` has written');
      go({ item: (await call<{ name: string }>('snapshots.import', content as Input)).name });
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

/** A world of its own that goes on from a snapshot, while this one goes on as it is. */
function Fork({ name }: { name: string }) {
  const texts = useSignal<Texts>({});
  const id = texts.value.id?.trim() || `${name.toLowerCase().replace(/[^a-z0-9-]+/g, '-')}-fork`;
  const file = `${name}.json`;
  return (
    <OperationForm
      label="Go on in a new world"
      operation="worlds.open"
      fields="id"
      texts={texts}
      known={{ id: { label: 'New world', placeholder: id } }}
      isPrimary={false}
      input={{ id }}
      command={commandsOf([
        `snapshot export ${name} --file ${file}${flagOfWorld(worldId)}`,
        `world create --id ${shellQuoted(id)}`,
        `snapshot import ${file} --world ${shellQuoted(id)}`,
        `snapshot restore ${name} --world ${shellQuoted(id)}`,
      ])}
      run={async () => {
        const document = await call<object>('snapshots.export', { name });
        await call('worlds.create', { id });
        await call('snapshots.import', { ...document }, id);
        await call('snapshots.restore', { name }, id);
        location.assign(`${pageOf(id)}#/timeline`);
      }}
      done={`The world ${id} goes on from ${name}`}
    />
  );
}

/** A snapshot beside another one, or beside now: table by table, row by row, field by field. */
function Comparison({ name, others }: { name: string; others: readonly { name: string }[] }) {
  const texts = useSignal<Texts>({});
  const query = inputOf('snapshots.compare', texts.value);
  const path = `/snapshots/${encodeURIComponent(name)}/compare`;
  const { value, error, reload } = useData<SnapshotComparison>(path, [], query);
  return (
    <>
      <div class="form">
        <Field label="With" name="with" texts={texts} options={others.map((one) => one.name)} none="now" />
        <button type="button" onClick={reload}>
          Read again
        </button>
        <Command text={commandOf('snapshots.compare', { name, ...query })} />
      </div>
      <Problem text={error} />
      {value === undefined && <Unread error={error} />}
      {value?.tables.length === 0 && (
        <p class="faint">
          There is no difference. Let the client do something, or advance the clock; then compare again.
        </p>
      )}
      {value !== undefined && <ChangedRows tables={value.tables} />}
    </>
  );
}

function save(file: string, content: unknown): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content)], { type: 'application/json' }));
  link.download = file;
  link.click();
  URL.revokeObjectURL(link.href);
}
