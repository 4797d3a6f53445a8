/** The management API of the user listener, as the configuration has it. */

import { PageTokens } from "../../api/decisions/search/page-tokens.ts";
import type { ManagementOptions } from "../../api/management/operations.ts";
import type { GroupAcls } from "../../api/management/ports.ts";
import type { AuditRecords, ShadowReports } from "../../api/management/records/ports.ts";
import { ACL_GROUPS, type Acl, aclPolicyName, aclStatements } from "../../bootstrap/acl-policies.ts";
import type { ServiceSetup } from "../../bootstrap/setup.ts";
import { limitsOf } from "../../config/limits.ts";
import type { ConfigValues } from "../../config/table.ts";
import { Applications } from "../../datasets/apply/applications.ts";
import type { Decisions } from "../../decisions/decisions.ts";
import { TrustedProxies } from "../../http/request/client-address.ts";
import type { Identities } from "../../identity/identity.ts";
import type { OpenedInvitations } from "../../mail/open-invitations.ts";
import type { PasswordResets } from "../../mail/password-resets.ts";
import type { AuditEvents } from "../../observe/log/audit-port.ts";
import type { Endpoints } from "../../request-map/endpoints.ts";
import type { DirectoryPasswords } from "../../sign-in/directory-passwords.ts";
import type { PasswordSignIn } from "../../sign-in/password-sign-in.ts";
import type { PrincipalFinder } from "../../sign-in/principal-finder.ts";
import type { SignIn } from "../../sign-in/sign-in.ts";
import type { OpenedUsage } from "../../usage/open-usage.ts";
import type { DataParts } from "../data.ts";
import { pageTokenKeys } from "../listeners/listener-settings.ts";
import type { ServiceMirroring } from "../mirroring.ts";
import { nodeName, type ServiceDecisionLog } from "../records/decision-log.ts";
import { decisionRecords } from "../records/decision-records.ts";
import type { ServiceAccess } from "./access.ts";
import type { ServiceEscalationCheck } from "./escalation.ts";
import type { ServicePolicyChecks } from "./policy-checks.ts";
import type { OpenedStatus } from "./status.ts";
import { webUsers } from "./web-users.ts";

/** Parts of the API besides data. */
export interface ManagementParts {
  readonly decisions: Decisions;
  readonly endpoints: Endpoints;
  readonly identities: Identities;
  readonly invitations: OpenedInvitations;
  readonly setup: ServiceSetup;
  /** undefined if no identity provider signs people in. */
  readonly signIn: SignIn | undefined;
  readonly passwordSignIn: PasswordSignIn | undefined;
  readonly ownPasswords: DirectoryPasswords | undefined;
  /** undefined where this service keeps no passwords. */
  readonly passwordResets: PasswordResets | undefined;
  /** undefined where no program signs in as an external principal. */
  readonly principals: PrincipalFinder | undefined;
  readonly escalationCheck: ServiceEscalationCheck;
  readonly policyChecks: ServicePolicyChecks;
  readonly status: OpenedStatus;
  readonly audit: AuditEvents;
  readonly decisionLog: ServiceDecisionLog | undefined;
  /** undefined if the audit log is kept in no chain. */
  readonly auditRecords: AuditRecords | undefined;
  /** undefined if no candidate is configured. */
  readonly shadow: ShadowReports | undefined;
  readonly usage: OpenedUsage | undefined;
  readonly access: ServiceAccess | undefined;
  /** undefined if no region may have mirrors. */
  readonly mirroring: ServiceMirroring | undefined;
  /** Version of this package. */
  readonly version: string;
}

/** The options of the API. */
export function managementOptions(data: DataParts, parts: ManagementParts): ManagementOptions {
  const { values, directory, catalog, logger } = data;
  return {
    ...parts,
    directory,
    vocabulary: catalog,
    policySet: catalog,
    limits: limitsOf(values),
    tokens: new PageTokens(pageTokenKeys(values)),
    proxies: new TrustedProxies(values["authorizer.trusted_proxies"]),
    publicOrigins: publicOrigins(values),
    mirrors: parts.mirroring?.administration,
    exchange: tokenExchange(data),
    signInOrder: values["authorizer.sign_in.order"],
    cookieDomain: values["auth.cookie_domain"],
    applications: new Applications({
      catalog,
      guards: values["authorizer.guards"],
      limits: limitsOf(values),
      syncs: values["authorizer.datasets"].length > 0 && values["authorizer.datasets_mode"] === "sync",
    }),
    acls: groupAcls(catalog.partition),
    escalation: values["authorizer.escalation"],
    rbac: values["auth.ui_config.rbac"],
    dataServerPage: values["authorizer.exchange.access_key_id"] !== undefined,
    logoutUrl: values["auth.logout_redirect_url"] ?? "/login",
    loginUrl: values["auth.ui_config.login_url"] ?? "",
    records: parts.decisionLog && decisionRecords(data, parts.decisionLog),
    otherNodes: async () => {
      const own = nodeName(values);
      const names = await data.directory.nodeNames();
      return names.filter((name) => name !== own).map((name) => name ?? NAMELESS);
    },
    log: logger,
  };
}

/** Longest time for which a program gets in with a token of its provider, seconds. */
const EXCHANGED_SECONDS = 3_600;

function tokenExchange(data: DataParts): ManagementOptions["exchange"] {
  const { values, oidc } = data;
  const most = Math.floor(values["auth.login_max_duration"] / 1_000);
  return { oidc, users: webUsers(data), seconds: Math.min(EXCHANGED_SECONDS, most) };
}

/** Stands for nodes that tell no name. */
const NAMELESS = "(a node of version 0.2)";

/** Origins under which browsers know the user listener. */
function publicOrigins(values: ConfigValues): ReadonlySet<string> {
  const urls = [
    values["authorizer.public_url"],
    values["email.svc_base_url"],
    ...values["authorizer.sign_in.origins"],
  ];
  return new Set(
    urls.flatMap((url) => (url !== undefined && URL.canParse(url) ? [new URL(url).origin] : [])),
  );
}

/** Access lists, least first. */
function groupAcls(partition: string): GroupAcls {
  const permissions: readonly Acl[] = ACL_GROUPS.map(({ acl }) => acl).reverse();
  return {
    permissions,
    policyName: aclPolicyName,
    statements: (permission) => {
      const known = permissions.find((acl) => acl === permission);
      return known === undefined ? undefined : aclStatements(known, partition);
    },
  };
}
