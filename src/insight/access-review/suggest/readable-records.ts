/** The records from which policies are suggested. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { DecisionIndex } from "../../../decision-log/index/decision-index.ts";
import { indexFile } from "../../../decision-log/index/index-file.ts";
import type { DecisionLogSettings } from "../../../decision-log/settings.ts";
import type { SuggestJob } from "../access-jobs.ts";

/** Parts of records without which nobody can learn from them. */
const NEEDED_PARTS =
  /^\/(\*|subject(\/id|\/\*)?|resource(\/.*)?|action|required(\/.*)?|items(\/.*)?|entrance)$/;

/**
 * The index of records, which has all that was recorded until now.
 * @throws AuthorizerError "invalid_request" where allowed decisions are not recorded, or not readable
 */
export async function readableRecords(
  decisionLog:
    | {
        readonly settings: DecisionLogSettings;
        readonly recordedSince: number;
        readonly index: DecisionIndex;
      }
    | undefined,
): Promise<Pick<SuggestJob, "index" | "node" | "share" | "recordedSince">> {
  const { include = "none", mask = [] } = decisionLog?.settings ?? {};
  if (decisionLog === undefined || include === "none" || include === "denied") {
    const message = `allowed decisions are not recorded (authorizer.decision_log.include is ${include}); set it to all`;
    throw new AuthorizerError("invalid_request", message);
  }
  const hidden = mask.find((one) => NEEDED_PARTS.test(one));
  if (hidden !== undefined) {
    const message = `records do not say what was used: authorizer.decision_log.mask hides ${hidden}`;
    throw new AuthorizerError("invalid_request", message);
  }
  const { directory, node, worker } = decisionLog.settings;
  // The answer is of no interest: before it, the index reads all that was recorded.
  await decisionLog.index.since({}, undefined);
  const share = typeof include === "number" ? include : undefined;
  const { recordedSince } = decisionLog;
  return { index: indexFile(directory, node, worker), node, share, recordedSince };
}
