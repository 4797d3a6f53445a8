/** Reasons of refusals as JSON text. Few differ, because they name actions and no resources, so each is quoted once. */

/** Most texts that are kept. */
const MOST_KEPT = 1_000;

const kept = new Map<string, string>();

/** A reason as JSON text, with its quotes. */
export function reasonText(message: string): string {
  let text = kept.get(message);
  if (text === undefined) {
    text = JSON.stringify(message);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(message, text);
  }
  return text;
}
