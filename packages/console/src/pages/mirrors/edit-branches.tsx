/** The dialog that chooses the branches of a mirror. */

import type { Mirror } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { problemAt } from "../../api/api-error.ts";
import { useChange } from "../../api/hooks.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { Field } from "../../parts/forms/field.tsx";

/** Properties of {@link EditBranches}. */
interface EditBranchesProps {
  readonly of: Mirror;
  readonly onClose: () => void;
}

/** Asks for the patterns. No name of a branch has a comma. */
export function EditBranches({ of: mirror, onClose }: EditBranchesProps) {
  const [include, setInclude] = useState(mirror.branches.include.join(", "));
  const [exclude, setExclude] = useState(mirror.branches.exclude.join(", "));
  const change = useChange(
    "PUT /service/replication/v1/repositories/{source_repo}/mirrors/{mirror_id}/branches",
  );
  const submit = (): void => {
    const path = { source_repo: mirror.source_repository, mirror_id: mirror.id };
    const body = { include: patternsOf(include), exclude: patternsOf(exclude) };
    change.mutate({ path, body }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="Branches of this mirror"
      act="Save"
      change={change}
      shown={["/include", "/exclude"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Branches"
        value={include}
        onInput={setInclude}
        hint="Patterns with * and ?, with commas between them; empty: all branches."
        autoFocus
        problem={problemAt(change.error, "/include")}
      />
      <Field
        label="But not"
        value={exclude}
        onInput={setExclude}
        hint="Patterns that win. A branch that is not mirrored any more is deleted on the mirror."
        problem={problemAt(change.error, "/exclude")}
      />
    </FormDialog>
  );
}

function patternsOf(text: string): string[] {
  return text
    .split(",")
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== "");
}
