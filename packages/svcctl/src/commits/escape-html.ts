const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&#34;"],
  ["'", "&#39;"],
]);

/** Text for HTML, without control characters. */
export function escapeHtml(text: string): string {
  return text.replace(/\p{Cc}/gu, " ").replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? "");
}
