/** Tables. */

import type { ComponentChildren } from "preact";

/** A column of a table. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** `main`: the name of the row, which takes the room; `word`: a word of usual length; `act`: buttons, at the end. */
  readonly kind?: "main" | "word" | "act";
}

/** Properties of {@link Table}. */
interface TableProps<Row> {
  /** The kind of the rows, such as "users". */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Shown in place of a table without rows. */
  readonly empty: ComponentChildren;
  /** True while newer rows are on their way. */
  readonly isStale?: boolean;
}

/** A table whose header stays in sight; on a narrow screen each row becomes a block with its heads as labels. */
export function Table<Row>({ label, columns, rows, keyOf, empty, isStale = false }: TableProps<Row>) {
  if (rows.length === 0) return <div class="empty">{empty}</div>;
  return (
    <table aria-label={label} aria-busy={isStale} class={isStale ? "stale" : undefined}>
      <thead>
        <tr>
          {columns.map(({ head, kind }) => (
            <th key={head} scope="col" class={kind}>
              {kind === "act" ? <span class="for-readers">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ head, cell, kind }) => (
              <td key={head} class={kind} data-head={head}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
