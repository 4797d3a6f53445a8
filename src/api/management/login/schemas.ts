/** Bodies of signing in. */

import type { Schemas } from "../../../http/openapi/openapi-types.ts";
import { object, text, UNIX_SECONDS } from "../../../http/schema/schema-forms.ts";
import { pageOf } from "../../rest/declared.ts";

/** The schemas. */
export const LOGIN_SCHEMAS: Schemas = {
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
  ForgottenPassword: object({ email: text("The e-mail address of a user.") }),
  PasswordChange: object({ password: text("The present password."), new_password: text("The new one.") }, [
    "password",
    "new_password",
  ]),
  UserSession: object(
    {
      id: text("Id of the login token, which is not the token."),
      how: text("Way by which the user signed in, as in the audit log."),
      provider: text("Name of the identity provider that vouched, if one did."),
      access_key_id: text("The access key that it was issued for, if any: it ends with the key."),
      source_ip: text("Address of the sign-in."),
      created_at: UNIX_SECONDS,
      expires_at: UNIX_SECONDS,
      is_current: { type: "boolean", description: "Whether this call came with it." },
    },
    ["id", "created_at", "expires_at", "is_current"],
  ),
  UserSessionList: pageOf("UserSession"),
  LoginToken: object({ token: text("Login token, a JWT."), token_expiration: UNIX_SECONDS }),
  SignInWays: object({
    ways: {
      type: "array",
      items: object({
        name: text("Name of the issuer."),
        title: text("The name that people know it by."),
        location: text("The path at which the sign-in begins."),
      }),
    },
    passwords: {
      type: "array",
      description:
        "Ways that take a name and a password at `POST /auth/login`, in the order in which they are asked.",
      items: object({
        name: text("`password` for those that the service keeps, `ldap`."),
        title: text("The name that people know it by."),
      }),
    },
    passwords_kept: { type: "boolean", description: "Whether the service keeps passwords." },
    order: {
      type: "array",
      description: "All ways in their order: names of issuers, `password`, `access_key`.",
      items: { type: "string" },
    },
  }),
};
