/** The dialog that creates something of a name. */

import type { ComponentChildren } from "preact";
import { Alert } from "../states/alert.tsx";
import { Dialog } from "./dialog.tsx";

/** Properties of {@link CreateDialog}. */
export interface CreateDialogProps {
  readonly title: string;
  /** The fields. */
  readonly children: ComponentChildren;
  readonly creation: { readonly error: unknown; readonly isPending: boolean };
  /** Pointers of problems that stand at the fields. */
  readonly shown: readonly string[];
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

/** Fields with what the service says against them, and the buttons. */
export function CreateDialog({ title, children, creation, shown, onSubmit, onClose }: CreateDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        <Alert error={creation.error} shown={shown} />
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
