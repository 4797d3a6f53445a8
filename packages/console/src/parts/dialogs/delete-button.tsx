/** Deleting the thing that a page is about. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Input, OperationName } from "../../api/call.ts";
import { useChange } from "../../api/hooks.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

/** Properties of {@link DeleteButton}. */
interface DeleteButtonProps<O extends OperationName> {
  /** The kind of the thing, such as "user". */
  readonly kind: string;
  /** The name that the person types to confirm. */
  readonly name: string;
  readonly operation: O;
  readonly input: Input<O>;
  /** The page that comes afterwards. */
  readonly next: string;
  /** Says what else it takes away. */
  readonly children: ComponentChildren;
}

/** A button that asks for the name, deletes, and leaves the page. */
export function DeleteButton<O extends OperationName>(props: DeleteButtonProps<O>) {
  const { kind, name, operation, input, next, children } = props;
  const { route } = useLocation();
  const [isAsking, setAsking] = useState(false);
  const removal = useChange(operation, { leavesPage: true });
  return (
    <>
      <button type="button" class="danger" onClick={() => setAsking(true)}>
        Delete {kind}
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Delete this ${kind}?`}
          name={name}
          act="Delete"
          isPending={removal.isPending}
          error={removal.error}
          onClose={() => setAsking(false)}
          onConfirm={() => removal.mutate(input, { onSuccess: () => route(next) })}
        >
          {children}
        </ConfirmDialog>
      )}
    </>
  );
}
