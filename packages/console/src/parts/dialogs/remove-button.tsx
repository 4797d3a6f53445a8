/** Taking one thing away from another, which can be put back by one act. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Input, OperationName } from "../../api/call.ts";
import { useChange } from "../../api/hooks.ts";
import { Alert } from "../states/alert.tsx";
import { Dialog } from "./dialog.tsx";

/** Properties of {@link RemoveButton}. */
interface RemoveButtonProps<O extends OperationName> {
  readonly operation: O;
  readonly input: Input<O>;
  /** Text of the button. */
  readonly label: string;
  /** Says what is removed from what, for people who hear the button alone. */
  readonly name: string;
  /** The question before it is done. */
  readonly question: ComponentChildren;
}

/** A button that asks once, then removes. */
export function RemoveButton<O extends OperationName>(props: RemoveButtonProps<O>) {
  const { operation, input, label, name, question } = props;
  const [isAsking, setAsking] = useState(false);
  const removal = useChange(operation);
  return (
    <>
      <button
        type="button"
        class="small"
        aria-label={`${label} ${name}`}
        onClick={() => {
          removal.reset();
          setAsking(true);
        }}
      >
        {label}
      </button>
      {isAsking && (
        <Dialog title={`${label}?`} onClose={() => setAsking(false)}>
          <p class="consequences">{question}</p>
          <Alert error={removal.error} />
          <p class="buttons">
            <button type="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
            <button
              type="button"
              class="danger"
              disabled={removal.isPending}
              onClick={() => removal.mutate(input, { onSuccess: () => setAsking(false) })}
            >
              {label}
            </button>
          </p>
        </Dialog>
      )}
    </>
  );
}
