/** The search in the manual. */

import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import type { SearchEntry } from "../manual/rendered.ts";
import { framed } from "./layout.ts";
import type { Manual } from "./manual.ts";

/** Longest text that is searched for, and most results. */
const LONGEST = 200;
const MOST = 40;
/** Characters before and after what is found. */
const AROUND = 90;
const IN_TITLE = 8;
const IN_HEADING = 4;

interface Found {
  readonly entry: SearchEntry;
  readonly score: number;
}

/** Returns the page of results; all words have to be in a section, its heading or the title of its page. */
export function searchPage({ entries, frame }: Manual, query: string): string {
  const text = query.slice(0, LONGEST);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length === 0 ? [] : entries.flatMap((entry) => matchOf(entry, words));
  const best = found.sort((a, b) => b.score - a.score).slice(0, MOST);
  const items = best.map(({ entry }) => resultHtml(entry, words));
  const count =
    best.length === 0
      ? "Nothing was found"
      : `${best.length === MOST ? "The best " : ""}${best.length} results`;
  const html = `<h1>Search</h1><p role="status">${words.length === 0 ? "Type what you look for." : `${count} for <b>${escapeHtml(text)}</b>.`}</p><ol class="results">${items.join("")}</ol>`;
  return framed(frame, { title: "Search", address: "/help/search", html, headings: [], search: text });
}

function matchOf(entry: SearchEntry, words: readonly string[]): readonly Found[] {
  const [page, heading, body] = [entry.page, entry.text, entry.body].map((text) => text.toLowerCase());
  let score = 0;
  for (const word of words) {
    const here =
      (page?.includes(word) ? IN_TITLE : 0) +
      (heading?.includes(word) ? IN_HEADING : 0) +
      (body?.includes(word) ? 1 : 0);
    if (here === 0) return [];
    score += here;
  }
  return [{ entry, score: score + (entry.level === 1 ? 1 : 0) }];
}

function resultHtml(
  { page, text, body, address, anchor, level }: SearchEntry,
  words: readonly string[],
): string {
  const at = words.map((word) => body.toLowerCase().indexOf(word)).find((place) => place >= 0) ?? 0;
  const from = Math.max(0, at - AROUND);
  const part = body.slice(from, at + AROUND);
  const shown = `${from > 0 ? "… " : ""}${part}${at + AROUND < body.length ? " …" : ""}`;
  const title = level === 1 ? page : `${page}: ${text}`;
  return `<li><a href="${escapeHtml(address)}#${encodeURIComponent(anchor)}">${escapeHtml(title)}</a><p>${escapeHtml(shown)}</p></li>`;
}
