/** Checks of policies as the management API needs them; `compose` implements them. */

import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import type { AccessChange, Impact } from "../../../insight/impact/access-change.ts";

/** One finding in a policy, with its place. */
interface PolicyFinding {
  /** Errors keep a policy from being stored. */
  readonly severity: "error" | "warning" | "note";
  readonly rule: string;
  readonly message: string;
  /** JSON pointer of the value that it is about. */
  readonly pointer: string;
  /** Line and column count from 1; only of a document that came as a text. */
  readonly line?: number;
  readonly column?: number;
}

/** The findings in a policy, in the order of their places. */
interface PolicyFindings {
  readonly findings: readonly PolicyFinding[];
  /** False if there are more findings, or the check took too long. */
  readonly complete: boolean;
}

/** Port: checks of policies that are not stored yet. */
export interface PolicyChecks {
  /**
   * Checks a document.
   * @param caller for whom: callers get their turns one after the other
   * @param document a JSON text, or a parsed document
   * @param name name of the policy if the document has none
   * @throws AuthorizerError "unavailable" if too many checks wait
   */
  lint(caller: string, document: unknown, name: string): Promise<PolicyFindings>;
  /**
   * Reads a document that is one valid policy.
   * @throws AuthorizerError "invalid_request" with every problem; "unavailable" if it takes too long
   */
  read(caller: string, document: unknown, name: string): Promise<NamedStatements>;
  /** Finds who gains and who loses by a change; throws as `findImpact`. */
  impact(caller: string, change: AccessChange, signal: AbortSignal | undefined): Promise<Impact>;
}
