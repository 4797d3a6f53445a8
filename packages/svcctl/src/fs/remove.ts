/** `svcctl fs rm`. */

import { forEachParallel } from "@svc-authorizer/commands/for-each-parallel.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type ApiClient, openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { eachObjectPage } from "../objects/list-objects.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import type { SvcUri } from "../uri/svc-uri.ts";
import { uriArgument } from "../uri/uri-argument.ts";

/** Deletes one object, or with `--recursive` all below a prefix. */
export async function remove(call: CommandCall): Promise<void> {
  const uri = uriArgument(call, 0, "path URI", "path");
  const api = openApi(call.context);
  const { path = "" } = uri;
  if (call.options["recursive"] === true) {
    const deleted = await removeAll(call, api, uri);
    return printObject(call, { prefix: path, deleted }, () => "");
  }
  await api.perform({
    method: "DELETE",
    path: ["repositories", uri.repository, "branches", uri.ref, "objects"],
    query: { path },
    expect: 204,
  });
  await printObject(call, { path, deleted: 1 }, () => "");
}

/**
 * Deletes page by page, several at once. What cannot be deleted is named on standard error, and the rest goes on.
 * @returns how many objects were deleted
 */
async function removeAll({ context, options }: CommandCall, api: ApiClient, uri: SvcUri): Promise<number> {
  const { repository, ref, path: prefix = "" } = uri;
  let deleted = 0;
  let failed = 0;
  const fail = (count: number, text: string): void => {
    failed += count;
    context.err(`${text}\n`);
  };
  const concurrency = Math.max(1, Number(options["concurrency"]));
  const path = ["repositories", repository, "branches", ref, "objects", "delete"];
  await forEachParallel(eachObjectPage(api, { repository, ref, prefix }), concurrency, async (page) => {
    const paths = page.map((one) => textField(one, "path"));
    if (paths.length === 0) return;
    try {
      const answer = await api.fetchObject({ method: "POST", path, body: { paths }, expect: 200 });
      const errors = Array.isArray(answer["errors"]) ? answer["errors"].filter(isObject) : [];
      for (const error of errors) {
        const message = safeText(textField(error, "message"));
        fail(1, `rm ${safeText(textField(error, "path"))}: [${Number(error["status_code"])}] ${message}`);
      }
      deleted += paths.length - errors.length;
    } catch (error) {
      fail(paths.length, `rm objects - ${(error as Error).message}`);
    }
  });
  if (failed > 0) throw new Error(`${failed} objects could not be deleted`);
  return deleted;
}
