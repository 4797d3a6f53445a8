/** `svcctl annotate`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type ApiClient, type JsonObject, openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { formatDate } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import { jsonText } from "../output/json-text.ts";
import { structuredText } from "../output/structured.ts";
import type { SvcUri } from "../uri/svc-uri.ts";
import { uriArgument } from "../uri/uri-argument.ts";
import { eachObject } from "./list-objects.ts";

const LONGEST_MESSAGE = 200;
const ID = 16;

/** Columns of other formats than text. */
const FIELDS = ["path", "committer", "commit_id", "creation_date", "message"];

/** Lists entries, each with the latest commit that changed it. */
export async function annotate(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const uri = uriArgument(call, 0, "path URI", "path");
  const { repository, ref, path: prefix = "" } = uri;
  const recursive = options["recursive"] === true;
  const api = openApi(context);
  const asText = context.format === "table" && options["json"] !== true;
  const rows: JsonObject[] = [];
  for await (const entry of eachObject(api, {
    repository,
    ref,
    prefix,
    delimiter: recursive ? undefined : "/",
  })) {
    const path = textField(entry, "path");
    const changed = recursive ? { objects: path } : { prefixes: path };
    const commit = await latestCommit(api, uri, {
      ...changed,
      first_parent: options["firstParent"] === true,
    });
    if (asText) context.out(annotatedLine(path, commit));
    else {
      const { committer, id: commit_id, creation_date, message } = commit;
      rows.push({ path, committer, commit_id, creation_date, message });
    }
  }
  if (asText) return;
  if (options["json"] === true || context.format === "table") return context.out(jsonText({ results: rows }));
  context.out(await structuredText(context.format, rows, FIELDS));
}

async function latestCommit(
  api: ApiClient,
  { repository, ref }: SvcUri,
  query: Readonly<Record<string, string | boolean>>,
): Promise<JsonObject> {
  const path = ["repositories", repository, "refs", ref, "commits"];
  const answer = await api.fetchObject({
    method: "GET",
    path,
    query: { ...query, amount: 1, limit: true },
    expect: 200,
  });
  const [commit] = Array.isArray(answer["results"]) ? answer["results"].filter(isObject) : [];
  return commit ?? {};
}

function annotatedLine(path: string, commit: JsonObject): string {
  const date = Number(commit["creation_date"] ?? 0) === 0 ? "" : formatDate(commit["creation_date"]);
  const cells = [
    safeText(path).padEnd(15),
    safeText(textField(commit, "committer")).padEnd(20),
    safeText(textField(commit, "id")).slice(0, ID).padEnd(20),
    date,
  ];
  return `${cells.join(" ")}  ${shortened(textField(commit, "message"))}\n`;
}

/** At most so many bytes, with three dots in place of the rest. */
function shortened(message: string): string {
  const bytes = Buffer.from(message, "utf8");
  if (bytes.length <= LONGEST_MESSAGE) return safeText(message);
  return `${safeText(bytes.subarray(0, LONGEST_MESSAGE - 3).toString("utf8"))}...`;
}
