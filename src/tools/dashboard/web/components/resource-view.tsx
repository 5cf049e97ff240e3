// The view of a noun, drawn from its operations: the list with its declared columns, the fields of what is open, the
// buttons of the operations that act on it, and the form of the one that makes another.

import type { ComponentChildren } from 'preact';
import { type Topic, useData } from '../live.js';
import { commandOf, operationOf } from '../operation.js';
import { type Action, Actions, Command } from './actions.js';
import { columnsOf, declaredColumns, Facts, organizationName, useOrganizations } from './fields.js';
import { OperationForm, type OperationFormProps } from './form.js';
import type { Column } from './list.js';
import { ListView, type ListViewProps, useItem } from './list-view.js';
import { Empty } from './parts.js';

type Handed<Row> = Partial<Omit<ListViewProps<Row>, 'columns' | 'rows' | 'title' | 'note' | 'error'>>;

export interface ResourceProps<Row> extends Handed<Row> {
  title: string;
  /** The content of the view, in a sentence. */
  note: string;
  /** The operation that lists them. */
  operation: string;
  topics?: readonly Topic[];
  /** The rows of what the operation answers, where they are not all of them. */
  /** The columns; those of the command if left out. */
  columns?: string | ListViewProps<Row>['columns'];
  /** The field that names a row in its operations. */
  id?: keyof Row & string;
  /** Facts that are not drawn by their names; null leaves one out. */
  known?: (row: Row) => Record<string, ComponentChildren>;
  /** What can be done to the one that is open. */
  actions?: (row: Row, id: string) => readonly Action[];
  /** More about the one that is open. */
  more?: (row: Row) => ComponentChildren;
  /** The form that makes another one. */
  making?: OperationFormProps;
  /** What is said where there is none. */
  hint?: ComponentChildren;
}

const usual = ['request', 'control', 'clock'] as const;

export function ResourceView<Row extends object>(props: ResourceProps<Row>) {
  const { operation, topics = usual, columns, id = 'id', known, actions, more, making } = props;
  const { hint, children, ...handed } = props;
  const { path } = operationOf(operation);
  const { value, error } = useData<Record<string, Row[]>>(path, topics);
  const [, open] = useItem();
  useOrganizations();
  const noun = path.split('/').at(-1) ?? '';
  const rows = value?.[noun];
  const keyOf = (row: Row): string => String(row[id as keyof Row]);
  const nameOf = (row: Row): string => String((row as { name?: string }).name ?? keyOf(row));
  const own = columns ?? declaredColumns(operation);
  const words = noun.replace('-', ' ');
  return (
    <ListView<Row>
      filter={`Filter ${words}`}
      empty={<Empty title={`No ${words}`}>{hint ?? <Command text={commandOf(operation, {})} />}</Empty>}
      keyOf={keyOf}
      titleOf={nameOf}
      detail={(row) => (
        <>
          <Facts of={row} known={known?.(row) ?? {}} />
          <Actions label={nameOf(row)} actions={actions?.(row, keyOf(row)) ?? []} />
          {more?.(row)}
        </>
      )}
      {...handed}
      error={error}
      rows={rows}
      columns={typeof own === 'string' ? withOwners(columnsOf<Row>(own), rows) : own}
    >
      {making !== undefined && <OperationForm next={(made: Row) => open(keyOf(made))} {...making} />}
      {children}
    </ListView>
  );
}

// After the first column that of whose each row is, where the rows are of several organizations.
function withOwners<Row extends object>(columns: readonly Column<Row>[], rows: readonly Row[] = []) {
  const ownerOf = (row: Row): string => (row as { organizationId?: string }).organizationId ?? '';
  const isOfOne = rows.every((row) => ownerOf(row) === ownerOf(rows[0] ?? row));
  if (isOfOne || columns.some(({ title }) => title === 'Organization')) return columns;
  const cell = (row: Row): string => organizationName(ownerOf(row));
  return columns.toSpliced(1, 0, { title: 'Organization', width: 'minmax(0, 2fr)', minor: 480, cell });
}
