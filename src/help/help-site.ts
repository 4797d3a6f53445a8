/** The pages of the manual below `/help`, built when the first of them is asked for (spec/console §5). */

import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { PAGE_CONTENT_POLICY, type PageAnswer, type PageSite } from "../http/pages/page-folders.ts";
import { scheduler } from "../schedule/scheduler.ts";
import { BoundedThread, GIVEN_UP } from "../threads/bounded-thread.ts";
import { framed } from "./layout.ts";
import type { Manual } from "./manual.ts";
import type { BuiltManual, ManualOrigin } from "./manual-thread.ts";
import { searchPage } from "./search.ts";

/** Options of {@link helpSite}. */
interface HelpOptions {
  /** The folder of the manual, with its pictures. */
  readonly folder: string;
  /** Says where the pages come from, when the first of them is asked for. */
  readonly origin: () => ManualOrigin;
}

/** Milliseconds of CPU that building the manual may take; it takes a few hundred. */
const PATIENCE_MS = 60_000;
const ROOT = "/help";
const HTML = "text/html; charset=utf-8";
/** Pictures of the manual: paths of letters, so that none leads out of its folder. */
const PICTURE = /^\/pictures(?:\/[\w-]+)+\.(?:png|webp|svg)$/;
const PICTURE_TYPES: ReadonlyMap<string, string> = new Map([
  [".png", "image/png"],
  [".webp", "image/webp"],
  [".svg", "image/svg+xml"],
]);

/** Returns the site. */
export function helpSite(options: HelpOptions): PageSite {
  let built: Promise<Manual> | undefined;
  const manual = (): Promise<Manual> => {
    built ??= build(options).catch((error: unknown) => {
      built = undefined;
      throw error;
    });
    return built;
  };
  return {
    path: ROOT,
    headers: PAGE_CONTENT_POLICY,
    answer: async (path, query) => {
      if (PICTURE.test(path)) return picture(options.folder, path);
      const found = await manual();
      if (path === "/search") {
        const text = new URLSearchParams(query).get("q") ?? "";
        return { status: 200, type: HTML, body: searchPage(found, text) };
      }
      return pageAt(found, path);
    },
  };
}

function pageAt({ files, frame }: Manual, path: string): PageAnswer {
  const file = files.get(path);
  if (file !== undefined) return { status: 200, ...file, forEver: path.startsWith("/assets/") };
  // Addresses as they are written in the files, and with a slash at the end.
  const plain = path.replace(/(?:\.md|\/)$/, "").replace(/\/README$/, "");
  if (plain !== path && files.has(plain === "" ? "/" : plain)) return { location: ROOT + plain };
  const html = '<h1>There is no such page</h1><p><a href="/help">All pages</a></p>';
  const page = { title: "There is no such page", address: "", html, headings: [] };
  return { status: 404, type: HTML, body: framed(frame, page) };
}

async function picture(folder: string, path: string): Promise<PageAnswer | undefined> {
  const body = await readFile(join(folder, normalize(path))).catch(() => undefined);
  const type = PICTURE_TYPES.get(extname(path)) ?? "";
  return body && { status: 200, type, body };
}

async function build({ origin }: HelpOptions): Promise<Manual> {
  // The documents of the APIs take tens of milliseconds.
  await scheduler.turn();
  const thread = new BoundedThread<ManualOrigin, BuiltManual>({
    name: "manual",
    file: new URL("./manual-thread", import.meta.url),
    data: undefined,
    busy: "the service stops",
  });
  try {
    const built = await thread.run("", origin(), PATIENCE_MS);
    if (built === GIVEN_UP) throw new Error("building the manual takes too long");
    return built;
  } finally {
    await thread.close();
  }
}
