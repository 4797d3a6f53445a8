/** The pages of the manual below `/help`, built when the first of them is asked for (spec/console §5). */

import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { Worker } from "node:worker_threads";
import { PAGE_CONTENT_POLICY, type PageAnswer, type PageSite } from "../http/pages/page-folders.ts";
import { framed } from "./layout.ts";
import type { Manual, ManualSources } from "./manual.ts";
import type { ManualMessage } from "./manual-thread.ts";
import { searchPage } from "./search.ts";

/** Options of {@link helpSite}. */
interface HelpOptions extends Omit<ManualSources, "assets" | "documents"> {
  /** Makes the documents, when the manual is built. */
  readonly documents: () => ManualSources["documents"];
}

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

function build({ documents, ...sources }: HelpOptions): Promise<Manual> {
  return new Promise((resolve, reject) => {
    const file = new URL(`./manual-thread${extname(import.meta.filename)}`, import.meta.url);
    const workerData = {
      ...sources,
      assets: join(import.meta.dirname, "assets"),
      documents: documents(),
    } satisfies ManualSources;
    const worker = new Worker(file, { name: "manual", workerData });
    worker.unref();
    worker.once("message", (message: ManualMessage) => resolve(message));
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the thread that builds the manual ended")));
  });
}
