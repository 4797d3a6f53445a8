/** Dialogs above the page. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

/** Properties of {@link Dialog}. */
export interface DialogProps {
  readonly title: string;
  /** Is called when the person closes the dialog. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. It is open as long as it is rendered; Escape asks to close it, and the focus returns afterwards. */
export function Dialog({ title, onClose, children }: DialogProps) {
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
