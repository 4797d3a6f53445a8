/** The dialog with fields that creates or changes something. */

import type { ComponentChildren } from "preact";
import { Alert } from "../states/alert.tsx";
import { Dialog } from "./dialog.tsx";

/** Properties of {@link FormDialog}. */
interface FormDialogProps {
  readonly title: string;
  /** Text of the button; default "Create". */
  readonly act?: string;
  /** The fields. */
  readonly children: ComponentChildren;
  readonly change: { readonly error: unknown; readonly isPending: boolean };
  /** Pointers of problems that stand at the fields. */
  readonly shown: readonly string[];
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

/** Fields with what the service says against them, and the buttons. */
export function FormDialog(props: FormDialogProps) {
  const { title, act = "Create", children, change, shown, onSubmit, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        <Alert error={change.error} shown={shown} />
        <p class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={change.isPending}>
            {act}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
