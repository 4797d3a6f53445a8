/** `svcctl access review`. */

import type { Review } from "../../../access/review/review.ts";
import { reviewCsv } from "../../../access/review/review-csv.ts";
import { reviewHtml } from "../../../access/review/review-html.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { timeOf } from "../decisions/decision-filters.ts";
import { jsonText } from "../output/json-text.ts";
import { ANSWER_MS, printWarnings } from "./answers.ts";

/** Fetches a review and prints it in a format. */
export async function reviewAccess(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const since = timeOf(String(options["since"]), "since", Date.now());
  const api = openApi(context, ANSWER_MS);
  const path = ["auth", "access", "review"];
  const answer = await api.fetchObject({ method: "GET", path, query: { since }, expect: 200 });
  const review = answer as unknown as Review;
  const format = options["format"];
  if (format === "json") context.out(jsonText(answer));
  else context.out(format === "csv" ? reviewCsv(review) : reviewHtml(review));
  printWarnings(call, answer);
}
