/** One policy: what it allows, its document, who holds it, its versions, its history. */

import type { Policy } from "@svc-authorizer/contract/management-api.gen.ts";
import { useAnswer } from "../../api/hooks.ts";
import { useActionsOn } from "../../api/permissions.ts";
import { useSession } from "../../frame/session.tsx";
import { CodeEditor } from "../../parts/code-editor/code-editor.tsx";
import { DeleteButton } from "../../parts/dialogs/delete-button.tsx";
import { History } from "../../parts/history.tsx";
import { usePageName } from "../../parts/links.ts";
import { Page } from "../../parts/page.tsx";
import { ShippedMark } from "../../parts/policies/shipped-mark.tsx";
import { Statements } from "../../parts/policies/statements.tsx";
import { WhatChanges } from "../../parts/policies/what-changes.tsx";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { EditPolicy } from "./edit-policy.tsx";
import { Holders } from "./holders.tsx";
import { textOf } from "./policy-text.ts";
import { Versions } from "./versions.tsx";

/** The page of the policy that the address names. */
export default function PolicyPage() {
  const id = usePageName();
  const actions = useActionsOn("policy", id);
  const { data: policy, error } = useAnswer("GET /auth/policies/{policyId}", { path: { policyId: id } });
  const may = (action: string): boolean => actions?.has(action) === true;
  return (
    <Page
      key={id}
      title={id}
      kind="Policy"
      help="conditions"
      actions={may("auth:DeletePolicy") && policy && <DeletePolicy id={id} />}
    >
      <Alert error={error} />
      {(policy === undefined || actions === undefined) && error === null && <Loading what="the policy" />}
      {policy !== undefined && actions !== undefined && (
        <>
          <ShippedMark policy={policy} />
          <Statements of={policy.statement} isNumbered />
          <Section title="Document">
            {may("auth:UpdatePolicy") ? <EditPolicy policy={policy} /> : <ReadPolicy policy={policy} />}
          </Section>
          <Holders policy={id} />
          <Versions policy={policy} mayRestore={may("auth:UpdatePolicy")} />
          <History about={`policy:${id}`} />
        </>
      )}
    </Page>
  );
}

function ReadPolicy({ policy }: { readonly policy: Policy }) {
  return <CodeEditor label="Policy document" value={textOf(policy)} />;
}

function DeletePolicy({ id }: { readonly id: string }) {
  const { actions } = useSession();
  return (
    <DeleteButton
      kind="policy"
      name={id}
      operation="DELETE /auth/policies/{policyId}"
      input={{ path: { policyId: id } }}
      next="/policies"
    >
      <p>It is detached from all users and groups. Its versions stay in the log as long as that is kept.</p>
      {actions.has("auth:ReadPolicy") && <WhatChanges change={{ name: id, delete: true }} />}
    </DeleteButton>
  );
}
