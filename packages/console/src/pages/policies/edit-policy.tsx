/** Changes a policy. */

import type { Policy } from "@svc-authorizer/contract/management-api.gen.ts";
import { useEffect, useState } from "preact/hooks";
import { useChange } from "../../api/hooks.ts";
import { useDraft } from "../../parts/forms/use-draft.ts";
import { Alert } from "../../parts/states/alert.tsx";
import { Warnings } from "../../parts/states/warnings.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { policyOf, textOf } from "./policy-text.ts";

/** The editor with the policy as it is; what was typed stays until it is saved or given up. */
export function EditPolicy({ policy }: { readonly policy: Policy }) {
  const stored = textOf(policy);
  const [base, setBase] = useState(stored);
  const [text, setText] = useDraft(`policy:${policy.id}`, stored);
  const [fault, setFault] = useState<unknown>();
  const change = useChange("PUT /auth/policies/{policyId}");
  const isSaved = text === stored;
  useEffect(() => {
    // Nothing was typed, so the editor follows what others do.
    if (text === base) setText(stored);
    if (text === base || text === stored) setBase(stored);
  }, [stored]);
  const save = (): void => {
    setFault(undefined);
    try {
      const body = policyOf(text, policy.id);
      change.mutate(
        { path: { policyId: policy.id }, body },
        {
          onSuccess: ({ answer }) => {
            const saved = textOf(answer);
            setBase(saved);
            setText(saved);
            sessionStorage.removeItem(`console.draft.policy:${policy.id}`);
          },
        },
      );
    } catch (error) {
      setFault(error);
    }
  };
  const giveUp = (
    <button
      type="button"
      onClick={() => {
        setBase(stored);
        setText(stored);
        change.reset();
        setFault(undefined);
      }}
    >
      Discard changes
    </button>
  );
  return (
    <PolicyForm
      name={policy.id}
      text={text}
      onInput={setText}
      onSave={save}
      isPending={change.isPending}
      isSaved={isSaved}
      below={
        <>
          {base !== stored && !isSaved && (
            <p class="warnings" role="status">
              Somebody saved this policy after you began to change it. If you save, your text takes the place
              of theirs.
            </p>
          )}
          <Alert error={fault ?? change.error} />
          {isSaved && <Warnings texts={change.data?.warnings ?? []} />}
          {isSaved && change.isSuccess && (
            <p role="status" class="done">
              Saved.
            </p>
          )}
        </>
      }
      others={!isSaved && giveUp}
    />
  );
}
