/** The answer of `GET /config/version`, the same on both listeners. */

import type { Reply } from "../../http/route.ts";
import { json } from "./operation.ts";
import type { PolicySet } from "./ports.ts";

/** An example of the answer. */
export const EXAMPLE_VERSIONS = {
  version: "1.0.0",
  policy_set: { version: "2026.11.0", digest: "0f3a9c5b7d1e" },
};

/**
 * Returns the handler: the version of the service, and version and digest of the policy set. A data server reads
 * `version` and ignores the rest (spec/authorization-api §1).
 */
export function versions(parts: { readonly version: string; readonly policySet: PolicySet }): () => Reply {
  const { version, policySet } = parts;
  const answer = json(200, { version, policy_set: { version: policySet.version, digest: policySet.digest } });
  return () => answer;
}
