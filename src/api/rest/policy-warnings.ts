/** Warnings about a policy that was just written: valid, but almost certainly a mistake. */

import type { Policy } from "@svc-authorizer/policy/model/policy.ts";
import { type Vocabulary, warningsOnWrite } from "@svc-authorizer/policy/model/policy-warnings.ts";
import type { Call } from "../../http/route.ts";
import type { WarningLog } from "./ports.ts";
import { warningHeaders } from "./warning-headers.ts";

/** Parts with which warnings are found and logged. */
export interface PolicyWarningParts {
  /** The vocabulary of policies. */
  readonly vocabulary: Vocabulary;
  readonly log: WarningLog;
}

/** The `Warning` headers of a policy, none where nothing was found; the log gets the warnings too. */
export function writtenPolicyWarnings(
  { caller, requestId }: Pick<Call, "caller" | "requestId">,
  policy: Policy,
  { vocabulary, log }: PolicyWarningParts,
): readonly string[] {
  const found = warningsOnWrite(policy, vocabulary);
  if (found.length === 0) return [];
  log.warn("a policy was written that may not do what is meant", {
    policy: policy.name,
    actor: caller.name,
    request_id: requestId,
    warnings: found,
  });
  return warningHeaders(found);
}
