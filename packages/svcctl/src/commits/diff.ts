/** `svcctl diff`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type JsonObject, openApi } from "../api/api-client.ts";
import { eachPage } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { jsonText } from "../output/json-text.ts";
import { structuredText } from "../output/structured.ts";
import { announce, requireSameRepository, uriArgument } from "../uri/uri-argument.ts";

/** Sizes of the pages: small at first, so that the first changes are shown soon. */
const FIRST_PAGE = 50;
const LARGEST_PAGE = 1_000;

const CHANGES: ReadonlyMap<string, readonly [text: string, color: number]> = new Map([
  ["added", ["+ added", 32]],
  ["removed", ["- removed", 31]],
  ["changed", ["~ modified", 33]],
  ["modified", ["~ modified", 33]],
  ["conflict", ["* conflict", 93]],
]);

/** Prints the changes of a branch that are not committed, or those between two references, page by page. */
export async function diff(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const asText = context.format === "table" && options["json"] !== true;
  const { path, query } = requestOf(call);
  const changes: JsonObject[] = [];
  const pages = eachPage(openApi(context), path, query, { first: FIRST_PAGE, largest: LARGEST_PAGE });
  for await (const { results } of pages) {
    // Text is printed as it comes; other formats are one document.
    if (asText) context.out(results.map((change) => changeLine(change, context.terminal)).join(""));
    else changes.push(...results);
  }
  if (asText) return;
  const rows = changes.map(({ type, path: changed, path_type, size_bytes }) => ({
    type,
    path: changed,
    path_type,
    size_bytes,
  }));
  if (options["json"] === true) return context.out(jsonText({ results: changes }));
  if (context.format === "table") return;
  context.out(await structuredText(context.format, rows, ["type", "path", "path_type", "size_bytes"]));
}

function requestOf(call: CommandCall): { path: string[]; query: Record<string, string | undefined> } {
  if (call.args.length === 1) {
    const uri = uriArgument(call, 0, "branch URI", "branch");
    announce(call, "Ref", uri);
    const prefix = textOption(call.options, "prefix");
    return { path: ["repositories", uri.repository, "branches", uri.ref, "diff"], query: { prefix } };
  }
  const left = uriArgument(call, 0, "left ref", "ref");
  const right = uriArgument(call, 1, "right ref", "ref");
  announce(call, "Left ref", left);
  announce(call, "Right ref", right);
  requireSameRepository(left, right);
  return {
    path: ["repositories", left.repository, "refs", left.ref, "diff", right.ref],
    query: {
      type: call.options["twoWay"] === true ? "two_dot" : "three_dot",
      prefix: textOption(call.options, "prefix"),
    },
  };
}

function changeLine(change: JsonObject, colored: boolean): string {
  const [text, color] = CHANGES.get(textField(change, "type")) ?? [textField(change, "type"), 0];
  const line = `${safeText(text)} ${safeText(textField(change, "path"))}\n`;
  return colored ? `\u001b[${color}m${line}\u001b[0m` : line;
}
