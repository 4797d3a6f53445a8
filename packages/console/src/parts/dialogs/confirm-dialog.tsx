/** Confirmation by name, for acts that destroy. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Field } from "../forms/field.tsx";
import { Alert } from "../states/alert.tsx";
import { Dialog } from "./dialog.tsx";

/** Properties of {@link ConfirmDialog}. */
interface ConfirmDialogProps {
  readonly title: string;
  /** The name that the person types to confirm. */
  readonly name: string;
  /** Text of the button, such as "Delete". */
  readonly act: string;
  /** Says what else the act takes away. */
  readonly children: ComponentChildren;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for the name of what is going to be destroyed, and says what else goes with it. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, name, act, children, isPending, error, onConfirm, onClose } = props;
  const [typed, setTyped] = useState("");
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === name) onConfirm();
        }}
      >
        <div class="consequences">{children}</div>
        <p>
          To confirm, type <bdi class="name-to-type">{name}</bdi>
        </p>
        <Field label="Name" value={typed} onInput={setTyped} autoFocus />
        <Alert error={error} />
        <p class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="danger" disabled={typed !== name || isPending}>
            {act}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
