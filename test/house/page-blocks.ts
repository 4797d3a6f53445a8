/** The fenced blocks of a page of the documentation. */

/** One block: the page, the language that the fence names, and the text without the indentation of a list. */
export interface PageBlock {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

/** Returns the fenced blocks of a page's text, in order. */
export function blocksOf(page: string, text: string): PageBlock[] {
  const fences = text.matchAll(/^( *)```(\S*)[^\n]*\n([\s\S]*?)^\1```$/gm);
  return [...fences].map(([, indent = "", language = "", inner = ""]) => ({
    page,
    language,
    text: inner.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}
