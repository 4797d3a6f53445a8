/** Parts of handlers that serve both REST APIs. */

import type { User } from "@svc-authorizer/policy/model/entities.ts";
import type { Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { Directory, Groups, Policies } from "../../directory/directory.ts";
import type { GrantChecks, RestCall } from "./grants.ts";
import type { Holdings } from "./holdings.ts";
import type { PolicyWarningParts } from "./policy-warnings.ts";
import type { AuditedFields } from "./ports.ts";

/** The audit log of an API. */
export interface CallAudit {
  /** Records a write that is committed, or whose outcome is not known: then the fields say so. */
  wrote(call: RestCall, operation: string, fields: AuditedFields): void;
  /** Records a secret that is handed out. */
  readSecret(call: RestCall, operation: string, fields: AuditedFields): void;
}

/** Entities in the form that an API has for them. */
interface Shapes {
  user(user: User, call: RestCall): unknown;
  policy(policy: Policy): unknown;
  /** Headers of answers with users. */
  readonly usersHeaders: readonly string[] | undefined;
}

/** Writes that a data server repeats when it sets itself up. */
interface SetupWrites {
  readonly createGroup: Groups["create"];
  readonly createPolicy: Policies["create"];
  readonly attachPolicyToGroup: Groups["attachPolicy"];
}

/** The parts that both APIs have for their handlers. */
export interface RestParts extends PolicyWarningParts {
  readonly directory: Directory;
  readonly writes: SetupWrites;
  readonly audit: CallAudit;
  readonly escalation: GrantChecks;
  readonly holdings: Holdings;
  readonly shapes: Shapes;
}
