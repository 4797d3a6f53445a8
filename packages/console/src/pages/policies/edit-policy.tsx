/** Changes a policy. */

import type { Policy } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { useAsk, useChange } from "../../api/hooks.ts";
import { Alert } from "../../parts/states/alert.tsx";
import { Warnings } from "../../parts/states/warnings.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { policyOf, textOf } from "./policy-text.ts";
import { usePolicyDraft } from "./use-policy-draft.ts";

/** The editor with the policy as it is; what was typed stays until it is saved or given up. */
export function EditPolicy({ policy }: { readonly policy: Policy }) {
  const stored = textOf(policy);
  const { text, base, setText, settle } = usePolicyDraft(policy.id, stored);
  const [fault, setFault] = useState<unknown>();
  const [isLooking, setLooking] = useState(false);
  const look = useAsk("GET /auth/policies/{policyId}");
  const change = useChange("PUT /auth/policies/{policyId}");
  const path = { policyId: policy.id };
  const isSaved = text === stored;
  const isOthers = base !== stored && !isSaved;
  const save = async (): Promise<void> => {
    setFault(undefined);
    change.reset();
    setLooking(true);
    try {
      const body = policyOf(text, policy.id);
      // What somebody else saved meanwhile is shown before anything takes its place.
      const now = textOf(await look({ path }));
      if (now !== base && !(isOthers && now === stored)) return;
      change.mutate({ path, body }, { onSuccess: ({ answer }) => settle(textOf(answer)) });
    } catch (error) {
      setFault(error);
    } finally {
      setLooking(false);
    }
  };
  const giveUp = (
    <button
      type="button"
      onClick={() => {
        settle(stored);
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
      onSave={() => void save()}
      isPending={isLooking || change.isPending}
      isSaved={isSaved}
      below={
        <>
          {isOthers && (
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
