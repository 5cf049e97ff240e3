// Snapshots: taken, put back, carried elsewhere, and compared row by row.

import { useSignal } from '@preact/signals';
import type { SnapshotComparison } from '../../../snapshots/compare.js';
import type { ListedSnapshot } from '../../../snapshots/schema.js';
import { pageOf, worldId } from '../api.js';
import { type Action, Command, commandsOf, Field, inputOf, OperationForm, type Texts } from '../components/form.js';
import { ResourceView } from '../components/list.js';
import { attempt, ChangedRows, FilePicker, readJson, Section, Unread } from '../components/parts.js';
import { call, commandLine, commandOf, flagOfWorld, type Input, useData } from '../emulator.js';
import { go } from '../page.js';
import { instantText, shellQuoted } from '../text.js';

export function Snapshots() {
  const { value } = useData<{ snapshots: ListedSnapshot[] }>('/snapshots', ['control']);
  const usable = value?.snapshots.filter(({ problem }) => problem === null) ?? [];
  return (
    <ResourceView<ListedSnapshot>
      operation="snapshots.list"
      topics={['control']}
      id="name"
      columns="name now:2fr takenAt:2fr?"
      cells={{
        now: ({ now, problem }) => problem ?? (now === null ? '–' : instantText(now)),
        takenAt: ({ takenAt }) => (takenAt === null ? '–' : `${instantText(takenAt)} UTC`),
      }}
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
      // It is real time, whose distance from virtual time says nothing.
      known={({ takenAt }) => ({ takenAt: takenAt && `${instantText(takenAt)} UTC` })}
      actions={({ problem }, name) => actionsOf(name, problem !== null)}
      more={({ name, problem }) =>
        problem === null && (
          <>
            <Section title="Fork">
              <Fork name={name} />
            </Section>
            <Section title="Compare">
              <Comparison name={name} others={usable.map((one) => one.name).filter((one) => one !== name)} />
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
    { label: 'Restore', operation: 'snapshots.restore', done: `The world is as it was at ${name}`, disabled },
    exported('Export', {}, ''),
    exported('Export without secrets', { withoutSecrets: true }, ' --without-secrets'),
    {
      label: 'Delete',
      operation: 'snapshots.remove',
      next: () => go({ item: '' }),
      done: `${name} is deleted`,
      isDangerous: true,
    },
  ];
}

function Import() {
  const read = async (file: File): Promise<void> => {
    const content = await readJson(file, '`cloudemu snapshot export` has written');
    go({ item: (await call<{ name: string }>('snapshots.import', content as Input)).name });
  };
  return (
    <FilePicker
      label="Import a file"
      what="File of a snapshot"
      title={commandLine('snapshot import <file>')}
      onPick={(file) => attempt(() => read(file), `${file.name} is imported`)}
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
function Comparison({ name, others }: { name: string; others: readonly string[] }) {
  const texts = useSignal<Texts>({});
  const query = inputOf('snapshots.compare', texts.value);
  const path = `/snapshots/${encodeURIComponent(name)}/compare`;
  const { value, error, reload } = useData<SnapshotComparison>(path, [], query);
  return (
    <>
      <div class="form">
        <Field label="With" name="with" texts={texts} options={others} none="now" />
        <button type="button" onClick={reload}>
          Read again
        </button>
        <Command text={commandOf('snapshots.compare', { name, ...query })} />
      </div>
      {value === undefined || error !== '' ? <Unread error={error} /> : <ChangedRows tables={value.tables} />}
      {value?.tables.length === 0 && (
        <p class="faint">
          There is no difference. Let the client do something, or advance the clock; then compare again.
        </p>
      )}
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
