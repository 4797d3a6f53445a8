/** Records as a table. */

import type { DecisionRecord } from "@svc-authorizer/contract/management-api.gen.ts";
import { userPage } from "../../parts/links.ts";
import { type Column, Table } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Time } from "../../parts/time.tsx";
import { actionOf, outcomeOf, resourceOf } from "./record.ts";

/** Properties of {@link RecordTable}. */
interface RecordTableProps {
  readonly records: readonly DecisionRecord[];
  readonly onOpen: (id: string) => void;
  readonly isStale: boolean;
}

/** Shows the records, each with a button that opens it. */
export function RecordTable({ records, onOpen, isStale }: RecordTableProps) {
  const columns: readonly Column<DecisionRecord>[] = [
    { head: "When", cell: ({ at }) => <Time at={at} /> },
    {
      head: "Outcome",
      cell: (record) => (
        <span class={record.decision === true ? "effect allow" : "effect deny"}>{outcomeOf(record)}</span>
      ),
    },
    { head: "Subject", kind: "main", cell: ({ subject }) => <Subject of={subject} /> },
    { head: "Action", kind: "word", cell: (record) => <code>{actionOf(record)}</code> },
    { head: "Resource", cell: (record) => <Name text={resourceOf(record)} /> },
    {
      head: "Explain",
      kind: "act",
      cell: ({ id }) => (
        <button type="button" class="small" aria-label={`Explain ${id}`} onClick={() => onOpen(id)}>
          Explain
        </button>
      ),
    },
  ];
  return (
    <Table
      label="decisions"
      columns={columns}
      rows={records}
      keyOf={({ id }) => id}
      isStale={isStale}
      empty="No record fits. Which decisions are recorded is set by authorizer.decision_log.include."
    />
  );
}

function Subject({ of: subject }: { readonly of: DecisionRecord["subject"] }) {
  if (subject === undefined) return <>several</>;
  if (subject.id === null) return <>nobody</>;
  return subject.type === "user" ? (
    <Name text={subject.id} href={userPage(subject.id)} />
  ) : (
    <>
      {subject.type} <Name text={subject.id} />
    </>
  );
}
