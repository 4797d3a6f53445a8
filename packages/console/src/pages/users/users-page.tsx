/** All users. */

import type { User } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { useMaySomewhere } from "../../api/permissions.ts";
import { useSession } from "../../frame/session.tsx";
import { userPage } from "../../parts/links.ts";
import { ListTable } from "../../parts/lists/list-table.tsx";
import type { Column } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Page } from "../../parts/page.tsx";
import { LastUsed, Time } from "../../parts/time.tsx";
import { CreateUser } from "./create-user.tsx";

const COLUMNS: readonly Column<User>[] = [
  { head: "User", kind: "main", cell: ({ id }) => <Name text={id} href={userPage(id)} /> },
  {
    head: "Friendly name",
    cell: ({ friendly_name: name }) => name !== undefined && <Name text={name} />,
  },
  { head: "E-mail", cell: ({ email }) => email !== undefined && <Name text={email} /> },
  { head: "Created", cell: ({ creation_date: at }) => <Time at={at} /> },
];
const LAST_USED: Column<User> = {
  head: "Last used",
  cell: ({ last_used: at, uses_since: since, creation_date: created }) => (
    <LastUsed at={at} since={since} created={created} />
  ),
};

/** The list of users, with the way to create one. */
export default function UsersPage() {
  const { countsUse } = useSession();
  const mayCreate = useMaySomewhere("auth:CreateUser");
  const [isCreating, setCreating] = useState(false);
  const create = (
    <button type="button" class="primary" onClick={() => setCreating(true)}>
      Create user
    </button>
  );
  return (
    <Page title="Users" help="console" actions={mayCreate && create}>
      <ListTable
        operation="GET /auth/users"
        input={countsUse ? { query: { last_used: true } } : {}}
        what="users"
        columns={countsUse ? [...COLUMNS, LAST_USED] : COLUMNS}
        keyOf={({ id }) => id}
        empty="There are no users yet."
      />
      {isCreating && <CreateUser onClose={() => setCreating(false)} />}
    </Page>
  );
}
