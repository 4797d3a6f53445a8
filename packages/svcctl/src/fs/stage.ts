/** `svcctl fs stage`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { pairsOf } from "../commits/commit-values.ts";
import { given } from "../given.ts";
import { statsText } from "../objects/stats-text.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { uriArgument } from "../uri/uri-argument.ts";

/** Links an object that lies outside the repository's storage. */
export async function stage(call: CommandCall): Promise<void> {
  const { options, context } = call;
  const { repository, ref, path = "" } = uriArgument(call, 0, "path URI", "path");
  const metadata = pairsOf(options["meta"]);
  const api = openApi(context);
  const location = given(call, "location");
  const found = await api.fetchObject({ method: "GET", path: ["repositories", repository], expect: 200 });
  const storage = `${textField(found, "storage_namespace").replace(/\/$/, "")}/`;
  if (location.startsWith(storage)) {
    throw new Error("The staged object must be outside the repository's storage namespace");
  }
  const body = {
    physical_address: location,
    checksum: given(call, "checksum"),
    size_bytes: Number(options["size"]),
    content_type: textOption(options, "contentType") ?? "",
    metadata,
    ...(Number(options["mtime"] ?? 0) !== 0 && { mtime: Number(options["mtime"]) }),
  };
  const objects = ["repositories", repository, "branches", ref, "objects"];
  const stats = await api.fetchObject({ method: "PUT", path: objects, query: { path }, body, expect: 201 });
  await printObject(call, stats, () => statsText(stats, context.style));
}
