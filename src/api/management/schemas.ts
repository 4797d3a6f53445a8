/** Bodies of the management API, in the shapes of a data server's own API (management-cli.md). */

import { ERROR_CODE } from "../../http/openapi/failures.ts";
import type { Schema, Schemas } from "../../http/openapi/openapi-types.ts";
import {
  closedObject,
  listOf,
  object,
  schemaRef,
  text,
  UNIX_SECONDS,
} from "../../http/schema/schema-forms.ts";
import { DECISION_SCHEMAS } from "../decisions/schemas.ts";
import { INACTIVE, KEY_MEMBERS, pageOf, REST_SCHEMAS, TERM } from "../rest/declared.ts";
import { ACCEPT, STATEMENT_SCHEMAS, STATEMENTS } from "../rest/statement-schemas.ts";
import { ACCESS_SCHEMAS } from "./access/schemas.ts";
import { APPLY_SCHEMAS } from "./apply/schemas.ts";
import { LOGIN_SCHEMAS } from "./login/schemas.ts";
import { MIRROR_SCHEMAS } from "./mirrors/schemas.ts";
import { POLICY_CHECK_SCHEMAS } from "./policy-checks/schemas.ts";
import { RECORD_SCHEMAS } from "./records/schemas.ts";
import { OAUTH_SCHEMAS } from "./sign-in/oauth-schemas.ts";
import { STATUS_SCHEMAS } from "./status/schemas.ts";

const NAME: Schema = { type: "string", minLength: 1 };
const USE = {
  last_used: {
    ...UNIX_SECONDS,
    description: "With `last_used=true`: Unix seconds; absent if it was never used.",
  },
  uses: { type: "integer", minimum: 0, description: "With `last_used=true`: how often it was used." },
  uses_since: {
    ...UNIX_SECONDS,
    description: "With `last_used=true`: since when its uses are counted; its creation where all are.",
  },
} as const;
const ENTRY = {
  revision: { type: "integer", minimum: 1, description: "Revision of the entry in the log." },
  position: text("Its position, `N.LOG.ENTRY`, which names it; without ENTRY where it is no longer kept."),
  at: text("Time of the entry, RFC 3339; absent where it is no longer kept."),
  actors: { ...listOf({ type: "string" }), description: "Names of the users who asked for the change." },
} as const;
const PERMISSIONS = ["Read", "Write", "Super", "Admin"];

/** Schemas of errors: a message that names every problem, and a code where the status does not tell enough. */
const FAILURE_SCHEMAS: Schemas = {
  Error: object(
    {
      message: text("What is wrong, for people. An internal error shows only its id."),
      code: ERROR_CODE,
      problems: listOf(
        schemaRef("AppliedProblem"),
        "Each problem of documents that are applied, at most 101.",
      ),
    },
    ["message"],
  ),
  NoAcl: object(
    {
      message: text("What is wrong, for people."),
      no_acl: { type: "boolean", description: "True where the group exists and has no access list." },
    },
    ["message"],
  ),
};

/** A page of the records of a node. */
function pageOfRecords(schema: string): Schema {
  const always: Schemas = {
    node: text("Name of the node that was asked."),
    missing_nodes: listOf(
      { type: "string" },
      "Names of the other nodes of the shared database, which were not asked; a node that was killed may be among them.",
    ),
    pagination: schemaRef("Pagination"),
    chains: listOf({ type: "string" }),
    lost: {
      type: "integer",
      minimum: 0,
      description: "Number of lines of that time that were lost: there was no room, or they are damaged.",
    },
    results: listOf(schemaRef(schema)),
  };
  const masked_filters = listOf(
    { type: "string" },
    "Filters of the question whose values the log masks: they find no masked values. Absent: none.",
  );
  return object({ ...always, masked_filters }, Object.keys(always));
}

/** All schemas that operations refer to. */
export const MANAGEMENT_SCHEMAS: Schemas = {
  ...DECISION_SCHEMAS,
  ...REST_SCHEMAS,
  ...STATEMENT_SCHEMAS,
  ...FAILURE_SCHEMAS,
  User: object(
    {
      id: text("Unique name."),
      creation_date: UNIX_SECONDS,
      friendly_name: text("Name to show."),
      email: text("E-mail address."),
      inactive: INACTIVE,
      ...USE,
    },
    ["id", "creation_date"],
  ),
  Session: object(
    {
      user: text("Name of the user."),
      how: { type: "string", enum: ["access_key", "login_token", "signature", "session_cookie"] },
      provider: object({ name: text("Name of the issuer."), title: text("The name that people know.") }),
      external_id: text("Id of the user at the provider that it is linked to."),
      source: text("Where the user came from."),
      expires_at: { type: "integer", description: "Unix seconds at which the login token is over." },
      groups: listOf(
        object(
          {
            name: text("Name of the group."),
            from: { type: "string", enum: ["identity_provider", "data_set", "directory"] },
            provider: text("Name of the issuer whose claims made the membership."),
          },
          ["name", "from"],
        ),
      ),
      has_password: { type: "boolean", description: "Whether the service keeps a password of the user." },
      sign_out_url: text(
        "Where a browser goes after the sign-out: the provider's, or a path of this service.",
      ),
      more_groups: { type: "boolean", description: "True: there are more groups than an answer has." },
    },
    ["user", "how", "has_password", "groups", "sign_out_url", "more_groups"],
  ),
  CurrentUser: object({ user: schemaRef("User") }),
  UserCreation: object(
    {
      id: { ...NAME, description: "Unique name; with `invite_user` the e-mail address." },
      invite_user: { type: ["boolean", "null"], default: false, description: "Send an invitation by mail." },
    },
    ["id"],
  ),
  UserUpdate: closedObject(
    {
      friendly_name: { type: ["string", "null"], description: "Name to show; null or empty removes it." },
      email: { type: ["string", "null"], description: "E-mail address; null or empty removes it." },
      inactive: {
        type: "boolean",
        description: "True takes every right away and ends all sessions; keys stay and are refused.",
      },
    },
    [],
  ),
  Group: object(
    {
      id: text("Unique name."),
      name: text("The same."),
      description: text("What the group is for."),
      creation_date: UNIX_SECONDS,
    },
    ["id", "name", "creation_date"],
  ),
  GroupCreation: object(
    { id: { ...NAME, description: "Unique name." }, description: { type: ["string", "null"] } },
    ["id"],
  ),
  Policy: object(
    { id: text("Unique name."), creation_date: UNIX_SECONDS, accept: ACCEPT, statement: STATEMENTS },
    ["id", "creation_date", "statement"],
  ),
  PolicyWrite: object(
    { id: { ...NAME, description: "Unique name." }, accept: ACCEPT, statement: STATEMENTS },
    ["id", "statement"],
  ),
  Acl: object({ permission: { enum: ["", ...PERMISSIONS], description: "Empty: nothing is allowed." } }),
  PolicyVersion: object(
    {
      ...ENTRY,
      removed: { type: "boolean", description: "True where the entry removed the policy." },
      statement: STATEMENTS,
    },
    ["revision", "position", "actors", "removed"],
  ),
  PolicyRestore: object({
    position: {
      type: "string",
      pattern: "^[0-9]{1,15}(\\.[A-Za-z0-9_-]{8}){1,2}$",
      description:
        "Position of the version, as `versions` lists it. A revision alone may name another version.",
    },
  }),
  HistoryEntry: object({
    ...ENTRY,
    touched: {
      ...listOf({ enum: ["users", "groups", "policies", "resources", "all"] }),
      description: "Kinds of the things that were changed together.",
    },
  }),
  PolicyVersionList: pageOf("PolicyVersion"),
  HistoryList: pageOf("HistoryEntry"),
  AclWrite: closedObject({ permission: { enum: PERMISSIONS } }),
  Credentials: object({ ...KEY_MEMBERS, ...TERM, ...USE }, ["access_key_id", "creation_date"]),
  CredentialsWithSecret: object(
    { ...KEY_MEMBERS, ...TERM, secret_access_key: text("The secret, shown this once.") },
    ["access_key_id", "creation_date", "secret_access_key"],
  ),
  Capabilities: object({
    invite_user: { type: "boolean", description: "Whether mails can be sent." },
    forgot_password: {
      type: "boolean",
      description: "Whether people can ask for a mail for a new password.",
    },
  }),
  Config: object({
    version_config: schemaRef("Version"),
    capabilities_config: { type: "object" },
    partition: text("The second part of every ARN, `authorizer.partition`."),
    decision_log: { type: "boolean", description: "Whether decisions are recorded, and can be read." },
    decision_log_include: text(
      "Decisions that get a record: none, denied, all, or a share of the allowed ones.",
    ),
    counts_use: { type: "boolean", description: "Whether lists can say when things were used last." },
    mirror_regions: listOf(
      { type: "string" },
      "Regions that may have mirrors; with none there are no mirrors.",
    ),
  }),
  SetupState: object({
    state: { enum: ["initialized", "not_initialized"] },
    comm_prefs_missing: { const: false },
    login_config: object(
      {
        RBAC: text("`auth.ui_config.rbac`; `none` for the page of a data server with one key."),
        login_url: text("`auth.ui_config.login_url`. Empty: people log in here."),
        login_url_method: text(
          "`select` where people choose between this address and a log-in with an access key.",
        ),
        fallback_login_url: text("The same address, where the page shows a link to it."),
        fallback_login_label: text("The text of that link."),
        login_cookie_names: listOf({ type: "string" }),
        logout_url: text("Empty: people log out here."),
      },
      ["RBAC", "login_url", "login_cookie_names", "logout_url"],
    ),
  }),
  Setup: object(
    {
      username: { ...NAME, description: "Name of the first administrator." },
      setup_token: text("The one-time token that the start of the service printed."),
      key: {
        type: ["object", "null"],
        description: "A key to import; absent: one is generated.",
        properties: { access_key_id: NAME, secret_access_key: NAME },
        required: ["access_key_id", "secret_access_key"],
      },
    },
    ["username", "setup_token"],
  ),
  QuestionRequest: closedObject(
    {
      action: {
        type: ["string", "null"],
        description: "Action, with `type` also a short name of it; absent: not judged.",
      },
      type: { type: ["string", "null"], description: "Resource type; absent: not judged." },
      resource: {
        type: ["string", "null"],

        description: "ARN, or what may mean one; absent: not judged.",
      },
    },
    [],
  ),
  QuestionAnswer: object(
    { doubts: listOf(schemaRef("QuestionDoubt"), "None for a question that can be asked.") },
    ["doubts"],
  ),
  ...POLICY_CHECK_SCHEMAS,
  ...MIRROR_SCHEMAS,
  ...STATUS_SCHEMAS,
  ...ACCESS_SCHEMAS,
  ...RECORD_SCHEMAS,
  DecisionRecordList: pageOfRecords("DecisionRecord"),
  AuditRecord: {
    type: "object",
    description:
      "A record: `event`, `actor`, `request_id`, `operation`, and `changes` with before and after. `outcome` is `unknown` if nobody knows whether it happened.",
  },
  AuditRecordList: pageOfRecords("AuditRecord"),
  AuditRecordAnswer: object({ record: schemaRef("AuditRecord") }),
  AccessDirectory: object({
    format: { const: 1 },
    users: listOf({ type: "object" }),
    groups: listOf({ type: "object" }),
    policies: listOf({ type: "object" }),
  }),
  ShadowReport: object(
    {
      node: text("Name of the node; the report is about all its processes."),
      unanswered: {
        type: "integer",
        description:
          "Processes of the node that did not report in time: what they compared is missing. Absent: none.",
      },
      candidate: {
        type: ["object", "null"],
        description:
          "`source`, `kind` (`data_set` or `policies`) and `loaded_at`; null while none is loaded.",
      },
      error: text("The reason why the newest state of the files is not used."),
      share: { type: "number" },
      decisions: { type: "integer", description: "Decisions that were made again." },
      dropped: {
        type: "integer",
        description: "Decisions that were drawn, and left out as too many waited.",
      },
      failed: { type: "integer", description: "Decisions that could not be made again." },
      wider: { type: "integer", description: "Refused now, allowed by the candidate." },
      narrower: { type: "integer", description: "Allowed now, refused by the candidate." },
      groups: { ...listOf({ type: "object" }), description: "The differences by statement, most first." },
      differences: { ...listOf({ type: "object" }), description: "The last 1,000, newest first." },
    },
    ["node", "candidate", "share", "decisions", "wider", "narrower", "groups", "differences"],
  ),
  ...APPLY_SCHEMAS,
  ...OAUTH_SCHEMAS,
  ...LOGIN_SCHEMAS,
  ExternalLoginInformation: object(
    {
      identityRequest: {
        type: "object",
        description: "`identity_token`: base64 of a pre-signed GetCallerIdentity.",
      },
      token_expiration_duration: {
        type: "integer",
        minimum: 1,
        description:
          "Seconds that the token is valid, at most auth.login_max_duration. Absent: auth.login_duration.",
      },
    },
    ["identityRequest"],
  ),
  StsForm: object(
    {
      Action: { const: "AssumeRoleWithWebIdentity" },
      Version: { const: "2011-06-15" },
      RoleArn: text("The user: `arn:PARTITION:auth:::user/NAME`."),
      RoleSessionName: text("A label, for the audit log."),
      WebIdentityToken: text("A token of one of `authorizer.oidc.issuers`."),
      DurationSeconds: { type: "integer", minimum: 900, maximum: 43_200, default: 3_600 },
    },
    ["Action", "RoleArn", "RoleSessionName", "WebIdentityToken"],
  ),
  Form: object({ token: text("The token of the link.") }),
};
