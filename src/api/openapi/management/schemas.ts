/** Bodies of the management API, in the shapes of a data server's own API (management-cli.md). */

import type { Schema, Schemas } from "../openapi-types.ts";
import { listOf, object, schemaRef, text, UNIX_SECONDS } from "../schema-forms.ts";
import { AUTHORIZATION_SCHEMAS } from "../schemas/authorization.ts";
import { EXPLANATION_SCHEMAS } from "../schemas/explanation.ts";
import { HEALTH_SCHEMAS } from "../schemas/health.ts";
import { NATIVE_SCHEMAS } from "../schemas/native.ts";
import { POLICY_SCHEMAS } from "../schemas/policies.ts";
import { REQUIREMENT_SCHEMAS } from "../schemas/requirements.ts";
import { FAILURE_SCHEMAS } from "./failures.ts";

const NAME: Schema = { type: "string", minLength: 1 };
const STATEMENTS: Schema = { ...listOf(schemaRef("Statement")), minItems: 1 };
const KEY = {
  access_key_id: text("Access key id, unique over all users."),
  creation_date: UNIX_SECONDS,
};
const PERMISSIONS = ["Read", "Write", "Super", "Admin"];

function pageOf(schema: string): Schema {
  return object({ pagination: schemaRef("Pagination"), results: listOf(schemaRef(schema)) });
}

const SHARED: Schemas = {
  ...FAILURE_SCHEMAS,
  Alive: HEALTH_SCHEMAS["Alive"] as Schema,
  Ready: HEALTH_SCHEMAS["Ready"] as Schema,
  NotReady: HEALTH_SCHEMAS["NotReady"] as Schema,
  ...REQUIREMENT_SCHEMAS,
  ...EXPLANATION_SCHEMAS,
  CheckRequest: NATIVE_SCHEMAS["CheckRequest"] as Schema,
  CheckAnswer: NATIVE_SCHEMAS["CheckAnswer"] as Schema,
  Statement: POLICY_SCHEMAS["Statement"] as Schema,
  Pagination: AUTHORIZATION_SCHEMAS["Pagination"] as Schema,
  Version: AUTHORIZATION_SCHEMAS["Version"] as Schema,
};

/** All schemas of the document. */
export const MANAGEMENT_SCHEMAS: Schemas = {
  ...SHARED,
  User: object(
    {
      id: text("Unique name."),
      creation_date: UNIX_SECONDS,
      friendly_name: text("Name to show."),
      email: text("E-mail address."),
    },
    ["id", "creation_date"],
  ),
  CurrentUser: object({ user: schemaRef("User") }),
  UserCreation: object(
    {
      id: { ...NAME, description: "Unique name; with `invite_user` the e-mail address." },
      invite_user: { type: ["boolean", "null"], default: false, description: "Send an invitation by mail." },
    },
    ["id"],
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
  Policy: object({ id: text("Unique name."), creation_date: UNIX_SECONDS, statement: STATEMENTS }),
  PolicyWrite: object({ id: { ...NAME, description: "Unique name." }, statement: STATEMENTS }),
  Acl: object({ permission: { enum: ["", ...PERMISSIONS], description: "Empty: nothing is allowed." } }),
  AclWrite: object({ permission: { enum: PERMISSIONS } }),
  Credentials: object(KEY),
  CredentialsWithSecret: object({ ...KEY, secret_access_key: text("The secret, shown this once.") }),
  ExternalPrincipal: object({ id: text("Id of the principal."), user_id: text("Name of the user.") }),
  UserList: pageOf("User"),
  GroupList: pageOf("Group"),
  PolicyList: pageOf("Policy"),
  CredentialsList: pageOf("Credentials"),
  ExternalPrincipalList: pageOf("ExternalPrincipal"),
  LoginInformation: object(
    {
      access_key_id: text("Access key id."),
      secret_access_key: text("Its secret."),
      token_expiration_duration: {
        type: "integer",
        minimum: 1,
        description:
          "Seconds that the token is valid, at most auth.login_max_duration. Absent: auth.login_duration.",
      },
    },
    ["access_key_id", "secret_access_key"],
  ),
  LoginToken: object({ token: text("Login token, a JWT."), token_expiration: UNIX_SECONDS }),
  Capabilities: object({
    invite_user: { type: "boolean", description: "Whether mails can be sent." },
    forgot_password: { const: false },
  }),
  Config: object({ version_config: schemaRef("Version"), capabilities_config: { type: "object" } }),
  SetupState: object({
    state: { enum: ["initialized", "not_initialized"] },
    comm_prefs_missing: { const: false },
    login_config: object({
      RBAC: text("`auth.ui_config.rbac`."),
      login_url: text("Empty: people log in here."),
      login_cookie_names: listOf({ type: "string" }),
      logout_url: text("Empty: people log out here."),
    }),
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
  OpenApi: { type: "object", description: "This document." },
  Form: object({ token: text("The token of the link.") }),
};
