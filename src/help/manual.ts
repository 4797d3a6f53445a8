/** The manual as it is served: the rendered pages in their frame, and the files of the frame. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { RenderedManual, SearchEntry } from "../manual/rendered.ts";
import { type Frame, framed } from "./layout.ts";

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
const ASSETS: readonly (readonly [string, string])[] = [
  ["help.css", "text/css; charset=utf-8"],
  ["help.js", "text/javascript; charset=utf-8"],
  ["icon.svg", "image/svg+xml"],
];

/**
 * Puts the pages into their frame. Throws the error of the file system.
 * @param assets the folder of the files of the frame
 * @param version of this package
 */
export function framedManual(
  { pages, entries, nav }: RenderedManual,
  assets: string,
  version: string,
): Manual {
  const files = assetsOf(assets);
  const asset = (ending: string): string =>
    ROOT + ([...files.keys()].find((path) => path.endsWith(ending)) ?? "");
  const frame = { nav, style: asset(".css"), script: asset(".js"), icon: asset(".svg"), version };
  for (const { path, ...page } of pages) {
    files.set(path, fileOf(framed(frame, { ...page, address: ROOT + (path === "/" ? "" : path) })));
  }
  return { files, entries, frame };
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
