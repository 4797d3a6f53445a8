/** Access that nobody used in a period, by kind. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Answer } from "../../api/call.ts";
import { useAnswer } from "../../api/hooks.ts";
import { counted } from "../../parts/counted.ts";
import { groupPage, policyPage, userPage } from "../../parts/links.ts";
import { ListTable } from "../../parts/lists/list-table.tsx";
import type { Column } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Accepted } from "../../parts/policies/accepted.tsx";
import { StatementName } from "../../parts/policies/statement-name.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Notes } from "../../parts/states/warnings.tsx";
import { LastUsed } from "../../parts/time.tsx";

type Entry = Answer<"GET /auth/access/unused">["results"][number];

const KINDS = [
  ["user", "Users"],
  ["key", "Access keys"],
  ["group", "Groups"],
  ["policy", "Policies"],
  ["statement", "Statements"],
  ["actions", "Actions"],
] as const;

const COLUMNS: readonly Column<Entry>[] = [
  { head: "Unused", kind: "main", cell: shown },
  { head: "Last used", cell: (entry) => entry.kind !== "actions" && <LastUsed at={entry.last_used} /> },
];

/** Shows each kind behind a fold. It is asked for when the fold is opened. */
export function Unused({ since }: { readonly since: string }) {
  const { data, error } = useAnswer("GET /auth/access/unused", { query: { since, amount: 1 } });
  if (error !== null) return <Alert error={error} />;
  return (
    <>
      <Notes texts={data?.warnings ?? []} />
      {KINDS.map(([kind, title]) => (
        <Kind key={kind} kind={kind} title={title} since={since} />
      ))}
    </>
  );
}

interface KindProps {
  readonly kind: Entry["kind"];
  readonly title: string;
  readonly since: string;
}

function Kind({ kind, title, since }: KindProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && (
        <ListTable
          operation="GET /auth/access/unused"
          input={{ query: { since, kind } }}
          what={`unused ${title.toLowerCase()}`}
          columns={COLUMNS}
          keyOf={keyOf}
          name={`unused-${kind}`}
          isSearchable={false}
          empty="None."
        />
      )}
    </details>
  );
}

function keyOf(entry: Entry): string {
  if (entry.kind === "key") return entry.access_key_id;
  return "id" in entry ? entry.id : `${entry.statement} ${entry.policy}`;
}

function shown(entry: Entry): ComponentChildren {
  switch (entry.kind) {
    case "user":
      return <Name text={entry.id} href={userPage(entry.id)} />;
    case "key":
      return (
        <>
          <code>{entry.access_key_id}</code> of <Name text={entry.user} href={userPage(entry.user)} />
        </>
      );
    case "group":
      return (
        <>
          <Name text={entry.id} href={groupPage(entry.id)} /> with {counted(entry.members, "member")}
        </>
      );
    case "policy":
      return (
        <>
          <Name text={entry.id} href={policyPage(entry.id)} />, attached {counted(entry.attached, "time")}
          <Accepted of={entry.accept ?? []} />
        </>
      );
    case "statement":
      return (
        <>
          {statementOf(entry)}
          <Accepted of={entry.accept ?? []} />
        </>
      );
    case "actions":
      return (
        <>
          {statementOf(entry)}: <code>{entry.unused.join(", ")}</code>
          <Accepted of={entry.accept ?? []} />
        </>
      );
  }
}

function statementOf({ policy, statement, sid }: Extract<Entry, { readonly statement: number }>) {
  return <StatementName policy={policy} statement={statement} sid={sid} isInList />;
}
