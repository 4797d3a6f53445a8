/** The frame of every page of the manual. */

import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import type { Heading, NavGroup } from "../manual/rendered.ts";

/** Things that all pages share. */
export interface Frame {
  readonly nav: readonly NavGroup[];
  /** Addresses of the files of the frame. */
  readonly style: string;
  readonly script: string;
  readonly icon: string;
  readonly version: string;
}

/** A page inside the frame. */
interface FramedPage {
  readonly title: string;
  readonly address: string;
  readonly html: string;
  /** Headings of the second and third level become its table of contents. */
  readonly headings: readonly Heading[];
  /** The text that was searched for. */
  readonly search?: string;
}

/** Fewer headings need no table of contents. */
const LEAST_HEADINGS = 3;

/** Returns the whole page. */
export function framed({ nav, style, script, icon, version }: Frame, page: FramedPage): string {
  const { title, address, html, headings, search = "" } = page;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · svc-authorizer help</title>
<link rel="stylesheet" href="${style}">
<link rel="icon" type="image/svg+xml" href="${icon}">
<script type="module" src="${script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header class="top">
<a class="brand" href="/">svc-authorizer</a>
<a class="home" href="/help">Help</a>
<a class="pages" href="#pages">All pages</a>
<form role="search" action="/help/search" method="get">
<input type="search" name="q" aria-label="Search the help" placeholder="Search the help" maxlength="200" value="${escapeHtml(search)}">
</form>
</header>
<div class="columns">
<main id="content">
<article>
${html}
</article>
<footer>svc-authorizer ${escapeHtml(version)}</footer>
</main>
${contentsOf(headings)}
<nav id="pages" class="nav" aria-label="Pages">
${nav.map((group) => groupOf(group, address)).join("\n")}
</nav>
</div>
</body>
</html>
`;
}

function groupOf({ title, links }: NavGroup, current: string): string {
  const items = links.map(({ title: text, address }) => {
    const mark = address === current ? ' aria-current="page"' : "";
    return `<li><a href="${escapeHtml(address)}"${mark}>${escapeHtml(text)}</a></li>`;
  });
  return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join("")}</ul>`;
}

function contentsOf(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < LEAST_HEADINGS) return "";
  const items = shown.map(
    ({ level, text, anchor }) =>
      `<li class="level-${level}"><a href="#${encodeURIComponent(anchor)}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page">\n<h2>On this page</h2>\n<ul>${items.join("")}</ul>\n</nav>`;
}
