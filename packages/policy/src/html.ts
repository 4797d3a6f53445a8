/** Texts inside HTML, of pages and of mails, and inside XML. */

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The text as it stands in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

/** An element of XML with a text. XML reads the same escapes as HTML; control characters have none, and are spaces. */
export function xmlElement(name: string, text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get into XML
  return `<${name}>${escapeHtml(text.replace(/[\x00-\x1f\x7f]/g, " ").toWellFormed())}</${name}>`;
}
