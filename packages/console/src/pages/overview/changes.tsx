/** The newest changes of the directory. */

import type { Status } from "@svc-authorizer/contract/management-api.gen.ts";
import { groupPage, policyPage, userPage } from "../../parts/links.ts";
import { type Column, Table } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Time } from "../../parts/time.tsx";

type Change = NonNullable<Status["changes"]>[number];

const COLUMNS: readonly Column<Change>[] = [
  { head: "When", cell: ({ at }) => <Time at={at} /> },
  { head: "What", kind: "main", cell: (change) => <Touched by={change} /> },
  {
    head: "By",
    cell: ({ actors }) => (actors.length === 0 ? "the service" : <Name text={actors.join(", ")} />),
  },
  { head: "Revision", cell: ({ revision }) => revision.toLocaleString("en") },
];

/** Shows the changes, the newest first. */
export function Changes({ of: changes }: { readonly of: readonly Change[] }) {
  return (
    <Table
      label="changes"
      columns={COLUMNS}
      rows={changes}
      keyOf={({ revision }) => String(revision)}
      empty="Nothing has changed yet."
    />
  );
}

function Touched({ by: { users, groups, policies, more } }: { readonly by: Change }) {
  const all = [
    ...users.map((name) => ({ kind: "user", name, href: userPage(name) })),
    ...groups.map((name) => ({ kind: "group", name, href: groupPage(name) })),
    ...policies.map((name) => ({ kind: "policy", name, href: policyPage(name) })),
  ];
  if (all.length === 0) return <>settings</>;
  return (
    <>
      {all.map(({ kind, name, href }, index) => (
        <span key={`${kind} ${name}`}>
          {index > 0 && ", "}
          {kind} <Name text={name} href={href} />
        </span>
      ))}
      {more && " and more"}
    </>
  );
}
