/** The dialog that creates a user, or invites one by mail. */

import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { problemAt } from "../../api/api-error.ts";
import { useAnswer, useChange } from "../../api/hooks.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { Field } from "../../parts/forms/field.tsx";
import { useDraft } from "../../parts/forms/use-draft.ts";
import { userPage } from "../../parts/links.ts";

/** Asks for the name; afterwards it leads to the page of the user. */
export function CreateUser({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation();
  const [name, setName] = useDraft("create-user");
  const [invite, setInvite] = useState(false);
  const capabilities = useAnswer("GET /auth/capabilities", {});
  const creation = useChange("POST /auth/users");
  const submit = (): void =>
    creation.mutate(
      { body: { id: name, invite_user: invite } },
      {
        onSuccess: ({ answer }) => {
          setName("");
          onClose();
          route(userPage(answer.id));
        },
      },
    );
  return (
    <FormDialog title="New user" change={creation} shown={["/id"]} onSubmit={submit} onClose={onClose}>
      <Field
        label="User name"
        value={name}
        onInput={setName}
        required
        autoFocus
        problem={problemAt(creation.error, "/id")}
        {...(invite ? { hint: "The e-mail address that the invitation goes to." } : {})}
      />
      {capabilities.data?.invite_user === true && (
        <label class="check">
          <input
            type="checkbox"
            checked={invite}
            onChange={(event) => setInvite(event.currentTarget.checked)}
          />
          Invite by e-mail
        </label>
      )}
    </FormDialog>
  );
}
