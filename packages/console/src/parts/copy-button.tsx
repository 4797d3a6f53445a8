/** Copying to the clipboard. */

import { useState } from "preact/hooks";

const SHOWN_FOR = 2_000;

/** A button that copies a text; what it did is read out. */
export function CopyButton({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  const copy = async (): Promise<void> => {
    // Only secure origins and loopback have a clipboard.
    const done = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setState(done === true ? "copied" : "failed");
    setTimeout(() => setState("idle"), SHOWN_FOR);
  };
  return (
    <span class="copy">
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status">
        {state === "copied" && "Copied"}
        {state === "failed" && "The browser refused: select the text and copy it"}
      </span>
    </span>
  );
}
