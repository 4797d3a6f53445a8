/** The manual: every page of the folder of Markdown files, rendered, with the page about the APIs and the search. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, posix } from "node:path";
import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import { apiPage, type NamedDocument } from "./api-html.ts";
import { type Frame, type FramedPage, framed, type NavGroup } from "./layout.ts";
import { Markdown, type RenderedPage, type Section } from "./markdown.ts";

/** The sources of the manual. */
export interface ManualSources {
  /** The folder of the Markdown files. */
  readonly folder: string;
  /** The folder of the files of the frame. */
  readonly assets: string;
  readonly documents: readonly NamedDocument[];
  /** Address of a file of the repository, without its path. */
  readonly repository: string;
  /** Version of this package. */
  readonly version: string;
}

/** A part of a page that a search finds. */
export interface SearchEntry extends Section {
  readonly page: string;
  readonly address: string;
}

/** A file of the manual. */
interface ManualFile {
  readonly type: string;
  readonly body: string;
  /** Digest of the body. */
  readonly tag: string;
}

/** The whole manual. */
export interface Manual {
  /** By path below the manual; "/" is the first page. */
  readonly files: ReadonlyMap<string, ManualFile>;
  readonly entries: readonly SearchEntry[];
  readonly frame: Frame;
}

const HTML = "text/html; charset=utf-8";
const ROOT = "/help";
const PICTURES: ReadonlySet<string> = new Set([".png", ".webp", ".svg"]);
const API = "/api";
const ASSETS: readonly (readonly [string, string])[] = [
  ["help.css", "text/css; charset=utf-8"],
  ["help.js", "text/javascript; charset=utf-8"],
  ["icon.svg", "image/svg+xml"],
];
const INDEX = "README.md";

/** Builds the manual. Throws the error of the file system. */
export function buildManual(sources: ManualSources): Manual {
  const { folder, repository, documents } = sources;
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
  const pages = new Map([...texts].map(([path, text]) => [path, markdown.page(path, text)] as const));
  for (const path of folders) {
    if (!pages.has(`${path}/${INDEX}`)) pages.set(`${path}/${INDEX}`, listOf(path, pages));
  }
  const files = assetsOf(sources.assets);
  const frame = frameOf(sources, files, pages, texts.get(INDEX) ?? "");
  const add = (page: Omit<FramedPage, "address">, path: string): void => {
    files.set(path, fileOf(framed(frame, { ...page, address: ROOT + (path === "/" ? "" : path) })));
  };
  for (const [path, page] of pages) add(page, pathOf(path));
  const api = apiPage(documents, (text) => markdown.inline(text));
  add({ title: "API reference", ...api }, API);
  const entries = [...pages].flatMap(([path, { title, sections }]) =>
    sections.map((section) => ({ ...section, page: title, address: addressOf(path) })),
  );
  return { files, entries, frame };
}

function pathOf(path: string): string {
  const name = path === INDEX || path.endsWith(`/${INDEX}`) ? posix.dirname(path) : path.replace(/\.md$/, "");
  return name === "." ? "/" : `/${name}`;
}

function addressOf(path: string): string {
  const below = pathOf(path);
  return below === "/" ? ROOT : ROOT + below;
}

function fileOf(body: string, type = HTML): ManualFile {
  return { type, body, tag: digest(body) };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

function assetsOf(folder: string): Map<string, ManualFile> {
  return new Map(
    ASSETS.map(([name, type]) => {
      const file = fileOf(readFileSync(join(folder, name), "utf8"), type);
      const ending = extname(name);
      return [`/assets/${name.slice(0, -ending.length)}-${file.tag}${ending}`, file];
    }),
  );
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
function frameOf(
  { version }: ManualSources,
  assets: ReadonlyMap<string, ManualFile>,
  pages: ReadonlyMap<string, RenderedPage>,
  index: string,
): Frame {
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
  const nav: NavGroup[] = [
    { title: "Help", links: [{ title: "Overview", address: ROOT }] },
    ...groups.filter(({ links }) => links.length > 0),
    { title: "APIs", links: [{ title: "API reference", address: ROOT + API }] },
  ];
  const asset = (ending: string): string =>
    ROOT + ([...assets.keys()].find((path) => path.endsWith(ending)) ?? "");
  return { nav, style: asset(".css"), script: asset(".js"), icon: asset(".svg"), version };
}
