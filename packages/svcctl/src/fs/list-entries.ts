/** `svcctl fs ls`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type JsonObject, openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { eachObjectPage } from "../objects/list-objects.ts";
import { formatDate } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import { humanBytes } from "../output/human-bytes.ts";
import { jsonText } from "../output/json-text.ts";
import { structuredText } from "../output/structured.ts";
import { uriArgument } from "../uri/uri-argument.ts";

const GAP = "    ";
const TYPE = 12;
const DATE = 29;
const SIZE = 12;

/** Prints the entries of one level, or with `--recursive` all objects below it. */
export async function listEntries(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const { repository, ref, path: prefix = "" } = uriArgument(call, 0, "path URI", "path");
  const recursive = options["recursive"] === true;
  const above = recursive ? "" : prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const asText = context.format === "table" && options["json"] !== true;
  const pages = eachObjectPage(openApi(context), {
    repository,
    ref,
    prefix,
    delimiter: recursive ? undefined : "/",
  });
  const all: JsonObject[] = [];
  for await (const entries of pages) {
    // Text is printed as it comes; other formats are one document.
    if (asText) context.out(entries.map((entry) => entryLine(entry, above, context)).join(""));
    else all.push(...entries);
  }
  if (asText) return;
  if (options["json"] === true) return context.out(jsonText({ results: all }));
  const { format } = context;
  if (format === "table") return;
  const columns = ["path_type", "path", "size_bytes", "mtime", "checksum"];
  const rows = all.map(({ path_type, path, size_bytes, mtime, checksum }) => ({
    path_type,
    path,
    ...(path_type === "object" && { size_bytes, mtime, checksum }),
  }));
  context.out(await structuredText(format, rows, columns));
}

function entryLine(entry: JsonObject, above: string, { style }: CommandContext): string {
  const type = textField(entry, "path_type");
  const path = textField(entry, "path");
  const name = style.yellow(safeText(path.startsWith(above) ? path.slice(above.length) : path));
  const detail =
    type === "object"
      ? `${formatDate(entry["mtime"]).padEnd(DATE)}${GAP}${humanBytes(Number(entry["size_bytes"] ?? 0)).padEnd(SIZE)}`
      : " ".repeat(DATE + SIZE + GAP.length - 1);
  return `${safeText(type).padEnd(TYPE)}${GAP}${detail}${GAP}${name}\n`;
}
