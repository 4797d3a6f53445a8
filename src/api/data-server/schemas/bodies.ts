/** Lists and small bodies of the data-server API. */

import type { Schemas } from "../../../http/openapi/openapi-types.ts";
import { object, text, UNIX_SECONDS } from "../../../http/schema/schema-forms.ts";
import { pageOf } from "../../rest/declared.ts";

/** Schemas of the data-server API besides its entities and policies. */
export const BODY_SCHEMAS: Schemas = {
  UserList: pageOf("User"),
  GroupList: pageOf("Group"),
  PolicyList: pageOf("Policy"),
  CredentialsList: pageOf("Credentials"),
  ExternalPrincipalList: pageOf("ExternalPrincipal"),
  PasswordUpdate: object({
    encryptedPassword: {
      type: "string",
      format: "byte",
      contentEncoding: "base64",
      description: "Opaque to this service.",
    },
  }),
  FriendlyNameUpdate: object({ friendly_name: text("Name to show.") }),
  ClaimTokenId: object({ token_id: text("Id of a one-time token."), expires_at: UNIX_SECONDS }),
};
