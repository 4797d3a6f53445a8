/** Renders the manual: every page of a folder of Markdown files, with the page about the APIs. */

import { readdirSync, readFileSync } from "node:fs";
import { extname, join, posix } from "node:path";
import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import { apiPage, type NamedDocument } from "./api-html.ts";
import { Markdown, type RenderedPage } from "./markdown.ts";
import type { ContentPage, NavGroup, RenderedManual } from "./rendered.ts";

/** The sources of the manual. */
export interface ManualSources {
  /** The folder of the Markdown files. */
  readonly folder: string;
  readonly documents: readonly NamedDocument[];
  /** Address of a file of the repository, without its path. */
  readonly repository: string;
}

const ROOT = "/help";
const PICTURES: ReadonlySet<string> = new Set([".png", ".webp", ".svg"]);
const API = "/api";
const INDEX = "README.md";

/** Renders the manual. Throws the error of the file system. */
export function renderManual({ folder, repository, documents }: ManualSources): RenderedManual {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const paths = all.filter((path) => extname(path) === ".md").sort();
  const pictures = new Set(all.filter((path) => PICTURES.has(extname(path))));
  const texts = new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")] as const));
  const folders = new Set(paths.map((path) => posix.dirname(path)).filter((path) => path !== "."));
  const markdown = new Markdown({
    inManual: (path) => {
      if (paths.includes(path)) return addressOf(path);
      return folders.has(path) || pictures.has(path) ? `${ROOT}/${path}` : undefined;
    },
    titleOf: (path) => /^# (.+)$/m.exec(texts.get(path) ?? texts.get(`${path}/${INDEX}`) ?? "")?.[1],
    inRepository: (path) => repository + path,
  });
  const rendered = new Map([...texts].map(([path, text]) => [path, markdown.page(path, text)] as const));
  for (const path of folders) {
    if (!rendered.has(`${path}/${INDEX}`)) rendered.set(`${path}/${INDEX}`, listOf(path, rendered));
  }
  const pages: ContentPage[] = [...rendered].map(([path, { title, html, headings }]) => {
    return { path: pathOf(path), title, html, headings };
  });
  const api = apiPage(documents, (text) => markdown.inline(text));
  pages.push({ path: API, title: "API reference", ...api });
  const entries = [...rendered].flatMap(([path, { title, sections }]) =>
    sections.map((section) => ({ ...section, page: title, address: addressOf(path) })),
  );
  return { pages, entries, nav: navOf(rendered, texts.get(INDEX) ?? "") };
}

function pathOf(path: string): string {
  const name = path === INDEX || path.endsWith(`/${INDEX}`) ? posix.dirname(path) : path.replace(/\.md$/, "");
  return name === "." ? "/" : `/${name}`;
}

function addressOf(path: string): string {
  const below = pathOf(path);
  return below === "/" ? ROOT : ROOT + below;
}

/** A page that lists those of a folder. */
function listOf(folder: string, pages: ReadonlyMap<string, RenderedPage>): RenderedPage {
  const title = folder.charAt(0).toUpperCase() + folder.slice(1);
  const links = [...pages].filter(([path]) => path.startsWith(`${folder}/`));
  const items = links.map(([path, page]) => {
    return `<li><a href="${addressOf(path)}">${escapeHtml(page.title)}</a></li>`;
  });
  const html = `<h1 id="${folder}">${escapeHtml(title)}</h1><ul>${items.join("")}</ul>`;
  return { title, html, headings: [], sections: [] };
}

/** The list of pages, in the order and under the headings of the first page. */
function navOf(pages: ReadonlyMap<string, RenderedPage>, index: string): readonly NavGroup[] {
  const groups: { title: string; links: { title: string; address: string }[] }[] = [];
  for (const line of index.split("\n")) {
    const [, heading] = /^## (.+)/.exec(line) ?? [];
    if (heading !== undefined) groups.push({ title: heading, links: [] });
    for (const [, target = ""] of line.matchAll(/^\| \[[^\]]+\]\(([^)]+)\)/g)) {
      const path = pages.has(target) ? target : `${target}/${INDEX}`;
      const page = pages.get(path);
      if (page !== undefined) groups.at(-1)?.links.push({ title: page.title, address: addressOf(path) });
    }
  }
  return [
    { title: "Help", links: [{ title: "Overview", address: ROOT }] },
    ...groups.filter(({ links }) => links.length > 0),
    { title: "APIs", links: [{ title: "API reference", address: ROOT + API }] },
  ];
}
