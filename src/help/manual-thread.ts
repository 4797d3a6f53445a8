/** The thread that gets the manual: it takes a few hundred milliseconds, for which no request has to wait. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parentPort } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import type { ManualSources } from "../manual/render-manual.ts";
import type { RenderedManual } from "../manual/rendered.ts";
import type { ThreadMessage } from "../threads/bounded-thread.ts";
import { framedManual, type Manual } from "./manual.ts";

/** The origin of the manual: the file in which a package carries it rendered (JSON, gzip), or the sources in a clone. */
export interface ManualOrigin {
  readonly from: string | ManualSources;
  readonly version: string;
}

/** The result. Whoever starts the thread imports it, so that each package that has the one has the other. */
export type BuiltManual = Manual;

const ASSETS = join(import.meta.dirname, "assets");

parentPort?.on("message", async ({ from, version }: ManualOrigin) => {
  send("began");
  const rendered: RenderedManual =
    typeof from === "string" ? JSON.parse(gunzipSync(readFileSync(from)).toString()) : await render(from);
  send({ result: framedManual(rendered, ASSETS, version) });
});

/** Packages lack the code that renders, with the library that it needs. */
async function render(sources: ManualSources): Promise<RenderedManual> {
  const { renderManual } = await import("../manual/render-manual.ts");
  return renderManual(sources);
}

function send(message: ThreadMessage<BuiltManual>): void {
  parentPort?.postMessage(message);
}
