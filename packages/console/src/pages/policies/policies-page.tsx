/** All policies. */

import type { Policy } from "@svc-authorizer/contract/management-api.gen.ts";
import { useLocation } from "preact-iso";
import { useMaySomewhere } from "../../api/permissions.ts";
import { policyPage } from "../../parts/links.ts";
import { ListTable } from "../../parts/lists/list-table.tsx";
import type { Column } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Page } from "../../parts/page.tsx";
import { ShippedMark } from "../../parts/policies/shipped-mark.tsx";
import { Statements } from "../../parts/policies/statements.tsx";
import { Time } from "../../parts/time.tsx";

const COLUMNS: readonly Column<Policy>[] = [
  {
    head: "Policy",
    kind: "main",
    cell: (policy) => (
      <>
        <Name text={policy.id} href={policyPage(policy.id)} /> <ShippedMark policy={policy} />
      </>
    ),
  },
  { head: "Allows and denies", cell: ({ statement }) => <Statements of={statement} most={2} /> },
  { head: "Created", cell: ({ creation_date: at }) => <Time at={at} /> },
];

/** The list of policies, with the way to write one. */
export default function PoliciesPage() {
  const { route } = useLocation();
  const mayCreate = useMaySomewhere("auth:CreatePolicy");
  const create = (
    <button type="button" class="primary" onClick={() => route("/create-policy")}>
      Create policy
    </button>
  );
  return (
    <Page title="Policies" help="policy-work" actions={mayCreate && create}>
      <ListTable
        operation="GET /auth/policies"
        input={{}}
        what="policies"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty="There are no policies yet."
      />
    </Page>
  );
}
