/** `svcctl mirror …`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type ApiClient, type JsonObject, openApi } from "../api/api-client.ts";
import { REPLICATION_PATH } from "../api/endpoint.ts";
import { fetchPage, isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { printPage } from "../output/page.ts";
import { printDone, printObject } from "../output/print.ts";
import { confirm } from "../uri/confirm.ts";

const COLUMNS = [
  { heading: "Mirror", name: "id", fields: ["id"] },
  { heading: "Repository", name: "source_repository", fields: ["source_repository"] },
  { heading: "Region", name: "region", fields: ["region"] },
  { heading: "State", name: "state", fields: ["state"] },
  { heading: "Behind", name: "lag_seconds", fields: [] },
  { heading: "Reason", name: "reason", fields: ["reason"] },
] as const;

export async function listMirrors(call: CommandCall): Promise<void> {
  const path = call.args.length === 0 ? ["mirrors"] : pathOf(call).slice(0, 3);
  const page = await fetchPage(replication(call), call, path);
  await printPage(call, page, {
    columns: COLUMNS,
    isOurs: true,
    rowsOf: (mirror) => [{ ...mirror, lag_seconds: text(partOf(mirror, "progress")["lag_seconds"]) }],
  });
}

/** Members without which what came is no mirror. */
const MEMBERS = ["name", "region", "state", "progress"] as const;

export async function showMirror(call: CommandCall): Promise<void> {
  const path = pathOf(call);
  await print(
    call,
    await replication(call).fetchObject({ method: "GET", path, expect: 200, members: MEMBERS }),
  );
}

export async function createMirror(call: CommandCall): Promise<void> {
  const path = pathOf(call).slice(0, 3);
  const body = {
    name: call.args[1],
    region: textOption(call.options, "region"),
    storage_namespace: textOption(call.options, "storageNamespace"),
  };
  await print(
    call,
    await replication(call).fetchObject({ method: "POST", path, body, expect: 201, members: MEMBERS }),
  );
}

export async function chooseBranches(call: CommandCall): Promise<void> {
  const path = [...pathOf(call), "branches"];
  const body = { include: patternsOf(call, "include"), exclude: patternsOf(call, "exclude") };
  await print(
    call,
    await replication(call).fetchObject({ method: "PUT", path, body, expect: 200, members: MEMBERS }),
  );
}

export async function deleteMirror(call: CommandCall): Promise<void> {
  const api = replication(call);
  const [, name = ""] = call.args;
  const forget = call.options["forget"] === true;
  await confirm(call, `Are you sure you want to delete mirror: ${name}`, `Delete Mirror '${name}' aborted`);
  const request = { method: "DELETE", path: pathOf(call), query: forget ? { forget } : {} } as const;
  const { status } = await api.ask(request);
  if (status === 202) {
    return printDone(call, `Mirror '${name}' will be deleted once its region answers`);
  }
  // Whatever is neither is told as every other call tells it.
  if (status !== 204) await api.perform({ ...request, expect: 204 });
  return printDone(call, `Mirror '${name}' deleted`);
}

function replication({ context }: CommandCall): ApiClient {
  return openApi(context, undefined, REPLICATION_PATH);
}

function pathOf({ args: [repository = "", mirror = ""] }: CommandCall): readonly string[] {
  return ["repositories", repository, "mirrors", mirror];
}

function patternsOf({ options }: CommandCall, name: string): readonly string[] {
  const given = textOption(options, name) ?? "";
  return given === "" ? [] : given.split(",").map((pattern) => pattern.trim());
}

function print(call: CommandCall, mirror: JsonObject): Promise<void> {
  return printObject(call, mirror, () => {
    const { bold } = call.context.style;
    const progress = partOf(mirror, "progress");
    const heads = Array.isArray(mirror["heads"]) ? mirror["heads"].filter(isObject) : [];
    const lines = [
      `Mirror: ${bold(text(mirror["id"]))} of ${text(mirror["source_repository"])} in ${text(mirror["region"])}`,
      `State: ${bold(text(mirror["state"]))}${mirror["reason"] === "" ? "" : `: ${text(mirror["reason"])}`}`,
      `Storage namespace: ${text(mirror["storage_namespace"])}`,
      `Write protection: ${text(mirror["write_protection"])}`,
      `Commits: ${text(progress["commits_recorded"])} recorded, ${text(progress["commits_pending"])} wait for data`,
      `Objects: ${text(progress["objects_missing"])} missing, ${text(progress["external_objects"])} outside the namespace, ${text(progress["objects_gone_at_source"])} gone at the source`,
      `Behind: ${text(progress["lag_seconds"])} s`,
      `Acted for: ${actedText(progress["acted_at"])}`,
      ...heads.map((head) => {
        const shown = head["mirror"] === null ? "nothing" : text(head["mirror"]);
        const isEqual = head["mirror"] === head["source"];
        return `  ${text(head["branch"])}: ${shown}${isEqual ? "" : `, the source has ${text(head["source"])}`}`;
      }),
    ];
    return `${lines.join("\n")}\n`;
  });
}

function actedText(seconds: unknown): string {
  return typeof seconds === "number" ? new Date(seconds * 1_000).toISOString() : "not yet";
}

function partOf(mirror: JsonObject, name: string): JsonObject {
  const part = mirror[name];
  return isObject(part) ? part : {};
}

function text(value: unknown): string {
  return value === undefined || value === null ? "" : safeText(String(value));
}
