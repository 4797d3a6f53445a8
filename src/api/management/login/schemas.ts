/** Bodies of signing in. */

import type { Schemas } from "../../../http/openapi/openapi-types.ts";
import { object, text, UNIX_SECONDS } from "../../../http/schema/schema-forms.ts";

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
  }),
};
