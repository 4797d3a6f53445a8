/** Schemas of `/sign-in`, `/device` and `/oauth2/*`. */

import type { Schemas } from "../../../http/openapi/openapi-types.ts";
import { object, text } from "../../../http/schema/schema-forms.ts";

export const OAUTH_SCHEMAS: Schemas = {
  SignInForm: object(
    {
      name: text("User name, or access key id."),
      secret: text("Password, or secret access key."),
      next: text("The path of this origin to go to."),
    },
    ["name", "secret"],
  ),
  DeviceForm: object(
    {
      code: text("The code that the program shows, in any letter case, with or without a hyphen."),
      answer: { type: "string", enum: ["confirm", "refuse"] },
    },
    ["code"],
  ),
  DeviceAuthorizationForm: object(
    {
      client_id: { const: "svcctl" },
      host_name: text("The name of the program's machine, for the person who confirms."),
    },
    ["client_id"],
  ),
  DeviceAuthorization: object({
    device_code: text("What the program shows to get its token."),
    user_code: text("What the person types."),
    verification_uri: text("Where; without an origin in `authorizer.sign_in.origins`, the path alone."),
    expires_in: { type: "integer" },
    interval: { type: "integer", description: "Seconds between two questions." },
  }),
  TokenForm: object(
    {
      grant_type: text("`urn:ietf:params:oauth:grant-type:` and `device_code` or `token-exchange`."),
      client_id: { const: "svcctl" },
      device_code: text("The code of `/oauth2/device_authorization`."),
      subject_token: text("The token of an identity provider."),
      subject_token_type: text(
        "`urn:ietf:params:oauth:token-type:` and `jwt`, `id_token` or `access_token`.",
      ),
      requested_token_type: text(
        "`urn:ietf:params:oauth:token-type:access_token` (default), or `urn:svc-authorizer:token-type:access_key` for an access key that expires.",
      ),
    },
    ["grant_type"],
  ),
  OAuthToken: object(
    {
      access_token: text("The login token, or the access key as Basic credentials."),
      token_type: { type: "string", enum: ["Bearer", "Basic"] },
      expires_in: { type: "integer", description: "Seconds." },
      issued_token_type: text("Of an exchanged token: its type."),
      access_key_id: text("Of an access key."),
      secret_access_key: text("Of an access key."),
      session_token: text("Of an access key: what requests signed with it may show."),
    },
    ["access_token", "token_type", "expires_in"],
  ),
  OAuthError: object({ error: text("A code of OAuth 2.0."), error_description: text("For people.") }),
};
