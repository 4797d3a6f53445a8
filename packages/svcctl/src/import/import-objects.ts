/** `svcctl import`. */

import { setTimeout as wait } from "node:timers/promises";
import { safeMessage, safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type ApiClient, type JsonObject, openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { parentsOf } from "../commits/commit-text.ts";
import { commitValuesOf } from "../commits/commit-values.ts";
import { given } from "../given.ts";
import { formatDate } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { interruptible } from "../transfer/interrupt.ts";
import type { SvcUri } from "../uri/svc-uri.ts";
import { uriOf } from "../uri/uri-argument.ts";
import { branchExists, requireImportable } from "./import-checks.ts";
import { openCounter } from "./import-counter.ts";

/** Time between two looks at the import, in milliseconds: short at first, so that a small one does not wait. */
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;

/** Time after which an import that does not move has failed, in milliseconds. */
const STUCK_MS = 25_000;

/** Imports objects into a branch without copying them, as one commit. Ctrl-C cancels the import. */
export async function importObjects(call: CommandCall): Promise<void> {
  const { context } = call;
  if (call.options["merge"] === true) {
    context.err("Flag --merge has been deprecated, import is done directly into target branch\n");
  }
  const from = given(call, "from");
  const to = uriOf(call, "path URI", given(call, "to"), "path");
  const commit = commitValuesOf(call);
  const api = openApi(context);
  const source = await requireImportable(call, api, to.repository, from);
  if (!(await branchExists(api, to))) throw new Error(`Target branch '${to.ref}', does not exists!`);
  const path = ["repositories", to.repository, "branches", to.ref, "import"];
  const paths = [{ destination: to.path ?? "", path: source, type: "common_prefix" }];
  const started = await api.fetchObject({ method: "POST", path, body: { commit, paths }, expect: 202 });
  const id = textField(started, "id");
  const done = await interruptible(context, async (signal) => {
    try {
      return await follow(call, api, path, id, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      context.out("\nCanceling import\n");
      await api.perform({ method: "DELETE", path, query: { id }, expect: 204 });
      throw new Error("Import Canceled", { cause: error });
    }
  });
  await printObject(call, done, () => summaryText(call, to, done));
}

async function follow(
  call: CommandCall,
  api: ApiClient,
  path: readonly string[],
  id: string,
  signal: AbortSignal,
): Promise<JsonObject> {
  const counter = await openCounter(call, "Importing");
  let moved = { at: Date.now(), updated: "" };
  try {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      await wait(waitMs, undefined, { signal });
      const status = await api.fetchObject({ method: "GET", path, query: { id }, expect: 200 });
      const { error, completed } = status;
      if (isObject(error)) throw new Error(`Import failed: ${safeMessage(textField(error, "message"))}`);
      counter.show(Number(status["ingested_objects"] ?? 0));
      if (completed === true) return status;
      const updated = textField(status, "update_time");
      if (updated !== moved.updated) moved = { at: Date.now(), updated };
      if (Date.now() - moved.at > STUCK_MS) {
        throw new Error(`Import status did not update for ${STUCK_MS / 1000}s - abandon`);
      }
    }
  } finally {
    counter.end();
  }
}

function summaryText({ context }: CommandCall, to: SvcUri, status: JsonObject): string {
  const { yellow } = context.style;
  const commit = isObject(status["commit"]) ? status["commit"] : {};
  const lines = [
    `Import of ${yellow(String(Number(status["ingested_objects"] ?? 0)))} object(s) into "${safeText(to.ref)}" completed.`,
    `MetaRange ID: ${yellow(safeText(textField(status, "metarange_id")))}`,
    `Commit ID: ${yellow(safeText(textField(commit, "id")))}`,
    `Message: ${safeMessage(textField(commit, "message"))}`,
    `Timestamp: ${formatDate(commit["creation_date"])}`,
    `Parents: ${parentsOf(commit).join(", ")}`,
  ];
  return `${lines.join("\n")}\n`;
}
