/** A policy that would have allowed what a record refused. It is attached to nobody. */

import type { Statement } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { problemAt } from "../../api/api-error.ts";
import { useChange } from "../../api/hooks.ts";
import { Field } from "../../parts/forms/field.tsx";
import { policyPage } from "../../parts/links.ts";
import { Alert } from "../../parts/states/alert.tsx";

/** Offers the policy; creating it leads to its page, where it can be narrowed and attached. */
export function PolicyFromRecord({ statements }: { readonly statements: string }) {
  const { route } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const creation = useChange("POST /auth/policies");
  if (!isOpen) {
    return (
      <p class="tools">
        <button type="button" onClick={() => setOpen(true)}>
          Write a policy from this
        </button>
      </p>
    );
  }
  const create = (): void => {
    const statement = JSON.parse(statements) as Statement[];
    creation.mutate(
      { body: { id: name, statement } },
      { onSuccess: ({ answer }) => route(policyPage(answer.id)) },
    );
  };
  return (
    <form
      class="try"
      onSubmit={(event) => {
        event.preventDefault();
        create();
      }}
    >
      <pre>{statements}</pre>
      <Field
        label="Name of the new policy"
        value={name}
        onInput={setName}
        problem={problemAt(creation.error, "/id")}
        required
        autoFocus
      />
      <Alert error={creation.error} shown={["/id"]} />
      <p class="tools">
        <button type="submit" class="primary" disabled={creation.isPending}>
          Create the policy
        </button>
      </p>
    </form>
  );
}
