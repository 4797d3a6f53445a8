/** Rights by resource type and verb, with the users who have them and the way. */

import type { AccessReview } from "@svc-authorizer/contract/management-api.gen.ts";
import { groupPage, userPage } from "../../parts/links.ts";
import { LocalList } from "../../parts/lists/local-list.tsx";
import { type Column, Table } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Accepted, acceptedOf } from "../../parts/policies/accepted.tsx";
import { StatementName } from "../../parts/policies/statement-name.tsx";
import { LastUsed } from "../../parts/time.tsx";

type Access = AccessReview["access"][number];
type Right = Access["rights"][number];

/** Most users of one kind of access that are named. */
const MOST_NAMED = 10;

/** The columns, with the findings that policies accept. */
const columnsOf = (accepted: AccessReview["accepted"]): readonly Column<Right>[] => [
  { head: "May", kind: "main", cell: ({ verbs, type }) => `${verbs.join(", ")} ${type}` },
  { head: "On", cell: ({ resources }) => <Name text={resources.join(", ")} /> },
  {
    head: "Through",
    cell: ({ policy, statement, sid, conditional }) => (
      <>
        <StatementName policy={policy} statement={statement} sid={sid} isInList />
        {conditional && ", under a condition"}
        <Accepted of={acceptedOf(accepted, { policy, sid })} />
      </>
    ),
  },
  { head: "Last used", cell: ({ last_used: at }) => <LastUsed at={at} /> },
];

/** Shows each kind of access behind a fold. */
export function ReviewedAccess({ of: review }: { readonly of: AccessReview }) {
  const { access, accepted, truncated } = review;
  const columns = columnsOf(accepted);
  return (
    <>
      <LocalList items={access} what="kinds of access" name="access" textsOf={textsOf}>
        {(shown) => shown.map((one) => <Kind key={keyOf(one)} of={one} columns={columns} />)}
      </LocalList>
      {truncated && (
        <p class="quiet-text">
          Not everything is shown: <code>svcctl access review</code> writes the whole as HTML or CSV.
        </p>
      )}
    </>
  );
}

/** Nobody is of two kinds. */
function keyOf({ users, groups }: Access): string {
  return [users[0]?.id ?? "", ...groups].join(" ");
}

/** The names and resources by which a kind of access is found. */
function textsOf({ users, groups, rights }: Access): readonly string[] {
  return [
    ...users.map(({ id }) => id),
    ...groups,
    ...rights.flatMap(({ policy, type, resources }) => [policy, type, ...resources]),
  ];
}

interface KindProps {
  readonly of: Access;
  readonly columns: readonly Column<Right>[];
}

function Kind({ of: one, columns }: KindProps) {
  return (
    <details>
      <summary>
        <Title of={one} />
      </summary>
      <p>
        {one.users.slice(0, MOST_NAMED).map(({ id }, at) => (
          <span key={id}>
            {at > 0 && ", "}
            <Name text={id} href={userPage(id)} />
          </span>
        ))}
        {one.users.length > MOST_NAMED && ` and ${one.users.length - MOST_NAMED} more`}
        {one.groups.length > 0 && "; groups: "}
        {one.groups.map((group, at) => (
          <span key={group}>
            {at > 0 && ", "}
            <Name text={group} href={groupPage(group)} />
          </span>
        ))}
      </p>
      <Table
        label="rights"
        columns={columns}
        rows={one.rights}
        keyOf={({ policy, statement, type }) => `${policy} ${statement} ${type}`}
        empty="Nothing is allowed."
      />
    </details>
  );
}

function Title({ of: { users, groups } }: { readonly of: Access }) {
  const [first] = users;
  const isOne = users.length === 1 && first !== undefined;
  return (
    <>
      {isOne ? <bdi>{first.id}</bdi> : `${users.length.toLocaleString("en")} users`}
      {groups.map((group, index) => (
        <span key={group}>
          {index === 0 ? ", in " : ", "}
          <bdi>{group}</bdi>
        </span>
      ))}
    </>
  );
}
