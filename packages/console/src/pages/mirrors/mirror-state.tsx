/** Words for the state of a mirror, and for how far it is behind. */

import type { Mirror } from "@svc-authorizer/contract/management-api.gen.ts";

const WORDS: Readonly<Record<Mirror["state"], readonly [word: string, style: string]>> = {
  creating: ["Being created", "quiet-text"],
  syncing: ["Catching up", "effect"],
  active: ["Up to date", "effect allow"],
  degraded: ["Degraded", "effect deny"],
  deleting: ["Being deleted", "quiet-text"],
  failed: ["Failed", "effect deny"],
};

/** The state in words. */
export function MirrorState({ of: { state } }: { readonly of: Mirror }) {
  const [word, style] = WORDS[state];
  return <span class={style}>{word}</span>;
}

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
] as const;

/** A time for which something lasts: `3 h`, or `12 s`. */
function durationOf(seconds: number): string {
  const found = UNITS.find(([, size]) => seconds >= size);
  return found === undefined ? `${seconds} s` : `${Math.trunc(seconds / found[1])} ${found[0]}`;
}

/** For how long the mirror lacks a head that the source has. */
export function lagOf({ progress: { branches, lag_seconds: lag } }: Mirror): string {
  if (branches === 0) return "unknown";
  return lag === 0 ? "no" : durationOf(lag);
}
