/**
 * Pages, which people open in browsers: an Express application writes them. The pipeline stands before it, so that
 * request id, admission, headers of every answer, limits, counters and log are those of every route. Express is loaded
 * when a page is first asked for.
 */

import type { ServerResponse } from "node:http";
import { constants } from "node:zlib";
import type { Express, Response as PageResponse } from "express";
import { ShortWork } from "../../schedule/short-work.ts";
import { nothingHere, RequestRefused } from "../errors.ts";
import { type Answer, type Caller, type RawCall, WRITTEN } from "../route.ts";
import { loadInTurns } from "./load-in-turns.ts";

/** Bytes that a page holds until it is taken: what was read of a file, and the state of a compression. */
const PAGE_BYTES = 512 << 10;
/** Settings of a compression that needs few of them: by default, one of Brotli takes megabytes. */
const COMPRESSION = {
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 16 } },
} as const;

/** Express does little for a page, but all pages that wait for the same are ready at once. */
export const pageWork = new ShortWork();

/** The libraries that pages are written with. */
interface PageLibraries {
  readonly express: typeof import("express");
  /** Middleware that compresses answers; not for pages that show secrets. */
  readonly compression: () => ReturnType<typeof import("compression")>;
}

/** Adds pages to an application whose paths are exact. */
type BuildPages = (app: Express, libraries: PageLibraries) => void;

/** Returns a handler of routes that hands calls over to Express; a call that Express does not answer is 404. */
export function pageHandler<C extends Caller>(build: BuildPages): (call: RawCall<C>) => Promise<Answer> {
  let app: Promise<Express> | undefined;
  return async (call) => {
    app ??= openApp(build);
    return handOver(await app, call);
  };
}

/** Returns the call that a page answers. */
export function callOf<C extends Caller>({ locals }: PageResponse): RawCall<C> {
  return locals["call"];
}

/** Sets headers, name and value in turn. A header of the same name that was set before is replaced. */
export function setHeaders(response: Pick<ServerResponse, "setHeader">, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) {
    response.setHeader(headers[at] as string, headers[at + 1] as string);
  }
}

async function openApp(build: BuildPages): Promise<Express> {
  for (const name of ["express", "compression"]) await loadInTurns(name, import.meta.url);
  const [{ default: express }, { default: compression }] = await Promise.all([
    import("express"),
    import("compression"),
  ]);
  const app = express();
  app.disable("x-powered-by");
  // A page that shows a secret must have no digest in its headers; files and documents bring tags of their own.
  app.disable("etag");
  app.enable("strict routing");
  app.enable("case sensitive routing");
  build(app, { express, compression: () => compression(COMPRESSION) });
  return app;
}

/** The error for the caller of a page: Express gives one with a status where the request asks for what cannot be. */
function refusalOf(error: unknown): unknown {
  if (error === undefined) return nothingHere();
  if (!(error instanceof Error)) return error;
  const { status = 500, headers = {} } = error as { status?: number; headers?: Record<string, string> };
  if (status < 400 || status >= 500) return error;
  return new RequestRefused(status, error.message, Object.entries(headers).flat());
}

/** Resolves when the response is written or its caller has gone; rejects with what Express could not answer. */
function handOver<C extends Caller>(app: Express, call: RawCall<C>): Promise<Answer> {
  const { request, response } = call;
  return new Promise((resolve, reject) => {
    // It may have gone while Express was loaded.
    if (response.destroyed) return resolve(WRITTEN);
    response.once("close", () => resolve(WRITTEN));
    call.holdAnswer(PAGE_BYTES);
    setHeaders(response, call.commonHeaders());
    Object.assign(response, { locals: { call } });
    const write = () =>
      app(request as never, response as never, (error?: unknown) => reject(refusalOf(error)));
    pageWork.run(() => !response.destroyed && write()).catch(reject);
  });
}
