/** Checks of policies for the management API, in a thread that starts when it is first needed. */

import { servicesOf } from "@svc-authorizer/policy/analysis/lint/lint.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { PolicyChecks } from "../../api/management/policy-checks/ports.ts";
import { limitsOf } from "../../config/limits.ts";
import { findImpact } from "../../insight/impact/find-impact.ts";
import { GIVEN_UP } from "../../threads/bounded-thread.ts";
import { PolicyThread } from "../../threads/policy-thread.ts";
import type { DataParts } from "../data.ts";

/** Milliseconds of one check. Usual ones take two. */
const LINT_MS = 1_000;

/** The port of the management API, and the thread that it shares. */
export interface ServicePolicyChecks extends PolicyChecks {
  readonly thread: PolicyThread;
  close(): Promise<void>;
}

/** Returns the checks of a service. */
export function openPolicyChecks({
  catalog,
  directory,
  values,
}: Pick<DataParts, "catalog" | "directory" | "values">): ServicePolicyChecks {
  const { partition, actions, resourceTypes } = catalog;
  const thread = new PolicyThread({ partition, actions, resourceTypes });
  const { policyBytes, statementsPerPolicy, arnBytes, actionBytes } = limitsOf(values);
  const limits = { policyBytes, statementsPerPolicy, arnBytes, actionBytes };
  const jobOf = async (document: unknown, name: string) => {
    const declared = servicesOf(await directory.resources.types(), partition);
    return { document, name, services: [...catalog.services, ...declared], limits };
  };
  return {
    thread,
    async lint(caller, document, name) {
      const found = await thread.run(caller, { kind: "lint", ...(await jobOf(document, name)) }, LINT_MS);
      if (found === GIVEN_UP) return { findings: [], complete: false };
      const findings = found.findings.map(({ severity, rule, message, pointer, line, column }) => ({
        severity,
        rule,
        message,
        pointer,
        ...(line !== undefined && { line }),
        ...(column !== undefined && { column }),
      }));
      return { findings, complete: !found.more };
    },
    async read(caller, document, name) {
      const found = await thread.run(caller, { kind: "read", ...(await jobOf(document, name)) }, LINT_MS);
      if (found === GIVEN_UP) {
        throw new AuthorizerError(
          "invalid_request",
          "document: checking it takes too long; split the policy",
        );
      }
      if ("policy" in found) return found.policy;
      const problems = found.errors.map(({ pointer, message }) => ({
        pointer: `/document${pointer}`,
        message,
      }));
      throw new AuthorizerError("invalid_request", "the document is no policy", { problems });
    },
    impact: (caller, change, signal) => findImpact({ directory, thread }, caller, change, signal),
    close: () => thread.close(),
  };
}
