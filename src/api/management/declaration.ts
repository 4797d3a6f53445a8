/** Declared operations of the management API. */

import type { RequiredLeaf } from "@svc-authorizer/policy/model/decision.ts";
import type { Decisions } from "../../decisions/decisions.ts";
import type { Declaration } from "../../http/declaration.ts";
import type { TrustedProxies } from "../../http/request/client-address.ts";
import type { Identities } from "../../identity/identity.ts";
import type { Endpoints } from "../../request-map/endpoints.ts";
import type { PasswordSignIn } from "../../sign-in/password-sign-in.ts";
import type { SignIn } from "../../sign-in/sign-in.ts";
import type { DecisionLimits } from "../decisions/limits.ts";
import type { PageTokens } from "../decisions/search/page-tokens.ts";
import { bodiesOf } from "../rest/operation-kinds.ts";
import type { RestParts } from "../rest/parts.ts";
import type { AuditedFields, IdentityFinder, PolicySet } from "../rest/ports.ts";
import type { AccessQuestions } from "./access/ports.ts";
import type { Applications } from "./apply/ports.ts";
import type { ManagementCaller, OpenCall, UserCall, UserCaller } from "./call.ts";
import type { UseAnswers } from "./last-used.ts";
import type { ManagementAudit } from "./management-audit.ts";
import type { Mirrors } from "./mirrors/ports.ts";
import type { Escalation } from "./permissions/escalation.ts";
import type { PolicyChecks } from "./policy-checks/ports.ts";
import type { GroupAcls, OwnPasswords, PasswordResets, Setup, UserInvitations } from "./ports.ts";
import type { AuditRecords, DecisionRecords, ShadowReports } from "./records/ports.ts";
import { MANAGEMENT_SCHEMAS } from "./schemas.ts";
import type { TokenExchange } from "./sign-in/token-exchange.ts";
import type { ServiceStatus } from "./status/ports.ts";

/** The parts that handlers work with. */
export interface ManagementParts extends RestParts {
  readonly decisions: Decisions;
  readonly endpoints: Endpoints;
  readonly identities: Identities;
  readonly proxies: TrustedProxies;
  readonly limits: DecisionLimits;
  /** Tokens of the pages of searches. */
  readonly tokens: PageTokens;
  readonly escalation: Escalation;
  /** Data sets that are applied to the running service. */
  readonly applications: Applications;
  readonly policyChecks: PolicyChecks;
  readonly status: ServiceStatus;
  readonly acls: GroupAcls;
  readonly setup: Setup;
  readonly invitations: UserInvitations;
  /** Signing in with identity providers; undefined if none is configured. */
  readonly signIn: SignIn | undefined;
  /** `authorizer.sign_in.order`. */
  readonly signInOrder: readonly string[];
  /** Signing in with passwords; undefined where no way takes one. */
  readonly passwordSignIn: PasswordSignIn | undefined;
  /** The passwords that this service keeps; undefined where it keeps none. */
  readonly ownPasswords: OwnPasswords | undefined;
  /** Tokens of identity providers that programs exchange. */
  readonly exchange: TokenExchange;
  /** Mails for new passwords; undefined where no passwords are kept. */
  readonly passwordResets: PasswordResets | undefined;
  readonly audit: ManagementAudit;
  /** Finds external principals; undefined where no program signs in as one. */
  readonly principals: IdentityFinder | undefined;
  /** `auth.cookie_domain`. */
  readonly cookieDomain: string;
  /** `auth.ui_config.rbac`, shown to browsers. */
  readonly rbac: string;
  /** True where a data server's web page is served with these answers (`authorizer.exchange`). */
  readonly dataServerPage: boolean;
  /** `auth.logout_redirect_url`, or the sign-in page. */
  readonly logoutUrl: string;
  /** `auth.ui_config.login_url`, or "". */
  readonly loginUrl: string;
  /** Version of this package. */
  readonly version: string;
  readonly policySet: PolicySet;
  /** The records of decisions; undefined if none are logged. */
  readonly records: DecisionRecords | undefined;
  /** Names of the other nodes that share the store, whose records nobody asks them for; a node that was killed may be among them. */
  readonly otherNodes: () => Promise<readonly string[]>;
  /** The records of the audit log; undefined if none are kept. */
  readonly auditRecords: AuditRecords | undefined;
  /** undefined if no shadow candidate is configured. */
  readonly shadow: ShadowReports | undefined;
  /** Answers about use; undefined if use is not counted. */
  readonly usage: UseAnswers | undefined;
  /** Questions about access and its use; undefined if use is not counted. */
  readonly access: AccessQuestions | undefined;
  /** Mirrors of repositories; undefined if no region may have them. */
  readonly mirrors: Mirrors | undefined;
}

/** Names and values: of a permission row's placeholders, or of condition fields. */
export type Named = Iterable<readonly [string, string]>;

/** A declared operation that needs no credential. */
export interface OpenDeclaration extends Declaration<ManagementParts, ManagementCaller> {
  readonly access: "open";
  /** Most bytes of the body, where that is more than a few short texts. */
  readonly maxBytes?: number;
}

/** A declared operation for users. */
export interface UserDeclaration extends Declaration<ManagementParts, UserCaller> {
  /** `permitted`: its row of the permission table, which `id` names, is decided; `user`: every user may. */
  readonly access: "permitted" | "user";
  /** Of an operation that the permission table of the data server lacks: the permission that it needs. */
  readonly permission?: RequiredLeaf;
  /**
   * Of an operation whose permissions depend on its body: actions of which the caller must have one on something. Whoever has
   * none is refused before the body is read, since nothing in it could be done.
   */
  readonly someOf?: readonly string[];
  /** True: mirrors are not read-only for it. */
  readonly managesMirrors?: boolean;
  /** Name of the row, where it is not `id`. */
  readonly row?: string | ((call: OpenCall) => string);
  /** Values of the row beside the path's parameters, such as `body.id`; the body is then read before it is decided. */
  readonly values?: (call: OpenCall) => Named;
  /** Condition fields beside those of the path's parameters (spec/security §3.5). */
  readonly fields?: (call: OpenCall, parts: Pick<ManagementParts, "acls">) => Named;
  /** Names of what a call writes, beside those in its path, for the audit of one whose outcome is not known. */
  readonly names?: (call: UserCall, parts: Pick<ManagementParts, "acls">) => AuditedFields;
  /** True: the handler audits a call whose outcome is not known. Else every call but GET is audited for it. */
  readonly auditsUnknown?: boolean;
  /** Text of a 404 in the reference; default `not found`. */
  readonly missing?: string;
}

/** A declared operation. */
export type ManagementDeclaration = OpenDeclaration | UserDeclaration;

/** Condition fields of path parameters. */
const FIELD_NAMES: ReadonlyMap<string, string> = new Map([
  ["userId", "action.user"],
  ["groupId", "action.group"],
  ["policyId", "action.policy"],
]);

/** The condition fields that the path's parameters give. */
export function fieldsOfPath(values: ReadonlyMap<string, string>): Map<string, string> {
  const named = [...values].flatMap(([name, value]) => {
    const field = FIELD_NAMES.get(name);
    return field === undefined ? [] : [[field, value] as const];
  });
  return new Map(named);
}

/** Declares a body by the name of its schema; its shape is validated before the handler runs. */
export const bodyOf = bodiesOf(MANAGEMENT_SCHEMAS);
