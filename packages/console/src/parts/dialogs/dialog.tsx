/** Dialogs above the page. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { useDialogOutlet } from "./dialog-outlet.tsx";

/** Properties of {@link Dialog}. */
interface DialogProps {
  readonly title: string;
  /** Is called when the person closes the dialog. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog. It is open as long as it is rendered; Escape asks to close it, and the focus returns afterwards. It
 * stands outside of the element that opens it.
 */
export function Dialog(props: DialogProps) {
  useDialogOutlet(<OpenDialog {...props} />);
  return null;
}

function OpenDialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
