/**
 * Set-up of the first administrator (spec/security §6.2): once, with a token that the start of the service writes to a
 * file. The paths are those of a data server's own API.
 */

import { type AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { requireObject } from "../../../http/body/json-body.ts";
import type { Reply } from "../../../http/route.ts";
import { LOGIN_COOKIE } from "../../../identity/login-claims.ts";
import type { SignInWay } from "../../../sign-in/sign-in.ts";
import { NO_STORE_HEADER } from "../../rest/declared.ts";
import { MANAGEMENT_EXAMPLES } from "../../rest/examples.ts";
import { withFieldNames } from "../../rest/field-names.ts";
import { BASE_PATH, json, NO_STORE } from "../../rest/operation.ts";
import { answerWith } from "../../rest/operation-kinds.ts";
import type { AuditedFields } from "../../rest/ports.ts";
import { auditingUnknown } from "../../rest/unknown-outcome.ts";
import type { OpenCall } from "../call.ts";
import { bodyOf, type ManagementParts, type OpenDeclaration } from "../declaration.ts";
import { OwnText } from "../errors.ts";
import type { FirstAdministrator } from "../ports.ts";
import { secretBody } from "../shapes.ts";
import { signInAddress } from "../sign-in/oidc-routes.ts";
import { LOGOUT_PATH } from "./logout-page.ts";
import { AuthenticationFailed } from "./proof.ts";

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
const OPEN = { access: "open", priority: "bulk", tag: "service" } as const;
const BODY = bodyOf("Setup", {
  username: "admin",
  setup_token: "the-token-that-the-start-of-the-service-wrote",
});

/** The operations. */
export const SETUP_OPERATIONS: readonly OpenDeclaration[] = PATHS.flatMap(
  ({ path, suffix }): OpenDeclaration[] => [
    {
      ...OPEN,
      method: "GET",
      id: `getSetupState${suffix}`,
      path: BASE_PATH + path,
      summary: "Whether the first administrator was set up",
      description: "Clients ask it to find out whether to offer the set-up.",
      answer: answerWith(200, "SetupState", stateBody(true, { rbac: "simplified", loginUrl: "" })),
      handler: (parts) => async () => {
        const { dataServerPage, signIn, setup } = parts;
        return json(
          200,
          dataServerPage ? pageState(signIn?.ways ?? []) : stateBody(await setup.isDone(), parts),
        );
      },
    },
    {
      ...OPEN,
      method: "POST",
      id: `setup${suffix}`,
      path: BASE_PATH + path,
      summary: "Set up the first administrator, once",
      description: "Needs the one-time token. The answer is the only one that shows the secret of the key.",
      // The handler validates the body: before the token is verified, a caller learns nothing.
      body: { schema: BODY.schema, example: BODY.example },
      answer: {
        ...answerWith(200, "CredentialsWithSecret", MANAGEMENT_EXAMPLES.CredentialsWithSecret),
        headers: NO_STORE_HEADER,
      },
      errors: [401, 403, 409],
      handler: (parts) => (call) => setUp(call, parts),
    },
  ],
);

function stateBody(done: boolean, { rbac, loginUrl }: Pick<ManagementParts, "rbac" | "loginUrl">) {
  return {
    state: done ? "initialized" : "not_initialized",
    comm_prefs_missing: false,
    login_config: { RBAC: rbac, login_url: loginUrl, login_cookie_names: [LOGIN_COOKIE], logout_url: "" },
  };
}

/** The state for the web page of a data server with one key, which is set up: it offers users a log-in here. */
function pageState(ways: readonly SignInWay[]) {
  const [only, another] = ways;
  const url = only === undefined ? "" : another === undefined ? signInAddress(only) : "/oidc/login";
  const { login_config, ...state } = stateBody(true, { rbac: "none", loginUrl: "" });
  const label = only === undefined || another !== undefined ? "an identity provider" : only.title;
  // The open page has a link for the latter two, another one a choice for the former two.
  const login = url !== "" && {
    ...{ login_url: url, login_url_method: "select" },
    ...{ fallback_login_url: url, fallback_login_label: `Sign in with ${label}` },
  };
  return { ...state, login_config: { ...login_config, ...login, logout_url: LOGOUT_PATH } };
}

/** That the set-up is done is said before the token is verified: there is nothing left to protect. */
async function setUp(call: OpenCall, { setup, audit }: ManagementParts): Promise<Reply> {
  const { setup_token: token } = requireObject(call.body) as { readonly setup_token?: unknown };
  if (await setup.isDone()) throw already();
  if (!setup.accepts(typeof token === "string" ? token : "")) throw new AuthenticationFailed();
  BODY.validate(call.body);
  const { username, key } = call.body as GivenAdministrator;
  const administrator = key === undefined || key === null ? { username } : { username, key };
  try {
    const made = await auditingUnknown(
      () => withFieldNames(BODY_NAMES, setup.run(administrator)),
      (outcome) => audit.event("setup", "set-up token", call, { ...namesOf(administrator), ...outcome }),
    );
    audit.event("setup", "set-up token", call, {
      admin: made.username,
      access_key_id: made.access_key_id,
    });
    return json(200, secretBody(made), NO_STORE);
  } catch (error) {
    throw isErrorCode(error, "already_exists") && (await setup.isDone()) ? already() : error;
  }
}

/** The body of a set-up, after its shape was validated. */
interface GivenAdministrator {
  readonly username: string;
  readonly key?: NonNullable<FirstAdministrator["key"]> | null;
}

/** The names of what is made; the id of a key that is generated is known when it is committed. */
function namesOf({ username, key }: FirstAdministrator): AuditedFields {
  return { admin: username, ...(key !== undefined && { access_key_id: key.access_key_id }) };
}

function already(): AuthorizerError {
  return new OwnText("already_exists", ALREADY);
}
