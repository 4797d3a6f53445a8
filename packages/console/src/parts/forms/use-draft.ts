/** Text that a person typed and has not sent: it outlives the end of a session and a reload, within its tab. */

import { useState } from "preact/hooks";

/** Returns the draft and what changes it; an empty text forgets it. */
export function useDraft(key: string, initial = ""): readonly [string, (text: string) => void] {
  const stored = `console.draft.${key}`;
  const [text, setText] = useState(() => sessionStorage.getItem(stored) ?? initial);
  const change = (next: string): void => {
    setText(next);
    if (next === "" || next === initial) sessionStorage.removeItem(stored);
    else sessionStorage.setItem(stored, next);
  };
  return [text, change];
}
