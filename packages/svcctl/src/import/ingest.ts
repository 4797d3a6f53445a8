/** `svcctl ingest`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { forEachParallel } from "@svc-authorizer/commands/for-each-parallel.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { given } from "../given.ts";
import { say } from "../local/compare/compare-folder.ts";
import { sizeAndChecksum } from "../objects/object-stats.ts";
import { statsText } from "../objects/stats-text.ts";
import { humanBytes } from "../output/human-bytes.ts";
import { printObject } from "../output/print.ts";
import { interruptible } from "../transfer/interrupt.ts";
import { uriOf } from "../uri/uri-argument.ts";
import { openCounter } from "./import-counter.ts";
import { listSource } from "./list-source.ts";
import type { SourceObject } from "./object-source.ts";

/** Links objects of a store with a branch one by one, without copying them. */
export async function ingest(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const { repository, ref, path: below = "" } = uriOf(call, "path URI", given(call, "to"), "path");
  const folder = below === "" || below.endsWith("/") ? below : `${below}/`;
  const s3Endpoint = textOption(options, "s3EndpointUrl");
  const objects = await listSource(given(call, "from"), { s3Endpoint });
  if (options["dryRun"] === true) return dryRun(call, objects);
  const api = openApi(context);
  const objectsPath = ["repositories", repository, "branches", ref, "objects"];
  const counter = await openCounter(call, "Staging");
  let staged = 0;
  let bytes = 0;
  const stage = async ({ relative, address, checksum, mtime, size }: SourceObject): Promise<void> => {
    const query = { path: folder + relative };
    const body = { checksum, mtime, physical_address: address, size_bytes: size };
    const stats = await api.fetchObject({ method: "PUT", path: objectsPath, query, body, expect: 201 });
    staged += 1;
    bytes += sizeAndChecksum(stats).size;
    counter.show(staged);
    if (options["verbose"] === true) say(call, `Staged ${statsText(stats, context.style)}\n`);
  };
  try {
    const concurrency = Math.max(1, Number(options["concurrency"]));
    await interruptible(context, (signal) => forEachParallel(objects, concurrency, stage, signal));
  } catch (error) {
    counter.end();
    if (staged > 0) context.err(`${staged} objects were staged before this; they are uncommitted changes\n`);
    throw error;
  } finally {
    counter.end();
  }
  const { yellow } = context.style;
  await printObject(
    call,
    { objects: staged, bytes },
    () => `\nStaged ${yellow(String(staged))} external objects (total of ${yellow(humanBytes(bytes))})\n`,
  );
}

async function dryRun(call: CommandCall, objects: AsyncIterable<SourceObject>): Promise<void> {
  const addresses: string[] = [];
  for await (const { address } of objects) {
    if (call.context.format === "table") call.context.out(`${safeText(address)}\n`);
    else addresses.push(address);
  }
  if (call.context.format !== "table")
    await printObject(
      call,
      addresses.map((address) => ({ address })),
      () => "",
    );
}
