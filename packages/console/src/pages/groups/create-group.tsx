/** The dialog that creates a group. */

import { useLocation } from "preact-iso";
import { problemAt } from "../../api/api-error.ts";
import { useChange } from "../../api/hooks.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { Field } from "../../parts/forms/field.tsx";
import { useDraft } from "../../parts/forms/use-draft.ts";
import { groupPage } from "../../parts/links.ts";

/** Asks for name and description; afterwards it leads to the page of the group. */
export function CreateGroup({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation();
  const [name, setName] = useDraft("create-group");
  const [description, setDescription] = useDraft("create-group-description");
  const creation = useChange("POST /auth/groups");
  const submit = (): void => {
    const body = { id: name, ...(description === "" ? {} : { description }) };
    creation.mutate(
      { body },
      {
        onSuccess: ({ answer }) => {
          setName("");
          setDescription("");
          onClose();
          route(groupPage(answer.id));
        },
      },
    );
  };
  return (
    <FormDialog
      title="New group"
      change={creation}
      shown={["/id", "/description"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Group name"
        value={name}
        onInput={setName}
        required
        autoFocus
        problem={problemAt(creation.error, "/id")}
      />
      <Field
        label="Description"
        value={description}
        onInput={setDescription}
        problem={problemAt(creation.error, "/description")}
      />
    </FormDialog>
  );
}
