/** Folders of files that are served as pages: those of a browser application, or of a manual. */

import { existsSync, readdirSync } from "node:fs";
import { extname, join, sep } from "node:path";
import type { Response as PageResponse, RequestHandler } from "express";
import { nothingHere } from "../errors.ts";
import type { MountedRoute, Route } from "../route.ts";
import { pageHandler, pageWork, setHeaders } from "./pages.ts";

/** The header of pages that load what is theirs alone, and stand in no frame. */
export const PAGE_CONTENT_POLICY: readonly string[] = [
  "Content-Security-Policy",
  [
    "default-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join(";"),
];

/** A folder with an `index.html`. What is in its folder `assets` is named by digest. */
export interface PageFolder {
  /** The path of the pages: `/`, or a path without a slash at its end. */
  readonly path: string;
  /** The folder, absolute. */
  readonly folder: string;
  /** Headers of its pages, name and value in turn; they replace those of every answer, such as a content policy. */
  readonly headers?: readonly string[];
}

/** A page or a file of a site. */
export type PageAnswer =
  | { readonly location: string }
  | {
      readonly status: number;
      readonly type: string;
      readonly body: string | Buffer;
      /** Digest of the body; absent: browsers do not keep it. */
      readonly tag?: string;
      /** True for what is named by its digest. */
      readonly forEver?: boolean;
    };

/** Pages that a program makes. */
export interface PageSite extends Pick<PageFolder, "path" | "headers"> {
  /**
   * Returns the answer to a `GET`; undefined if there is nothing.
   * @param path below that of the site, decoded by nobody; "/" for the site's own
   * @param query without `?`
   */
  answer(path: string, query: string): Promise<PageAnswer | undefined>;
}

const INDEX = "index.html";
const ASSETS = "assets";
const FOR_EVER = "public, max-age=31536000, immutable";
const NEVER = "no-store";
const PERMANENT = 308;

/**
 * Builds the route of page folders: `GET` of a file answers the file, compressed where the client takes that; `GET` of
 * any other path below a folder's answers its `index.html`, which then shows the page of that path. A file of `assets`
 * is answered from the `.br` or `.gz` file beside it, where the folder had one at the start. Files below `assets` are kept for ever by browsers, other files are asked for again, the index is never kept.
 */
export function folderRoute(folders: readonly (PageFolder | PageSite)[]): Route {
  // The longest path first: `/help` before `/`.
  const ordered = [...folders].sort((a, b) => b.path.length - a.path.length);
  return {
    method: "GET",
    path: "/*",
    head: true,
    priority: "bulk",
    handle: pageHandler((app, { express, compression }) => {
      for (const one of ordered) {
        const { path, headers = [] } = one;
        const setOwn: RequestHandler = (_request, response, next) => {
          setHeaders(response, headers);
          next();
        };
        if ("answer" in one) {
          app.use(path, setOwn, compression(), handlerOf(one));
          continue;
        }
        const { folder } = one;
        const files = express.static(folder, {
          index: INDEX,
          redirect: false,
          cacheControl: false,
          setHeaders: (response, file) => {
            response.setHeader("Cache-Control", cacheControl(file.slice(folder.length)));
          },
        });
        app.use(path, setOwn, precompressed(folder), compression(), files, indexOf(folder));
      }
    }),
  };
}

/** Forms in which a file may also stand in the folder `assets`, the smallest first: coding and ending. */
const CODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** Answers a file of `assets` in the smallest compressed form that stands beside it and that the client takes. */
function precompressed(folder: string): RequestHandler {
  const assets = join(folder, ASSETS);
  const names = new Set(existsSync(assets) ? readdirSync(assets) : []);
  return (request, response, next) => {
    const name = request.path.startsWith(`/${ASSETS}/`) ? request.path.slice(ASSETS.length + 2) : "";
    const found = CODINGS.find(([coding, ending]) => {
      return names.has(name + ending) && request.acceptsEncodings(coding) === coding;
    });
    if (found === undefined) return next();
    const [coding, ending] = found;
    response.type(extname(name));
    setHeaders(response, ["Cache-Control", FOR_EVER, "Content-Encoding", coding, "Vary", "Accept-Encoding"]);
    // Below a root, since a path with a folder whose name begins with a dot is no file for Express.
    response.sendFile(name + ending, { cacheControl: false, root: assets }, (error) => {
      if (error !== undefined) next(error);
    });
  };
}

/** Answers what a site has; what it has not stays missing, and is not looked for in the folders around it. */
function handlerOf(site: PageSite): RequestHandler {
  return (request, response, next) => {
    const query = request.originalUrl.split("?").slice(1).join("?");
    site
      .answer(request.path, query)
      .then((found) =>
        pageWork.run(() => (found === undefined ? next(nothingHere()) : write(found, response))),
      )
      .catch(next);
  };
}

function write(page: PageAnswer, response: PageResponse): void {
  if ("location" in page) {
    response.redirect(PERMANENT, page.location);
    return;
  }
  const { status, type, body, tag, forEver = false } = page;
  response.setHeader("Cache-Control", forEver ? FOR_EVER : tag === undefined ? NEVER : "no-cache");
  if (tag !== undefined) response.setHeader("ETag", `W/"${tag}"`);
  response.status(status).setHeader("Content-Type", type).send(body);
}

function cacheControl(file: string): string {
  if (file.startsWith(`${sep}${ASSETS}${sep}`)) return FOR_EVER;
  return file.endsWith(INDEX) ? NEVER : "no-cache";
}

/** Answers the index; a file of `assets` that is not there stays missing. */
function indexOf(folder: string): RequestHandler {
  return ({ path }, response, next) => {
    if (path.startsWith(`/${ASSETS}/`)) next();
    else {
      response.setHeader("Cache-Control", NEVER);
      response.sendFile(INDEX, { cacheControl: false, root: folder }, (error) => {
        if (error !== undefined) next(error);
      });
    }
  };
}

/**
 * Returns whether a request may be one for a page: `GET` or `HEAD` of a path that no client of an API means.
 * @param reserved first segments of paths, in lower case, below which there are no pages
 */
export function isForPage(method: string, target: string, reserved: ReadonlySet<string>): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  // `*` and what else Node takes for a target has no segments.
  if (!target.startsWith("/")) return false;
  const [path = ""] = target.split("?", 1);
  const segments = path.split("/").slice(1).map(decoded);
  if (segments.some((segment, index) => !isPlain(segment, index === segments.length - 1))) return false;
  return !reserved.has((segments[0] as string).toLowerCase());
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** False for what could be read as another path: an empty segment but the last, dots, backslash, NUL. */
function isPlain(segment: string | undefined, isLast: boolean): segment is string {
  if (segment === undefined || /[\\\0]/.test(segment)) return false;
  return (segment !== "" || isLast) && !segment.split("/").some((part) => part === "." || part === "..");
}

/** Returns the first segments of the paths of routes. */
export function firstSegments(routes: readonly MountedRoute[]): readonly string[] {
  return routes.map(({ path }) => (path.split("/")[1] as string).toLowerCase());
}
