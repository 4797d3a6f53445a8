/** The dialog that creates a group. */

import { useLocation } from "preact-iso";
import { problemAt } from "../../api/api-error.ts";
import { useChange } from "../../api/hooks.ts";
import { Alert } from "../../parts/alert.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { groupPage } from "../../parts/links.ts";
import { useDraft } from "../../parts/use-draft.ts";

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
    <Dialog title="New group" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
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
        <Alert error={creation.error} shown={["/id", "/description"]} />
        <p class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={creation.isPending}>
            Create
          </button>
        </p>
      </form>
    </Dialog>
  );
}
