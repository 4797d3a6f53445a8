/** All mirrors, of every repository and in every region. */

import type { Mirror } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { useMaySomewhere } from "../../api/permissions.ts";
import { useSession } from "../../frame/session.tsx";
import { mirrorPage } from "../../parts/links.ts";
import { ListTable } from "../../parts/lists/list-table.tsx";
import type { Column } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Page } from "../../parts/page.tsx";
import { CreateMirror } from "./create-mirror.tsx";
import { lagOf, MirrorState } from "./mirror-state.tsx";

const COLUMNS: readonly Column<Mirror>[] = [
  {
    head: "Mirror",
    kind: "main",
    cell: ({ id, source_repository: source }) => <Name text={id} href={mirrorPage(source, id)} />,
  },
  { head: "Repository", cell: ({ source_repository: source }) => <Name text={source} /> },
  { head: "Region", cell: ({ region }) => <Name text={region} /> },
  { head: "State", cell: (mirror) => <MirrorState of={mirror} /> },
  { head: "Behind", cell: lagOf },
  { head: "Missing objects", cell: ({ progress }) => progress.objects_missing.toLocaleString("en") },
];

/** The list, with the way to create one. */
export default function MirrorsPage() {
  const { mirrorRegions } = useSession();
  const mayCreate = useMaySomewhere("fs:MirrorRepository");
  const [isCreating, setCreating] = useState(false);
  const create = (
    <button type="button" class="primary" onClick={() => setCreating(true)}>
      Create mirror
    </button>
  );
  if (mirrorRegions.length === 0) {
    return (
      <Page title="Mirrors" help="mirroring">
        <p>
          No region may have mirrors: <code>authorizer.mirroring.regions</code> of the configuration names
          none.
        </p>
      </Page>
    );
  }
  return (
    <Page title="Mirrors" help="mirroring" actions={mayCreate && create}>
      <ListTable
        operation="GET /service/replication/v1/mirrors"
        input={{}}
        what="mirrors"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty="There are no mirrors yet."
      />
      {isCreating && <CreateMirror onClose={() => setCreating(false)} />}
    </Page>
  );
}
