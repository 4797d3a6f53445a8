/** All groups. */

import type { Group } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { useMaySomewhere } from "../../api/permissions.ts";
import { groupPage } from "../../parts/links.ts";
import { ListTable } from "../../parts/lists/list-table.tsx";
import type { Column } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Page } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { CreateGroup } from "./create-group.tsx";

const COLUMNS: readonly Column<Group>[] = [
  { head: "Group", kind: "main", cell: ({ id }) => <Name text={id} href={groupPage(id)} /> },
  { head: "Description", cell: ({ description = "" }) => <Name text={description} /> },
  { head: "Created", cell: ({ creation_date: at }) => <Time at={at} /> },
];

/** The list of groups, with the way to create one. */
export default function GroupsPage() {
  const mayCreate = useMaySomewhere("auth:CreateGroup");
  const [isCreating, setCreating] = useState(false);
  const create = (
    <button type="button" class="primary" onClick={() => setCreating(true)}>
      Create group
    </button>
  );
  return (
    <Page title="Groups" help="console" actions={mayCreate && create}>
      <ListTable
        operation="GET /auth/groups"
        input={{}}
        what="groups"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty="There are no groups yet."
      />
      {isCreating && <CreateGroup onClose={() => setCreating(false)} />}
    </Page>
  );
}
