/** The dialog that changes what is known of a user. */

import type { User } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { problemAt } from "../../api/api-error.ts";
import { useChange } from "../../api/hooks.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { Field } from "../../parts/forms/field.tsx";
import { Warnings } from "../../parts/states/warnings.tsx";

/** A button that opens the dialog, and what the service warned of after the last change. */
export function EditUser({ user }: { readonly user: User }) {
  const [isOpen, setOpen] = useState(false);
  const change = useChange("PATCH /auth/users/{userId}");
  return (
    <>
      <Warnings texts={change.data?.warnings ?? []} />
      <button
        type="button"
        onClick={() => {
          change.reset();
          setOpen(true);
        }}
      >
        Edit user
      </button>
      {isOpen && <EditDialog {...{ user, change }} onClose={() => setOpen(false)} />}
    </>
  );
}

interface EditDialogProps {
  readonly user: User;
  readonly change: ReturnType<typeof useChange<"PATCH /auth/users/{userId}">>;
  readonly onClose: () => void;
}

function EditDialog({ user, change, onClose }: EditDialogProps) {
  const [friendlyName, setFriendlyName] = useState(user.friendly_name ?? "");
  const [email, setEmail] = useState(user.email ?? "");
  const [isActive, setActive] = useState(user.inactive !== true);
  const submit = (): void => {
    const body = {
      ...(friendlyName !== (user.friendly_name ?? "") && { friendly_name: friendlyName }),
      ...(email !== (user.email ?? "") && { email }),
      ...(isActive !== (user.inactive !== true) && { inactive: !isActive }),
    };
    change.mutate({ path: { userId: user.id }, body }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="Edit user"
      act="Save"
      change={change}
      shown={["/friendly_name", "/email"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Friendly name"
        value={friendlyName}
        onInput={setFriendlyName}
        autoFocus
        problem={problemAt(change.error, "/friendly_name")}
      />
      <Field label="E-mail" value={email} onInput={setEmail} problem={problemAt(change.error, "/email")} />
      <label class="check">
        <input
          type="checkbox"
          checked={isActive}
          onChange={(event) => setActive(event.currentTarget.checked)}
        />
        Active: an inactive user is refused everything, and all its sessions end
      </label>
    </FormDialog>
  );
}
