/** `svcctl access review`. */

import type { Review } from "@svc-authorizer/policy/records/review/review.ts";
import { reviewCsv } from "@svc-authorizer/policy/records/review/review-csv.ts";
import { reviewHtml } from "@svc-authorizer/policy/records/review/review-html.ts";
import { openApi } from "../api/api-client.ts";
import { answerTo } from "../api/operation.ts";
import type { CommandCall } from "../command.ts";
import { timeOf } from "../decisions/decision-filters.ts";
import { jsonText } from "../output/json-text.ts";
import { structuredText } from "../output/structured.ts";
import { ANSWER_MS, printWarnings } from "./answers.ts";

const MEMBERS = [
  "at",
  "since",
  "counts",
  "administrators",
  "access",
  "accepted",
  "old_keys",
  "changes",
] as const;

/** Fetches a review and prints it in a format. */
export async function reviewAccess(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const since = timeOf(String(options["since"]), "since", Date.now());
  const api = openApi(context, ANSWER_MS);
  const review = await answerTo(api, "GET /auth/access/review", { query: { since }, members: MEMBERS });
  context.out(await textOf(review, call));
  printWarnings(call, review);
}

/** The text in the format of the command's own option; without it in that of all commands, whose table is a page. */
async function textOf(review: Review, { command, context, options }: CommandCall): Promise<string> {
  const { output } = context.options;
  const isOwn = command.getOptionValueSource("format") === "cli";
  const format = isOwn || output === undefined ? String(options["format"]) : output;
  if (format === "csv") return reviewCsv(review);
  if (isOwn && format === "json") return jsonText(review);
  return format === "json" || format === "yaml" ? structuredText(format, review) : reviewHtml(review);
}
