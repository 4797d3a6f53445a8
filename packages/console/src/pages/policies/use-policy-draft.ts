/** The text of a policy that a person changes, with the text that it was made from: both outlive a reload. */

import { useEffect, useState } from "preact/hooks";

/** A text under way. */
interface PolicyDraft {
  readonly text: string;
  /** The stored text that the person began with: where another one is stored by now, somebody else saved it. */
  readonly base: string;
  readonly setText: (text: string) => void;
  /** Forgets what was typed: this is what is stored. */
  readonly settle: (stored: string) => void;
}

/** The draft of a policy, which follows what is stored for as long as nothing was typed. */
export function usePolicyDraft(id: string, stored: string): PolicyDraft {
  const keys = { text: `console.draft.policy:${id}`, base: `console.draft.policy-base:${id}` };
  const [draft, setDraft] = useState(() => {
    const text = sessionStorage.getItem(keys.text);
    return text === null
      ? { text: stored, base: stored }
      : { text, base: sessionStorage.getItem(keys.base) ?? stored };
  });
  const { text, base } = draft;
  const settle = (now: string): void => {
    setDraft({ text: now, base: now });
    for (const key of Object.values(keys)) sessionStorage.removeItem(key);
  };
  const setText = (next: string): void => {
    setDraft({ text: next, base });
    const isDraft = next !== "" && next !== base;
    for (const [key, value] of [
      [keys.text, next],
      [keys.base, base],
    ] as const) {
      if (isDraft) sessionStorage.setItem(key, value);
      else sessionStorage.removeItem(key);
    }
  };
  useEffect(() => {
    if (text === base || text === stored) settle(stored);
  }, [stored]);
  return { text, base, setText, settle };
}
