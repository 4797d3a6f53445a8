/**
 * Set-up of the first administrator (security.md §6.2): once, with a token that whoever starts the service finds in a
 * file. The paths are those of a data server's own API.
 */

import { type AuthorizerError, isErrorCode } from "../../errors.ts";
import { isObject } from "../../http/json-body.ts";
import type { Reply } from "../../http/route.ts";
import { LOGIN_COOKIE } from "../../identity/login-claims.ts";
import { BodyFields, withFieldNames } from "../rest/body-fields.ts";
import { json, NO_STORE } from "../rest/operation.ts";
import { OwnText } from "./errors.ts";
import type { ManagementAudit } from "./management-audit.ts";
import type { ManagementOperation, OpenCall } from "./operation.ts";
import type { FirstAdministrator, Setup } from "./ports.ts";
import { AuthenticationFailed } from "./proof.ts";
import { secretBody } from "./shapes.ts";

/** The path of the reference, and its short form. */
const PATHS = [
  { path: "/setup_lakefs", suffix: "" },
  { path: "/setup", suffix: "Short" },
] as const;
const ALREADY = "already initialized";
/** Fields of the directory → fields of the body. */
const BODY_NAMES = new Map([
  ["/access_key_id", "/key/access_key_id"],
  ["/secret_access_key", "/key/secret_access_key"],
]);

/** What set-up needs. */
export interface SetupParts {
  readonly setup: Setup;
  /** `auth.ui_config.rbac`. */
  readonly rbac: string;
  readonly audit: ManagementAudit;
}

/** The operations. */
export function setupOperations(parts: SetupParts): readonly ManagementOperation[] {
  return PATHS.flatMap(({ path, suffix }): ManagementOperation[] => [
    {
      id: `getSetupState${suffix}`,
      method: "GET",
      path,
      access: "open",
      takesBody: false,
      handle: () => state(parts),
    },
    {
      id: `setup${suffix}`,
      method: "POST",
      path,
      access: "open",
      takesBody: true,
      handle: (call) => setUp(call, parts),
    },
  ]);
}

async function state({ setup, rbac }: SetupParts): Promise<Reply> {
  return json(200, {
    state: (await setup.isDone()) ? "initialized" : "not_initialized",
    comm_prefs_missing: false,
    login_config: { RBAC: rbac, login_url: "", login_cookie_names: [LOGIN_COOKIE], logout_url: "" },
  });
}

/** Done is told before the token is looked at: there is nothing left to protect, and nothing else to say. */
async function setUp(call: OpenCall, { setup, audit }: SetupParts): Promise<Reply> {
  const fields = new BodyFields(call.body);
  const token = fields.optionalText("setup_token") ?? "";
  if (await setup.isDone()) throw already();
  if (!setup.accepts(token)) throw new AuthenticationFailed();
  const administrator = administratorOf(call.body, fields);
  try {
    const made = await withFieldNames(BODY_NAMES, setup.run(administrator));
    const { username, access_key_id } = made;
    audit.event("setup", "set-up token", call, { admin: username, access_key_id });
    return json(200, secretBody(made), NO_STORE);
  } catch (error) {
    throw isErrorCode(error, "already_exists") && (await setup.isDone()) ? already() : error;
  }
}

function already(): AuthorizerError {
  return new OwnText("already_exists", ALREADY);
}

function administratorOf(body: unknown, fields: BodyFields): FirstAdministrator {
  const username = fields.text("username");
  const key = isObject(body) && Object.hasOwn(body, "key") ? body["key"] : undefined;
  if (key === undefined || key === null) {
    fields.finish();
    return { username };
  }
  if (!isObject(key)) fields.check("key", "expected an object");
  fields.finish();
  const given = new BodyFields(key);
  const access_key_id = given.text("access_key_id");
  const secret_access_key = given.text("secret_access_key");
  given.finish();
  return { username, key: { access_key_id, secret_access_key } };
}
