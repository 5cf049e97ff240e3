// A table of operations beside columns of marks, which scrolls in both directions.

import type { ComponentChildren } from 'preact';

interface MatrixProps<Row extends { operation: string }> {
  label: string;
  rows: readonly Row[];
  /** Columns whose names stand upright, before those whose names do not. */
  short?: readonly string[];
  long: readonly string[];
  link: (row: Row) => ComponentChildren;
  /** The mark of a column: its colour, its text, and what it says when it is pointed at. */
  markOf: (row: Row, column: string) => readonly [tone: string, text: ComponentChildren, title?: string] | undefined;
}

export function Matrix<Row extends { operation: string }>(props: MatrixProps<Row>) {
  const { label, rows, short = [], long, link, markOf } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled with keys too
    <section class="matrix" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            {[...short, ...long].map((name, index) => (
              <th key={name} scope="col">
                {index < short.length ? name : <span>{name}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.operation}>
              <th scope="row">{link(row)}</th>
              {[...short, ...long].map((name) => {
                const [tone, text, title] = markOf(row, name) ?? [];
                return (
                  <td key={name} class={tone} title={title}>
                    {text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
