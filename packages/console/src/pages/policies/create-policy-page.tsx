/** Writes a new policy. */

import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { problemAt } from "../../api/api-error.ts";
import { useChange } from "../../api/hooks.ts";
import { useMayAnywhere } from "../../api/permissions.ts";
import { Field } from "../../parts/forms/field.tsx";
import { useDraft } from "../../parts/forms/use-draft.ts";
import { policyPage } from "../../parts/links.ts";
import { Page } from "../../parts/page.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { NotAllowed } from "../../parts/states/not-allowed.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { NEW_POLICY, policyOf } from "./policy-text.ts";

const CREATE = "auth:CreatePolicy";

/** The page, for those who may create some policy. */
export default function CreatePolicyPage() {
  const may = useMayAnywhere(CREATE);
  if (may === undefined) return <Loading what="your permissions" />;
  return may ? <CreatePolicy /> : <NotAllowed title="New policy" action={CREATE} />;
}

/** An empty policy; afterwards the page of the policy. */
function CreatePolicy() {
  const { route } = useLocation();
  const [name, setName] = useDraft("create-policy-name");
  const [text, setText] = useDraft("create-policy", NEW_POLICY);
  const [fault, setFault] = useState<unknown>();
  const creation = useChange("POST /auth/policies");
  const save = (): void => {
    setFault(undefined);
    try {
      creation.mutate(
        { body: policyOf(text, name) },
        {
          onSuccess: ({ answer }) => {
            setName("");
            setText(NEW_POLICY);
            route(policyPage(answer.id));
          },
        },
      );
    } catch (error) {
      setFault(error);
    }
  };
  return (
    <Page title="New policy" help="conditions">
      <PolicyForm
        name={name}
        text={text}
        onInput={setText}
        onSave={save}
        isPending={creation.isPending}
        isSaved={false}
        above={
          <Field
            label="Policy name"
            value={name}
            onInput={setName}
            required
            problem={problemAt(creation.error, "/id")}
          />
        }
        below={<Alert error={fault ?? creation.error} shown={["/id"]} />}
        others={
          <a class="button" href="/policies">
            Cancel
          </a>
        }
      />
    </Page>
  );
}
