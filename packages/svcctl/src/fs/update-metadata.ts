/** `svcctl fs update-metadata`. */

import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { printObject } from "../output/print.ts";
import { uriArgument } from "../uri/uri-argument.ts";

/** Sets the metadata of an object. It prints nothing, as the data server's own tool. */
export async function updateMetadata(call: CommandCall): Promise<void> {
  const { repository, ref, path = "" } = uriArgument(call, 0, "path URI", "path");
  const set = metadataOf(call.options["metadata"]);
  await openApi(call.context).perform({
    method: "PUT",
    path: ["repositories", repository, "branches", ref, "objects", "stat", "user_metadata"],
    query: { path },
    body: { set },
    expect: 204,
  });
  await printObject(call, { path, metadata: set }, () => "");
}

function metadataOf(value: unknown): Readonly<Record<string, string>> {
  const pairs: readonly string[] = Array.isArray(value) ? value : [];
  const entries = pairs.map((pair): [string, string] => {
    const equals = pair.indexOf("=");
    if (equals < 0) throw new Error(`expected <key>=<value>, got ${pair}`);
    return [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  return Object.fromEntries(entries);
}
